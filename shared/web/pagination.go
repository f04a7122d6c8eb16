package web

// Paging is the input of an operation that lists resources, for embedding.
type Paging struct {
	Limit  int   `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of items on the page."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

// Pagination returns the pagination of this page in a list with total items.
func (p Paging) Pagination(total int64) Pagination { return Paginate(total, p.Limit, p.Offset) }

// Pagination describes the position of an offset page in its list.
type Pagination struct {
	Total   int64 `json:"total" doc:"Exact number of all items that match." example:"41"`
	Limit   int   `json:"limit" doc:"Maximum number of items on the page." example:"20"`
	Offset  int64 `json:"offset" doc:"Number of items skipped." example:"0"`
	HasMore bool  `json:"hasMore" doc:"Whether there is a next page."`
}

// Paginate returns the pagination of a page.
func Paginate(total int64, limit int, offset int64) Pagination {
	return Pagination{Total: total, Limit: limit, Offset: offset, HasMore: offset < total-int64(limit)}
}
