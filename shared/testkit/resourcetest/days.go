package resourcetest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/daycounts"
	"portside/shared/testkit/liststest"
)

// DayCounts are day counters by day and name. The day "total" has their sums. It has no zeros.
type DayCounts map[string]map[string]int64

// Add adds to counters of a day and to their totals.
func (c DayCounts) Add(day string, by int64, counters ...string) {
	c.AddTo(day, by, counters...)
	c.AddTo("total", by, counters...)
}

// AddTo adds to counters of a day, but not to their totals.
func (c DayCounts) AddTo(day string, by int64, counters ...string) {
	if c[day] == nil {
		c[day] = map[string]int64{}
	}
	for _, name := range counters {
		if c[day][name] += by; c[day][name] == 0 {
			delete(c[day], name)
		}
	}
	if len(c[day]) == 0 {
		delete(c, day)
	}
}

// HistoryDays returns the sum of histories.
func HistoryDays(t *testing.T, histories iter.Seq2[daycounts.History, error]) DayCounts {
	t.Helper()
	sum := DayCounts{}
	for history, err := range histories {
		if err != nil {
			t.Fatal(err)
		}
		for day, change := range history.Changes() {
			for counter, n := range change {
				sum.Add(day.String(), n, counter)
			}
		}
	}
	return sum
}

// StoredDays returns the counters in a table.
func StoredDays(t *testing.T, client *dynamodb.Client, analytics string) DayCounts {
	t.Helper()
	stored := DayCounts{}
	for _, item := range liststest.Scan(t, client, analytics) {
		for name := range item {
			if n := liststest.Number(item, name); n != 0 && name != "version" {
				stored.AddTo(liststest.Text(item, "sk"), n, name)
			}
		}
	}
	return stored
}

// addDays adds the day counters, which must be the sum of all histories, and their totals, which must count the
// resources.
func (f *fixture) addDays(want, got facts, items []liststest.Item) {
	f.t.Helper()
	stored, resources := StoredDays(f.t, f.Client, f.Analytics), DayCounts{}
	want.addDays("", HistoryDays(f.t, f.Histories(f.t.Context())))
	got.addDays("", stored)
	for _, item := range items {
		if strings.HasPrefix(liststest.Text(item, "pk"), f.Kind+"#") {
			r := Resource{Label: liststest.Text(item, f.Label), State: liststest.Text(item, f.State)}
			resources.AddTo("total", 1, f.Counted(r)...)
		}
	}
	want.addDays("resources in ", resources)
	for counter := range stored["total"] {
		if f.countsEvents(counter) {
			delete(stored["total"], counter)
		}
	}
	got.addDays("resources in ", DayCounts{"total": stored["total"]})
}

func (all facts) addDays(prefix string, counts DayCounts) {
	for day, counters := range counts {
		for name, n := range counters {
			all[prefix+day+" "+name] = fmt.Sprint(n)
		}
	}
}

// countsEvents reports whether a counter counts events and not resources.
func (s *Subject) countsEvents(counter string) bool {
	return s.Events != nil && slices.ContainsFunc(s.Labels, func(label string) bool {
		return slices.Contains(s.Events(Resource{}, Resource{Label: label}), counter)
	})
}
