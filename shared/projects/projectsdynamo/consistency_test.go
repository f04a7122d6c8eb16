package projectsdynamo_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// statuses are the positions of the labels in the counters.
var statuses = []string{"draft", "active", "on_hold", "completed", "archived"}

// check compares everything that the tables derive from the projects with the projects themselves: lists, all counters, terms,
// the sequence of numbers, and the daily counters, which must match the histories. It reads raw items and shares no code with the store.
// It returns the number of projects.
func (d *fixture) check(t *testing.T) int {
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
			expect(wanted, counted, item)
			addHistory(t, days, item)
		case kind == "gone":
			if len(item) != 3 {
				t.Errorf("%s has more than a history: %v", pk, item)
			}
			addHistory(t, days, item)
		case kind == "list":
			found[pk+" "+sk] = listed(item)
		case kind == "search":
			liststest.AddTerm(found, item)
		case sk == "sequence":
			next = liststest.Number(item, "next")
		case kind == "rank":
			counts.Read(item)
		}
	}
	if next <= last {
		t.Errorf("the next number is %d, but a project has number %d", next, last)
	}
	counted.AddTo(wanted)
	counts.AddTo(found)
	days.AddTo(wanted)
	d.days(t).AddTo(found)
	liststest.Compare(t, wanted, found)
	return projects
}

// expect adds what the table must have for a project.
func expect(wanted map[string]string, counted liststest.Counts, project liststest.Item) {
	number, status := liststest.Number(project, "number"), liststest.Text(project, "status")
	id, name := liststest.Text(project, "id"), liststest.Text(project, "name")
	liststest.AddTerms(wanted, id, "", name)
	for _, tree := range trees(project) {
		scope := strings.TrimPrefix(tree, "projects")
		for _, list := range []string{"all", status} {
			wanted[fmt.Sprintf("list%s#%s %010d", scope, list, number)] = listed(project)
		}
		liststest.AddTermsIn(strings.TrimPrefix(scope, "#"), wanted, id, search.Terms("", name))
		counted.Count(tree, number, slices.Index(statuses, status))
	}
}

// trees returns the names of the counters that include a project.
func trees(project liststest.Item) []string {
	if customer := liststest.Text(project, "customer"); customer != "" {
		return []string{"projects", "projects#" + customer}
	}
	return []string{"projects"}
}

func listed(item liststest.Item) string {
	return fmt.Sprintf("%s %s %q %q %s %s %d", liststest.Text(item, "customer"), liststest.Text(item, "id"), liststest.Text(item, "name"),
		liststest.Text(item, "description"), liststest.Text(item, "status"), liststest.Text(item, "owner"), liststest.Number(item, "created"))
}

// addHistory adds a project's history to the daily counts and their totals.
func addHistory(t *testing.T, days liststest.Counts, item liststest.Item) {
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
		t.Errorf("the history of %s ends with the counters %v", liststest.Text(item, "pk"), before)
	}
}

func add(days liststest.Counts, day, counter string, n int64) {
	for _, name := range []string{"counts " + day + " " + counter, "counts total " + counter} {
		if days[name] += n; days[name] == 0 {
			delete(days, name)
		}
	}
}

// days reads the counters in the analytics table, except zeros and versions.
func (d *fixture) days(t *testing.T) liststest.Counts {
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
