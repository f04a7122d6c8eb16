package main

import "portside/shared/analytics"

// Metrics are the figures of a period. The tag unit is for tables, see table.go, which leave out fields with table:"-".
type Metrics struct {
	Users       Users       `json:"users" doc:"At the end of the period."`
	Projects    Projects    `json:"projects" doc:"At the end of the period; created and archived count within it."`
	Usage       Usage       `json:"usage"`
	Performance Performance `json:"performance"`
}

// Users are the figures about users.
type Users struct {
	Total  int64            `json:"total" example:"127"`
	Active int64            `json:"active" doc:"Users with the status active." example:"119"`
	Growth float64          `json:"growth" unit:"%" doc:"Growth of total in percent since the day before the period, two decimals. If total was zero then, 100, or 0 if it is still zero." example:"4.1"`
	ByRole map[string]int64 `json:"byRole" doc:"Total by role, with all roles." example:"{\"admin\":3,\"manager\":12,\"user\":88,\"viewer\":24}"`
}

// Projects are the figures about projects.
type Projects struct {
	Total    int64            `json:"total" example:"41"`
	ByStatus map[string]int64 `json:"byStatus" doc:"Total by status, with all statuses." example:"{\"draft\":4,\"active\":22,\"on_hold\":3,\"completed\":9,\"archived\":3}"`
	Created  int64            `json:"created" doc:"Projects created, including those that were deleted since." example:"5"`
	Archived int64            `json:"archived" doc:"Number of times that a project was archived." example:"1"`
}

// Usage are the figures about usage.
type Usage struct {
	Storage Storage `json:"storage"`
	API     API     `json:"api"`
	Pulls   Pulls   `json:"pulls"`
	Media   Media   `json:"media"`
}

// Storage are the figures about storage.
type Storage struct {
	Total float64 `json:"total" unit:"GB" doc:"Storage quota that the operator has set." example:"100"`
	Used  float64 `json:"used" unit:"GB" doc:"Charts and media together, six decimals: the last measurement in the period or the week before it. 0 if neither has a measurement." example:"12.408331"`
	Unit  string  `json:"unit" table:"-" enum:"GB" doc:"10⁹ bytes."`
}

// API are the figures about the use of the HTTP API.
type API struct {
	Calls           int64   `json:"calls" doc:"All requests, including rejected ones." example:"48213"`
	AvgResponseTime float64 `json:"avgResponseTime" unit:"ms" doc:"Milliseconds, one decimal." example:"23.4"`
}

// Pulls are the figures about downloads.
type Pulls struct {
	Charts int64 `json:"charts" doc:"Chart archives downloaded." example:"310"`
	Images int64 `json:"images" doc:"Images downloaded by tag." example:"1204"`
	Checks int64 `json:"checks" doc:"Update checks: requests for the manifest to which a tag leads, without a download. The other two figures do not include them." example:"86400"`
}

// Media are the figures about the use of the media capabilities.
type Media struct {
	Calls        int64   `json:"calls" doc:"Requests to summarize, extract from or compare files and texts." example:"96"`
	ModelCalls   int64   `json:"modelCalls" doc:"Calls of language models, including failed ones." example:"143"`
	InputTokens  int64   `json:"inputTokens" example:"820113"`
	OutputTokens int64   `json:"outputTokens" example:"33120"`
	Cost         float64 `json:"cost" unit:"USD" doc:"Cost of the calls whose price the service knows, six decimals." example:"2.381475"`
	Currency     string  `json:"currency" table:"-" enum:"USD"`
	ByTask       ByTask  `json:"byTask" doc:"Requests by their task."`
}

// ByTask are the media requests by task.
type ByTask struct {
	Summarize int64 `json:"summarize" doc:"Requests to summarize." example:"51"`
	Extract   int64 `json:"extract" doc:"Requests to extract values." example:"33"`
	Compare   int64 `json:"compare" doc:"Requests to compare two files or texts." example:"12"`
}

// Performance are the figures about performance.
type Performance struct {
	Uptime       float64      `json:"uptime" unit:"%" doc:"Percent, three decimals: 100 minus the average of the hourly error rates, over the hours of the period that have begun. The error rate of an hour without calls is 0." example:"99.982"`
	ResponseTime ResponseTime `json:"responseTime"`
	Errors       int64        `json:"errors" doc:"Responses with a status of 500 or above." example:"7"`
}

// ResponseTime are the figures about response times.
type ResponseTime struct {
	Avg float64 `json:"avg" unit:"ms" doc:"Milliseconds, one decimal." example:"23.4"`
	P95 float64 `json:"p95" unit:"ms" doc:"95th percentile in milliseconds; exact below 64, otherwise at most 1.6 percent off." example:"58"`
	P99 float64 `json:"p99" unit:"ms" doc:"99th percentile, with the same accuracy." example:"217.5"`
}

func encodeMetrics(m analytics.Metrics) Metrics {
	u, p, performance, models := m.Users, m.Projects, m.Performance, m.Media.Models
	storage := Storage{Total: m.Quota.Gigabytes(), Unit: "GB"}
	if m.Storage != nil {
		storage.Used = m.Storage.Gigabytes()
	}
	return Metrics{
		Users:    Users{Total: u.Total, Active: u.Active, Growth: u.Growth, ByRole: u.ByRole},
		Projects: Projects{Total: p.Total, ByStatus: p.ByStatus, Created: p.Created, Archived: p.Archived},
		Usage: Usage{
			Storage: storage, Pulls: Pulls(m.Pulls),
			API: API{Calls: m.Calls, AvgResponseTime: performance.Average},
			Media: Media{
				Calls: m.Media.Calls, ModelCalls: models.Calls, InputTokens: models.InputTokens, OutputTokens: models.OutputTokens,
				Cost: models.USD(), Currency: "USD", ByTask: ByTask(m.Media.Tasks),
			},
		},
		Performance: Performance{
			Uptime: performance.Uptime, Errors: performance.Errors,
			ResponseTime: ResponseTime{Avg: performance.Average, P95: performance.P95, P99: performance.P99},
		},
	}
}
