package main

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/core/principal"
)

const guide = "../../docs/analytics.md"

// guideExample matches a request in the guide and the response printed below it.
var guideExample = regexp.MustCompile("(?s)\n```sh\ncurl [^\"]*\"\\$PORTSIDE_URL([^\"]*)\"\n```\n\n```json\n(.*?)\n```\n")

// TestGuideExamplesMatchResponses sends the requests in docs/analytics.md and compares the responses with those in
// the guide. With -update it writes the responses into the guide.
func TestGuideExamplesMatchResponses(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	b := newFixture(t)
	b.addSampleData()
	reader, examples := b.withRole(principal.Viewer), 0
	update := flag.Lookup("update").Value.String() == "true"
	again := guideExample.ReplaceAllStringFunc(string(text), func(example string) string {
		examples++
		parts := guideExample.FindStringSubmatch(example)
		got, _ := reader.Get(parts[1]).JSON("").(map[string]any)
		if got["requestId"] != nil {
			got["requestId"] = "0HN4bRs0oAMEJ1w=" // an ID of API Gateway
		}
		if update {
			return strings.Replace(example, parts[2], guideJSON(t, got), 1)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(parts[2]), &want); err != nil {
			t.Fatalf("%v: %s", err, parts[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-guide +response): %s", parts[1], diff)
		}
		return example
	})
	if all := strings.Count(again, "\n```json\n"); examples != all || all < 4 {
		t.Errorf("%d of the %d responses in the guide were checked", examples, all)
	}
	if update {
		if err := os.WriteFile(guide, []byte(again), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, metric := range analytics.AllMetrics() {
		if !strings.Contains(again, "`"+string(metric)+"`") {
			t.Errorf("the metric %s is not in the guide", metric)
		}
	}
}

// guideJSON returns JSON in the format of the guide: indented, with innermost objects on one line.
func guideJSON(t *testing.T, value map[string]any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return innermostObject.ReplaceAllStringFunc(string(text), func(object string) string {
		return strings.NewReplacer("{ ", "{", " }", "}").Replace(strings.Join(strings.Fields(object), " "))
	})
}

// innermostObject matches an object that contains no other.
var innermostObject = regexp.MustCompile(`\{\n[^{}\[\]]*\}`)

// row matches a period in the guide's table.
var row = regexp.MustCompile("(?m)^\\| (\\d\\S+) \\| `(\\w+)` \\| (\\S+) to (\\S+) \\| (\\S+) to (\\S+) \\| (.*) \\|$")

// TestGuidePeriodsAreInTheList checks that each period in the guide's table is in the list that the guide links to.
func TestGuidePeriodsAreInTheList(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.Open("../../shared/analytics/testdata/periods.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = list.Close() }()
	known, err := csv.NewReader(list).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(text), -1)
	for _, r := range rows {
		want := slices.Concat(r[1:3], []string{"", ""}, r[3:])
		if !slices.ContainsFunc(known, func(k []string) bool { return slices.Equal(k, want) }) {
			t.Errorf("%v is not in the list", want)
		}
	}
	if len(rows) < 5 {
		t.Errorf("only %d rows were checked", len(rows))
	}
}
