package invariants

import (
	"fmt"
	"slices"
	"strings"

	"portside/shared/core/search"
	"portside/shared/testkit/liststest"
)

// statuses are the statuses of projects, in the order of their counters.
var statuses = []string{"draft", "active", "on_hold", "completed", "archived"}

// checkProjects compares the lists, the counters, the terms of searches and the sequence of numbers with the projects.
func checkProjects(broken *report, all []row) {
	wanted, found := map[string]string{}, map[string]string{}
	counted, counts := liststest.Counts{}, liststest.Counts{}
	made := map[string]string{}
	for _, item := range all {
		switch item.kind() {
		case "project":
			expectProject(wanted, counted, item)
		case "list":
			found[item.PK+" "+item.SK] = listedProject(item)
		case "search":
			liststest.AddTerm(found, item.raw)
		case "rank":
			counts.Read(item.raw)
		case "once":
			checkEffect(broken, "projects", made, item)
		}
	}
	counted.AddTo(wanted)
	counts.AddTo(found)
	compare(broken, "projects", wanted, found)
	checkProjectNumbers(broken, all)
}

// expectProject adds what the table must have for a project.
func expectProject(wanted map[string]string, counted liststest.Counts, project row) {
	scopes := []string{""}
	if of := customerOf(project); of != "" {
		scopes = append(scopes, "#"+of)
	}
	for _, scope := range scopes {
		for _, list := range []string{"all", project.Status} {
			wanted[fmt.Sprintf("list%s#%s %010d", scope, list, project.Number)] = listedProject(project)
		}
		liststest.AddTermsIn(strings.TrimPrefix(scope, "#"), wanted, project.ID, search.Terms("", project.Name))
		counted.Count("projects"+scope, project.Number, slices.Index(statuses, project.Status))
	}
}

// checkProjectNumbers checks that the next number was never given to a project.
func checkProjectNumbers(broken *report, all []row) {
	next := int64(0)
	for _, item := range all {
		if item.kind() == "rank" && item.SK == "sequence" {
			next = liststest.Number(item.raw, "next")
		}
	}
	for _, item := range all {
		if item.kind() == "project" && item.Number >= next {
			broken.add("projects: the next number is %d, but %s has number %d", next, item.ID, item.Number)
		}
	}
}

func listedProject(r row) string {
	return fmt.Sprintf("%s %s %q %q %s %s %d", r.ID, customerOf(r), r.Name, liststest.Text(r.raw, "description"), r.Status,
		r.Owner, r.Created)
}
