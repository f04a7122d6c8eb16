package analytics

import (
	"maps"

	"portside/shared/core/calendar"
)

// Counters are numbers by name. Users have "users", "users:<status>" and "role:<role>"; projects
// have "projects" and "project:<status>". "created" and "archived" count what happened to projects.
type Counters map[string]int64

// Counts are the current counters and their changes by day.
type Counts struct {
	Now     Counters
	Changes map[calendar.Day]Counters // how much each counter changed on the day
}

// At returns the counters at the end of a day: how many users and projects there were. The day must
// not be earlier than the day before the first one that Changes covers. "created" and "archived"
// count events of a day, so their values here have no meaning.
func (c Counts) At(day calendar.Day) Counters {
	counters := Counters{}
	maps.Copy(counters, c.Now)
	for changed, change := range c.Changes {
		if changed > day {
			counters.add(change, -1)
		}
	}
	return counters
}

// minus returns the counters without a change.
func (c Counters) minus(change Counters) Counters {
	before := maps.Clone(c)
	before.add(change, -1)
	return before
}

// add adds a change the given number of times.
func (c Counters) add(change Counters, times int64) {
	for name, n := range change {
		c[name] += times * n
	}
}
