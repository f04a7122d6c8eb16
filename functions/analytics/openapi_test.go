package main

import (
	"encoding/json"
	"slices"
	"testing"

	"portside/shared/analytics"
	"portside/shared/projects"
	"portside/shared/testkit/webtest"
)

// The golden file is this function's part of openapi.yaml; `make generate` merges the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}

// The test compares the names in struct tags, and the project statuses of another package, with
// those of the analytics package.
func TestEnumsMatchDomain(t *testing.T) {
	text, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name   string
					Schema struct {
						Enum  []string
						Items struct{ Enum []string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"metric": toStrings(analytics.AllMetrics()), "metrics": toStrings(analytics.AllMetrics()),
		"period": toStrings(analytics.PeriodKinds()), "compare": toStrings(analytics.Comparisons()),
		"by": {string(analytics.Artifacts), string(analytics.People)},
	}
	for path, item := range document.Paths {
		for _, p := range item.Get.Parameters {
			if known := want[p.Name]; known != nil && !slices.Equal(append(p.Schema.Enum, p.Schema.Items.Enum...), known) {
				t.Errorf("%s: %s has the values %v, want %v", path, p.Name, p.Schema.Enum, known)
			}
		}
	}
	if got := toStrings(projects.Statuses()); !slices.Equal(got, analytics.ProjectStatuses()) {
		t.Errorf("projects have the statuses %v, but the dashboard has %v", got, analytics.ProjectStatuses())
	}
}

func toStrings[T ~string](names []T) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}
