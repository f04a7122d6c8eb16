package resources

import (
	"time"

	"github.com/spf13/cobra"

	"portside/cmd/portside/cli"
)

// monthFlags are the flags that name a month.
type monthFlags struct {
	month string
	last  bool
}

func (m *monthFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&m.month, "month", "", "the `MONTH` to show, in UTC, such as 2026-10")
	c.Flags().BoolVar(&m.last, "last-month", false, "the month before this one, in UTC")
}

// days are the first and the last day of a period.
type days struct{ first, last string }

// days returns the days of the month, up to today. IsSet is false if no flag names a month.
func (m *monthFlags) days(now time.Time) (period days, isSet bool, err error) {
	today := now.UTC()
	thisMonth := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	var first time.Time
	switch {
	case m.month != "" && m.last:
		return days{}, false, cli.UsageError("--month and --last-month exclude each other")
	case m.last:
		first = thisMonth.AddDate(0, -1, 0)
	case m.month != "":
		first, err = time.Parse("2006-01", m.month)
		if err != nil {
			return days{}, false, cli.UsageError("--month must look like 2026-10")
		}
	default:
		return days{}, false, nil
	}
	if first.After(thisMonth) {
		return days{}, false, cli.UsageError("--month is in the future")
	}
	last := first.AddDate(0, 1, -1)
	if last.After(today) {
		last = today
	}
	return days{first.Format(time.DateOnly), last.Format(time.DateOnly)}, true, nil
}
