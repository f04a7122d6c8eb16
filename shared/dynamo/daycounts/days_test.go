package daycounts_test

import (
	"testing"
	"time"

	"portside/shared/dynamo/daycounts"
	"portside/shared/testkit/awstest"
)

func TestDaysSortAsTheyFollowEachOther(t *testing.T) {
	zone := time.FixedZone("UTC-12", -12*3600)
	var previous daycounts.Day
	for midnight := range awstest.Days() {
		day := daycounts.DayOf(midnight)
		if last := daycounts.DayOf(midnight.Add(24*time.Hour - 1).In(zone)); last != day || day <= previous {
			t.Errorf("%s ends as %s, and follows %s", day, last, previous)
		}
		previous = day
	}
}

// A thing that changes in the first and in the last moment of each day has a mark for each day.
func TestALifeOf400Days(t *testing.T) {
	var life daycounts.Life
	days := 0
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(24*time.Hour - time.Nanosecond)} {
			life = life.On(at, []string{"users"}, "changed")
		}
		days++
	}
	if len(life) != days {
		t.Errorf("%d marks for %d days", len(life), days)
	}
	read, err := daycounts.ParseLife(life.String())
	if err != nil || read.String() != life.String() {
		t.Errorf("read as %v, %v", read, err)
	}
	changes := life.Changes()
	for midnight := range awstest.Days() {
		if n := changes[daycounts.DayOf(midnight)]["changed"]; n != 2 {
			t.Errorf("%d changes on %s", n, daycounts.DayOf(midnight))
		}
	}
	if sum := changes.Sum(); sum["changed"] != int64(2*days) || sum["users"] != 1 {
		t.Errorf("in all: %v", sum)
	}
}
