package resourcetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"portside/shared/core/audit"
	"portside/shared/core/search"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/liststest"
)

// facts are what a table must have, or has: markers, entries of lists, terms, counters. The keys say what and where.
type facts map[string]string

// check fails the test if anything in the tables disagrees with the resources. It returns how many resources there are.
func (f *fixture) check() int {
	f.t.Helper()
	n, problems := f.problems()
	if len(problems) > 0 {
		f.t.Errorf("the tables disagree with the resources:\n%s", strings.Join(problems, "\n"))
	}
	return n
}

// problems compares everything that the tables have because of their resources with the resources, and returns the
// differences.
func (f *fixture) problems() (resources int, problems []string) {
	f.t.Helper()
	want, got := facts{}, facts{}
	counted, counts := liststest.Counts{}, liststest.Counts{}
	last, next := int64(-1), int64(0)
	versions := map[string]int64{}
	items := liststest.Scan(f.t, f.Client, f.Table)
	for _, item := range items {
		pk, sk := liststest.Text(item, "pk"), liststest.Text(item, "sk")
		switch kind, _, _ := strings.Cut(pk, "#"); {
		case kind == f.Kind:
			last = max(last, liststest.Number(item, "number"))
			versions[liststest.Text(item, "id")] = liststest.Number(item, "version")
			f.expect(want, counted, item)
		case kind == "gone" && len(item) != 3:
			problems = append(problems, fmt.Sprintf("%s has more than a key and a history: %v", pk, item))
		case kind == "list":
			got[pk+" "+sk] = shown(item, slices.Sorted(maps.Keys(item)))
		case kind == "search":
			liststest.AddTerm(got, item)
		case kind == "rank" && sk == "sequence":
			next = liststest.Number(item, "next")
		case kind == "rank":
			counts.Read(item)
		case slices.ContainsFunc(f.Uniques, func(u Unique) bool { return u.Marker == kind }):
			got[pk+" "+sk] = liststest.Text(item, f.Owner)
		}
	}
	if next <= last {
		problems = append(problems, fmt.Sprintf("the next number is %d, but a resource has number %d", next, last))
	}
	counted.AddTo(want)
	counts.AddTo(got)
	if f.Counted != nil {
		f.addDays(want, got, items)
	}
	if f.Derive != nil {
		f.Derive(f.t, items, want, got)
	}
	problems = append(problems, differences(want, got)...)
	return len(versions), append(problems, f.auditProblems(versions)...)
}

// expect adds the items and counts that the tables must have for a resource.
func (f *fixture) expect(want facts, counted liststest.Counts, item liststest.Item) {
	id, number := liststest.Text(item, "id"), liststest.Number(item, "number")
	label, state := liststest.Text(item, f.Label), liststest.Text(item, f.State)
	var unique []string
	for _, u := range f.Uniques {
		value := liststest.Text(item, u.Attribute)
		if unique = append(unique, value); value != "" {
			want[u.Marker+"#"+value+" "+u.Marker] = id
		}
	}
	terms := search.TermsOf(liststest.Text(item, "name"), unique...)
	for _, customer := range slices.Compact([]string{"", liststest.Text(item, "customer")}) {
		prefix, tree := "list#", f.Lists
		if customer != "" {
			prefix, tree = prefix+customer+"#", tree+"#"+customer
		}
		for _, list := range []string{"all", label} {
			key := fmt.Sprintf(" %010d", number)
			want[prefix+list+key] = shown(item, f.Form)
			if state != "" {
				want[prefix+list+"#"+state+key] = shown(item, f.Form)
			}
		}
		liststest.AddTermsIn(customer, want, id, terms)
		counted.CountState(tree, number, slices.Index(f.Labels, label), max(0, slices.Index(f.States, state)))
	}
}

// shown returns some attributes of an item as text. It leaves out the key, and attributes that the item lacks.
func shown(item liststest.Item, attributes []string) string {
	var all []string
	for _, name := range slices.Sorted(slices.Values(attributes)) {
		if value := item[name]; value != nil && name != "pk" && name != "sk" {
			all = append(all, fmt.Sprintf("%s %v", name, value))
		}
	}
	return strings.Join(all, ", ")
}

// auditProblems replays the audit events of each resource. Each event must begin where the one before it ended, and the
// last one must end at the version of the resource, or with a deletion.
func (f *fixture) auditProblems(versions map[string]int64) (problems []string) {
	f.t.Helper()
	byID := map[string][]audit.Event{}
	for _, event := range audittest.Events(f.t, f.Client, f.Log) {
		if string(event.Target.Kind) == f.Kind {
			byID[event.Target.ID] = append(byID[event.Target.ID], event)
		}
	}
	for id := range versions {
		if byID[id] == nil {
			problems = append(problems, id+" has no audit event")
		}
	}
	for id, events := range byID {
		slices.SortFunc(events, func(a, b audit.Event) int { return cmp.Compare(versionAfter(a), versionAfter(b)) })
		now := audit.Fields{}
		for _, event := range events {
			for name, was := range event.Before {
				if string(now[name]) != string(was) {
					problems = append(problems,
						fmt.Sprintf("%s of %s changes %s from %s, but it was %s", event.Action, id, name, was, now[name]))
				}
				delete(now, name)
			}
			maps.Copy(now, event.After)
		}
		if want, exists := versions[id]; exists && string(now["version"]) != fmt.Sprint(want) || !exists && len(now) > 0 {
			problems = append(problems, fmt.Sprintf("the audit events of %s end with %s, want version %d", id, now, want))
		}
	}
	return problems
}

// versionAfter returns the version that an event leaves. A deletion comes after all other events.
func versionAfter(event audit.Event) int64 {
	var version int64
	if err := json.Unmarshal(event.After["version"], &version); err != nil {
		return 1 << 62
	}
	return version
}

// differences returns a line for each fact that is not as it should be.
func differences(want, got facts) (lines []string) {
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if want[name] != got[name] {
			lines = append(lines, fmt.Sprintf("%s is %q, want %q", name, got[name], want[name]))
		}
	}
	return lines
}
