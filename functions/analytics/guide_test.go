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

// exampleResponse matches an example request of the guide and the response below it.
var exampleResponse = regexp.MustCompile("(?s)\n```sh\ncurl [^\"]*\"\\$PORTSIDE_URL([^\"]*)\"\n```\n\n```json\n(.*?)\n```\n")

// The test sends the requests of docs/analytics.md and compares the responses with the printed
// ones. With -update it writes the responses.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	b := newTestService(t)
	b.story()
	reader, examples := b.as(principal.Viewer), 0
	update := flag.Lookup("update").Value.String() == "true"
	updated := exampleResponse.ReplaceAllStringFunc(string(text), func(example string) string {
		examples++
		parts := exampleResponse.FindStringSubmatch(example)
		got, _ := reader.Get(parts[1]).JSON("").(map[string]any)
		if got["requestId"] != nil {
			got["requestId"] = "0HN4bRs0oAMEJ1w=" // an example of API Gateway's IDs
		}
		if update {
			return strings.Replace(example, parts[2], printJSON(t, got), 1)
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
	if all := strings.Count(updated, "\n```json\n"); examples != all || all < 4 {
		t.Errorf("the test found %d of the %d responses in the guide", examples, all)
	}
	if update {
		if err := os.WriteFile(guide, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, metric := range analytics.AllMetrics() {
		if !strings.Contains(updated, "`"+string(metric)+"`") {
			t.Errorf("the guide does not mention the metric %s", metric)
		}
	}
}

// printJSON formats JSON as in the guide: indented, with small objects and lists on one line.
func printJSON(t *testing.T, value map[string]any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return flatValue.ReplaceAllStringFunc(string(text), func(value string) string {
		return strings.NewReplacer("{ ", "{", " }", "}", "[ ", "[", " ]", "]").
			Replace(strings.Join(strings.Fields(value), " "))
	})
}

// flatValue matches an object or a list that contains no other object or list.
var flatValue = regexp.MustCompile(`\{\n[^{}\[\]]*\}|\[\n[^{}\[\]]*\]`)

// periodRow matches a row of the guide's table of periods.
var periodRow = regexp.MustCompile("(?m)^\\| (\\d\\S+) \\| `(\\w+)` \\| (\\S+) to (\\S+) \\| (\\S+) to (\\S+) \\| (.*) \\|$")

// The test looks up each row of the guide's table of periods in the list that the guide links to.
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
	rows := periodRow.FindAllStringSubmatch(string(text), -1)
	for _, r := range rows {
		want := slices.Concat(r[1:3], []string{"", ""}, r[3:])
		if !slices.ContainsFunc(known, func(k []string) bool { return slices.Equal(k, want) }) {
			t.Errorf("periods.csv has no row %v", want)
		}
	}
	if len(rows) < 5 {
		t.Errorf("found only %d rows in the guide", len(rows))
	}
}

// unitRow matches a row of the guide's table of calendar units.
var unitRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\S+) \\| (\\S+ to \\S+) \\| (\\S+ to \\S+) \\|")

func TestCalendarUnitsOfTheGuide(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	rows := unitRow.FindAllStringSubmatch(string(text), -1)
	for _, r := range rows {
		today := optionalDay(r[2])
		if today == nil {
			t.Fatalf("%s is no day", r[2])
		}
		period, err := analytics.PeriodQuery{Kind: analytics.PeriodKind(r[1])}.Resolve(*today)
		if err != nil {
			t.Fatal(err)
		}
		before, _ := period.UnitBefore(*today)
		for i, p := range []analytics.Period{period, before} {
			if got := p.First.String() + " to " + p.Last.String(); got != r[3+i] {
				t.Errorf("%v: got %s", r, got)
			}
		}
	}
	if len(rows) < 5 {
		t.Errorf("found only %d rows in the guide", len(rows))
	}
}
