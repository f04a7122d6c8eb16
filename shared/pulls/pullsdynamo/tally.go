package pullsdynamo

import (
	"strconv"
	"strings"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/pulls"
)

// tally has the pulls of a window: of each day by kind, and of each artifact and user by day.
type tally struct {
	days    map[calendar.Day]map[pulls.Kind]int64
	objects map[object]map[calendar.Day]int64
}

// object is an artifact or a user in a month.
type object struct {
	name  string // such as chart#product or person#<owner>
	month string // such as 2026-11
}

func newTally() *tally {
	return &tally{days: map[calendar.Day]map[pulls.Kind]int64{}, objects: map[object]map[calendar.Day]int64{}}
}

const person = "person"

// add counts the pulls that clients asked for by name.
func (t *tally) add(all []pulls.Pull) {
	for _, p := range all {
		if p.ByDigest() {
			continue
		}
		day := calendar.DayOf(p.At)
		if t.days[day] == nil {
			t.days[day] = map[pulls.Kind]int64{}
		}
		t.days[day][p.Kind]++
		t.count(string(p.Kind)+"#"+p.Repository, day)
		t.count(person+"#"+p.OwnerID, day)
	}
}

func (t *tally) count(name string, day calendar.Day) {
	o := object{name, day.Begin().Format(monthLayout)}
	if t.objects[o] == nil {
		t.objects[o] = map[calendar.Day]int64{}
	}
	t.objects[o][day]++
}

// ranking returns the kind of rankings that the object is in.
func (o object) ranking() string {
	if strings.HasPrefix(o.name, person+"#") {
		return person
	}
	return "artifact"
}

// dayAttribute names the attribute of a day in the item of an object.
func dayAttribute(day calendar.Day) string { return day.Begin().Format("d02") }

// spanOf returns the span whose pulls an attribute counts, or false for other attributes.
func (o object) spanOf(attribute string) (string, bool) {
	if attribute == sumAttribute {
		return o.month, true
	}
	number, isDay := strings.CutPrefix(attribute, "d")
	if n, err := strconv.Atoi(number); !isDay || err != nil || n == 0 || len(number) != len("01") {
		return "", false
	}
	return o.month + "-" + number, true
}

// spans returns the month and the days of the given counts.
func (o object) spans(days map[calendar.Day]int64) []string {
	all := []string{o.month}
	for day := range days {
		all = append(all, day.Begin().Format(time.DateOnly))
	}
	return all
}
