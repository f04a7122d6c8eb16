package audit_test

import (
	"strings"
	"testing"

	"portside/shared/core/audit"
)

type form struct {
	Name     string `json:"name"`
	Metadata string `json:"metadata"`
	Version  int    `json:"version"`
}

// TestOnlyChangedFieldsAreDescribed also checks that characters of HTML stay as they are, which json.Marshal would
// write with six bytes.
func TestOnlyChangedFieldsAreDescribed(t *testing.T) {
	before, after, err := audit.Change{Before: form{"a", "<&>", 1}, After: form{"a", "<<>", 2}}.Describe()
	if err != nil || len(before) != 2 || len(after) != 2 {
		t.Fatalf("described as %s, before %s, %v", after, before, err)
	}
	if string(before["metadata"]) != `"<&>"` || string(after["metadata"]) != `"<<>"` || string(after["version"]) != "2" {
		t.Errorf("described as %s, before %s", after, before)
	}
}

func TestCreationsAndDeletionsHaveOneSide(t *testing.T) {
	before, after, err := audit.Change{After: form{Name: "a"}}.Describe()
	if err != nil || len(before) != 0 || len(after) != 3 {
		t.Errorf("a creation is described as %s, before %s, %v", after, before, err)
	}
	before, after, err = audit.Change{Before: form{Name: "a"}}.Describe()
	if err != nil || len(before) != 3 || len(after) != 0 {
		t.Errorf("a deletion is described as %s, before %s, %v", after, before, err)
	}
}

// TestLongFieldsAreHashed changes a field of 16 KB.
func TestLongFieldsAreHashed(t *testing.T) {
	long := form{Metadata: strings.Repeat("<", 16<<10)}
	_, after, err := audit.Change{Before: form{}, After: long}.Describe()
	const want = `{"bytes":16386,"sha256":"`
	if got := string(after["metadata"]); err != nil || !strings.HasPrefix(got, want) || len(got) != len(want)+64+2 {
		t.Errorf("the long field is described as %s, %v", got, err)
	}
	_, after, err = audit.Change{After: form{Metadata: strings.Repeat("x", 1022)}}.Describe()
	if err != nil || len(after["metadata"]) != 1024 {
		t.Errorf("the longest field is described as %s, %v", after["metadata"], err)
	}
}

// TestEachActionIsOfAKind checks that every action is kind.verb, and that none is listed twice.
func TestEachActionIsOfAKind(t *testing.T) {
	seen := map[audit.Action]bool{}
	for _, action := range audit.Actions() {
		kind, verb, _ := strings.Cut(string(action), ".")
		if kind == "" || verb == "" || seen[action] {
			t.Errorf("the action %q has no kind or verb, or is listed twice", action)
		}
		seen[action] = true
	}
}
