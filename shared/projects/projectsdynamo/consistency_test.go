package projectsdynamo_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/shared/testkit/liststest"
)

// statuses are the positions of the labels in the counters.
var statuses = []string{"draft", "active", "on_hold", "completed", "archived"}

// check compares everything that the tables derive from the projects with the projects themselves: lists, every single counter,
// the sequence of numbers, and the counters of days with the lives. It reads the raw items and shares no code with the store.
// It returns the number of projects.
func (d *desk) check(t *testing.T) int {
	t.Helper()
	wanted, found := map[string]string{}, map[string]string{}
	counted, counts := liststest.Counts{}, liststest.Counts{}
	days := liststest.Counts{}
	projects, last, next := 0, int64(-1), int64(0)
	for _, item := range liststest.Scan(t, d.client, d.table) {
		pk, sk := liststest.Text(item, "pk"), liststest.Text(item, "sk")
		switch kind, _, _ := strings.Cut(pk, "#"); {
		case kind == "project":
			projects++
			number := liststest.Number(item, "number")
			last = max(last, number)
			for _, list := range []string{"all", liststest.Text(item, "status")} {
				wanted[fmt.Sprintf("list#%s %010d", list, number)] = listed(item)
			}
			counted.Count("projects", number, slices.Index(statuses, liststest.Text(item, "status")))
			live(t, days, item)
		case kind == "gone":
			if len(item) != 3 {
				t.Errorf("more than a life is left of %s: %v", pk, item)
			}
			live(t, days, item)
		case kind == "list":
			found[pk+" "+sk] = listed(item)
		case sk == "rank":
			counts.Read(item)
		case sk == "sequence":
			next = liststest.Number(item, "next")
		}
	}
	if next <= last {
		t.Errorf("the sequence gives out %d next; a project has %d", next, last)
	}
	counted.AddTo(wanted)
	counts.AddTo(found)
	days.AddTo(wanted)
	d.days(t).AddTo(found)
	liststest.Compare(t, wanted, found)
	return projects
}

func listed(item liststest.Item) string {
	return fmt.Sprintf("%s %q %q %s %s %d", liststest.Text(item, "id"), liststest.Text(item, "name"),
		liststest.Text(item, "description"), liststest.Text(item, "status"), liststest.Text(item, "owner"), liststest.Number(item, "created"))
}

// live adds what a life says to the days and to their sum.
func live(t *testing.T, days liststest.Counts, item liststest.Item) {
	t.Helper()
	var before []string
	for line := range strings.Lines(liststest.Text(item, "life")) {
		words := strings.Fields(line)
		var as []string
		for _, word := range words[1:] {
			event, is := strings.CutPrefix(word, "+")
			if !is {
				as = append(as, word)
				continue
			}
			event, times, _ := strings.Cut(event, "*")
			n, _ := strconv.ParseInt(times, 10, 64)
			add(days, words[0], event, max(n, 1))
		}
		for _, counter := range as {
			add(days, words[0], counter, 1)
		}
		for _, counter := range before {
			add(days, words[0], counter, -1)
		}
		before = as
	}
	if (len(before) == 0) != strings.HasPrefix(liststest.Text(item, "pk"), "gone#") {
		t.Errorf("%s ends its life as %v", liststest.Text(item, "pk"), before)
	}
}

func add(days liststest.Counts, day, counter string, n int64) {
	for _, name := range []string{"counts " + day + " " + counter, "counts total " + counter} {
		if days[name] += n; days[name] == 0 {
			delete(days, name)
		}
	}
}

// days reads the counters of the table of analytics, other than zero and other than how often they were written.
func (d *desk) days(t *testing.T) liststest.Counts {
	t.Helper()
	found := liststest.Counts{}
	for _, item := range liststest.Scan(t, d.client, d.analytics) {
		for name := range item {
			if n := liststest.Number(item, name); n != 0 && name != "version" {
				found[liststest.Text(item, "pk")+" "+liststest.Text(item, "sk")+" "+name] = n
			}
		}
	}
	return found
}
