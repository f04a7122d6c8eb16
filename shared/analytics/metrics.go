package analytics

// Metrics are the numbers of a period.
type Metrics struct {
	Users       Users
	Projects    Projects
	Storage     *StorageBytes // the last measurement in the period or in the week before it; nil without one
	Quota       Quota
	Calls       int64
	Pulls       Pulls
	Media       Media
	Performance Performance
}

// Users are the counts of users at the end of the period's last day.
type Users struct {
	Total, Active int64
	Growth        float64          // percent since the end of the day before the period, two decimals
	ByRole        map[string]int64 // has every role
}

// Projects are the counts of projects at the end of the period's last day. Created and Archived
// count what happened within the period.
type Projects struct {
	Total             int64
	ByStatus          map[string]int64 // has every status
	Created, Archived int64
}

// Pulls are how many charts and images customers pulled, and how often they only checked for updates of a tag.
type Pulls struct{ Charts, Images, Checks int64 }

// Media is how much the media capabilities were used.
type Media struct {
	Calls  int64
	Tasks  MediaTasks
	Models ModelUsage
}

// Performance is how fast and how reliably the service answered.
type Performance struct {
	Uptime        float64 // percent, three decimals
	TimedRequests int64   // requests with a known response time; if 0, the next three fields are 0
	// Milliseconds, one decimal.
	Average, P95, P99 float64
	Errors            int64 // responses with a status of 500 or above
}
