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

// answered is an example of the guide, and the answer that is printed under it.
var answered = regexp.MustCompile("(?s)\n```sh\ncurl [^\"]*\"\\$PORTSIDE_URL([^\"]*)\"\n```\n\n```json\n(.*?)\n```\n")

// TestGuide asks what docs/analytics.md asks, and compares with what it prints. Run with -update, it writes the answers.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	b := newBoard(t)
	b.story()
	reader, examples := b.as(principal.Viewer), 0
	update := flag.Lookup("update").Value.String() == "true"
	again := answered.ReplaceAllStringFunc(string(text), func(example string) string {
		examples++
		parts := answered.FindStringSubmatch(example)
		got, _ := reader.Get(parts[1]).JSON("").(map[string]any)
		if got["requestId"] != nil {
			got["requestId"] = "0HN4bRs0oAMEJ1w=" // as API Gateway makes them
		}
		if update {
			return strings.Replace(example, parts[2], printed(t, got), 1)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(parts[2]), &want); err != nil {
			t.Fatalf("%v: %s", err, parts[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-guide +answer): %s", parts[1], diff)
		}
		return example
	})
	if all := strings.Count(again, "\n```json\n"); examples != all || all < 4 {
		t.Errorf("%d of the %d answers are checked", examples, all)
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

// printed is JSON as the guide has it: indented, with what fits on a line on one.
func printed(t *testing.T, value map[string]any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return flat.ReplaceAllStringFunc(string(text), func(object string) string {
		return strings.NewReplacer("{ ", "{", " }", "}").Replace(strings.Join(strings.Fields(object), " "))
	})
}

// flat is an object without another in it.
var flat = regexp.MustCompile(`\{\n[^{}\[\]]*\}`)

// row is a period in the guide's table.
var row = regexp.MustCompile("(?m)^\\| (\\d\\S+) \\| `(\\w+)` \\| (\\S+) to (\\S+) \\| (\\S+) to (\\S+) \\| (.*) \\|$")

// TestPeriodsOfTheGuide finds each period of the guide's table in the list that the guide links to.
func TestPeriodsOfTheGuide(t *testing.T) {
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
		t.Errorf("only %d rows are checked", len(rows))
	}
}
