package main

import (
	"encoding/json"
	"slices"
	"testing"

	"portside/shared/analytics"
	"portside/shared/projects"
	"portside/shared/testkit/webtest"
)

// TestDocument keeps this function's part of openapi.yaml; `make generate` writes it and merges the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}

// TestListsAgree compares the names that stand in tags, and those of another domain, with what the domain knows.
func TestListsAgree(t *testing.T) {
	text, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct {
					Name   string
					Schema struct{ Enum []string }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"metric": plain(analytics.AllMetrics()), "period": plain(analytics.Kinds())}
	for path, item := range document.Paths {
		for _, p := range item.Get.Parameters {
			if known := want[p.Name]; known != nil && !slices.Equal(p.Schema.Enum, known) {
				t.Errorf("%s: %s is one of %v, want %v", path, p.Name, p.Schema.Enum, known)
			}
		}
	}
	if got := plain(projects.Statuses()); !slices.Equal(got, analytics.ProjectStatuses()) {
		t.Errorf("projects have the statuses %v, the dashboard %v", got, analytics.ProjectStatuses())
	}
}

func plain[T ~string](names []T) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}
