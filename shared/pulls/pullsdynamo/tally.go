package pullsdynamo

import (
	"portside/shared/core/calendar"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/pulls"
)

// tally has pulls: of each day by kind, and of each artifact and user by day.
type tally struct {
	days  map[calendar.Day]map[pulls.Kind]int64
	names map[string]pullcounts.Days
}

func newTally() *tally {
	return &tally{days: map[calendar.Day]map[pulls.Kind]int64{}, names: map[string]pullcounts.Days{}}
}

// add counts the pulls that clients asked for by name.
func (t *tally) add(all []pulls.Pull) {
	for _, p := range all {
		if p.ByDigest() {
			continue
		}
		day := calendar.DayOf(p.At)
		t.addTo(day, p.Kind, 1)
		t.count(pullcounts.Name(string(p.Kind), p.Repository), day)
		t.count(pullcounts.Name(pullcounts.Person, p.OwnerID), day)
	}
}

func (t *tally) addTo(day calendar.Day, kind pulls.Kind, n int64) {
	if t.days[day] == nil {
		t.days[day] = map[pulls.Kind]int64{}
	}
	t.days[day][kind] += n
}

func (t *tally) count(name string, day calendar.Day) {
	if t.names[name] == nil {
		t.names[name] = pullcounts.Days{}
	}
	t.names[name][day]++
}
