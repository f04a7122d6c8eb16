package main

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
)

const guide = "../../docs/audit.md"

// exampleResponse matches an example request of the guide and the response below it.
var exampleResponse = regexp.MustCompile("(?s)\n```sh\ncurl [^\"]*\"\\$PORTSIDE_URL([^\"]*)\"\n```\n\n```json\n(.*?)\n```\n")

// The test sends the requests of docs/audit.md and compares the responses with the printed ones. With -update it writes
// the responses.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	s := newTestService(t)
	s.story()
	reader, examples := s.as(principal.Manager), 0
	update := flag.Lookup("update").Value.String() == "true"
	updated := exampleResponse.ReplaceAllStringFunc(string(text), func(example string) string {
		examples++
		parts := exampleResponse.FindStringSubmatch(example)
		got, _ := reader.Get(parts[1]).JSON("").(map[string]any)
		if pagination, _ := got["pagination"].(map[string]any); pagination["next"] != nil {
			pagination["next"] = "…"
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
	if all := strings.Count(updated, "\n```json\n"); examples != all || all < 2 {
		t.Errorf("the test found %d of the %d responses in the guide", examples, all)
	}
	if update {
		if err := os.WriteFile(guide, []byte(updated), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// printJSON formats JSON as in the guide: indented, with small objects on one line.
func printJSON(t *testing.T, value map[string]any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return flatValue.ReplaceAllStringFunc(string(text), func(value string) string {
		return strings.NewReplacer("{ ", "{", " }", "}").Replace(strings.Join(strings.Fields(value), " "))
	})
}

// flatValue matches an object that contains no other object or list.
var flatValue = regexp.MustCompile(`\{\n[^{}\[\]]*\}`)

// actionRow matches a row of the guide's table of actions.
var actionRow = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)` \\| \\S.* \\|$")

func TestGuideDescribesEachAction(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	var described []audit.Action
	for _, row := range actionRow.FindAllStringSubmatch(string(text), -1) {
		described = append(described, audit.Action(row[1]))
	}
	if diff := cmp.Diff(audit.Actions(), described); diff != "" {
		t.Errorf("the actions (-defined +described): %s", diff)
	}
}
