// Package analytics computes the numbers of the dashboard: how many users and projects there were,
// how much was used, and how the service performed over a period of days.
//
// Nothing is counted when the dashboard is requested. Every event is added to a small item of its
// day when it happens, so a year costs a few reads however busy it was. "portside reconcile" can
// compute each number again from the events that it counts. All days are in UTC.
package analytics

import (
	"context"

	"portside/shared/core/calendar"
)

// Store reads the numbers of each day. The maps that it returns have no entry for a day without
// data.
type Store interface {
	// Counts returns the changes of the counters on each day since a given day, and their current
	// values. Both are from the same moment.
	Counts(ctx context.Context, since calendar.Day, today calendar.Day) (Counts, error)
	// Requests returns the request statistics of each day. They lag about a minute behind the
	// requests.
	Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*RequestStats, error)
	// Usage returns the usage of each day.
	Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Usage, error)
}
