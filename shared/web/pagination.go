package web

// Pagination says where a page lies in its list.
type Pagination struct {
	Total   int64 `json:"total" doc:"All that match, exact." example:"41"`
	Limit   int   `json:"limit" doc:"Most that a page has." example:"20"`
	Offset  int64 `json:"offset" doc:"How many were passed over." example:"0"`
	HasMore bool  `json:"hasMore" doc:"Whether there is a page after this one."`
}

// Paginate returns the pagination of a page. HasMore follows from the total, and so is as exact as that.
func Paginate(total int64, limit int, offset int64) Pagination {
	return Pagination{Total: total, Limit: limit, Offset: offset, HasMore: offset < total-int64(limit)}
}
