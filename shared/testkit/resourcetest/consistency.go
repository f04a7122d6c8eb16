package resourcetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"portside/shared/core/audit"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/liststest"
)

// facts are derived items and counters that tables have, or must have. A key says what and where.
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

// problems returns the differences between the resources and everything that is derived from them.
func (f *fixture) problems() (resources int, problems []string) {
	f.t.Helper()
	want, got, versions := facts{}, facts{}, map[string]int64{}
	items := liststest.Scan(f.t, f.Client, f.Table)
	for _, item := range items {
		if liststest.KindOf(item) == f.Kind {
			versions[liststest.Text(item, "id")] = liststest.Number(item, "version")
		}
	}
	if f.Counted != nil {
		f.addDays(want, got, items)
	}
	if f.Derive != nil {
		f.Derive(f.t, items, want, got)
	}
	return len(versions), append(f.shape().Compare(items, want, got), f.auditProblems(versions)...)
}

// shape returns how the table keeps the resources.
func (s *Subject) shape() liststest.Shape {
	shape := liststest.Shape{Kind: s.Kind, Lists: s.Lists, Form: s.Form, Owner: s.Owner, Label: s.Label, Labels: s.Labels,
		State: s.State, States: s.States, IsUnnamed: s.IsUnnamed}
	for _, u := range s.Uniques {
		shape.Markers = append(shape.Markers, liststest.Marker{Kind: u.Marker, Attribute: u.Attribute})
	}
	return shape
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
