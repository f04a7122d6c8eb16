package main

import "portside/shared/analytics"

// Metrics are the numbers of a period.
type Metrics struct {
	Users       Users       `json:"users" doc:"At the end of the period."`
	Projects    Projects    `json:"projects" doc:"At the end of the period; created and archived within it."`
	Usage       Usage       `json:"usage"`
	Performance Performance `json:"performance"`
}

// Users are the numbers of users.
type Users struct {
	Total  int64            `json:"total" example:"127"`
	Active int64            `json:"active" doc:"Whose status is active." example:"119"`
	Growth float64          `json:"growth" doc:"Percent by which total differs from the end of the day before the period, two decimals; from zero 100, or 0 where it is still zero." example:"4.1"`
	ByRole map[string]int64 `json:"byRole" doc:"Total by role; every role is there." example:"{\"admin\":3,\"manager\":12,\"user\":88,\"viewer\":24}"`
}

// Projects are the numbers of projects.
type Projects struct {
	Total    int64            `json:"total" example:"41"`
	ByStatus map[string]int64 `json:"byStatus" doc:"Total by status; every status is there." example:"{\"draft\":4,\"active\":22,\"on_hold\":3,\"completed\":9,\"archived\":3}"`
	Created  int64            `json:"created" doc:"How many were created, even if they are gone by now." example:"5"`
	Archived int64            `json:"archived" doc:"How often one became archived." example:"1"`
}

// Usage is how much was used.
type Usage struct {
	Storage Storage `json:"storage"`
	API     API     `json:"api"`
	Pulls   Pulls   `json:"pulls"`
	Media   Media   `json:"media"`
}

// Storage is how much is stored.
type Storage struct {
	Total float64 `json:"total" doc:"What may be stored, as the operator has set it." example:"100"`
	Used  float64 `json:"used" doc:"Charts and media together, six decimals, as measured last in the period or the week before it; 0 where it was not measured." example:"12.408331"`
	Unit  string  `json:"unit" enum:"GB" doc:"10⁹ bytes."`
}

// API is how much the HTTP API was used.
type API struct {
	Calls           int64   `json:"calls" doc:"All requests, refused ones included." example:"48213"`
	AvgResponseTime float64 `json:"avgResponseTime" doc:"Milliseconds, one decimal." example:"23.4"`
}

// Pulls are what customers fetched.
type Pulls struct {
	Charts int64 `json:"charts" doc:"Archives of charts." example:"310"`
	Images int64 `json:"images" doc:"Manifests of images." example:"1204"`
}

// Media is how much the media capabilities were used.
type Media struct {
	Calls        int64   `json:"calls" doc:"Requests to summarize, extract from or compare files and texts." example:"96"`
	ModelCalls   int64   `json:"modelCalls" doc:"What language models were asked, attempts that failed included." example:"143"`
	InputTokens  int64   `json:"inputTokens" example:"820113"`
	OutputTokens int64   `json:"outputTokens" example:"33120"`
	Cost         float64 `json:"cost" doc:"As far as prices are known to the service, six decimals." example:"2.381475"`
	Currency     string  `json:"currency" enum:"USD"`
}

// Performance is how well the service did.
type Performance struct {
	Uptime       float64      `json:"uptime" doc:"Percent: 100 less the mean, over the hours of the period that have begun, of the hour's share of errors; an hour without calls has none. Three decimals." example:"99.982"`
	ResponseTime ResponseTime `json:"responseTime"`
	Errors       int64        `json:"errors" doc:"Answers with a status of 500 or above." example:"7"`
}

// ResponseTime is how long answers took.
type ResponseTime struct {
	Avg float64 `json:"avg" doc:"Milliseconds, one decimal." example:"23.4"`
	P95 float64 `json:"p95" doc:"Milliseconds that 95 percent of all requests did not exceed; at most 1.6 percent off, exact below 64." example:"58"`
	P99 float64 `json:"p99" doc:"The same of 99 percent." example:"217.5"`
}

func metricsForm(m analytics.Metrics) Metrics {
	u, p, performance, models := m.Users, m.Projects, m.Performance, m.Media.Models
	storage := Storage{Total: m.Quota.Gigabytes(), Unit: "GB"}
	if m.Storage != nil {
		storage.Used = m.Storage.Gigabytes()
	}
	return Metrics{
		Users:    Users{Total: u.Total, Active: u.Active, Growth: u.Growth, ByRole: u.ByRole},
		Projects: Projects{Total: p.Total, ByStatus: p.ByStatus, Created: p.Created, Archived: p.Archived},
		Usage: Usage{
			Storage: storage, Pulls: Pulls{Charts: m.Pulls.Charts, Images: m.Pulls.Images},
			API: API{Calls: m.Calls, AvgResponseTime: performance.Average},
			Media: Media{
				Calls: m.Media.Calls, ModelCalls: models.Calls, InputTokens: models.InputTokens, OutputTokens: models.OutputTokens,
				Cost: models.USD(), Currency: "USD",
			},
		},
		Performance: Performance{
			Uptime: performance.Uptime, Errors: performance.Errors,
			ResponseTime: ResponseTime{Avg: performance.Average, P95: performance.P95, P99: performance.P99},
		},
	}
}
