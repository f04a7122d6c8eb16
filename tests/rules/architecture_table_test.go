package rules_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the import table to CONTRIBUTING.md")

// The lines of CONTRIBUTING.md between which the import table stands.
const (
	tableBegin = "<!-- Import table: written by `go test ./tests/rules -update` from its architecture_test.go -->\n"
	tableEnd   = "<!-- End of the import table -->\n"
)

func TestContributingHasTheImportTable(t *testing.T) {
	const guide = root + "/CONTRIBUTING.md"
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := strings.Cut(string(text), tableBegin)
	got, after, hasEnd := strings.Cut(rest, tableEnd)
	if !hasBegin || !hasEnd {
		t.Fatalf("%s lacks the line %q or %q", guide, tableBegin, tableEnd)
	}
	want := markdownTables()
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("the import table in %s differs from the rules in architecture_test.go; run go test ./tests/rules -update",
			guide)
	}
	if err := os.WriteFile(guide, []byte(before+tableBegin+want+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// markdownTables renders the rules, the exceptions and the module rules.
func markdownTables() string {
	var b strings.Builder
	b.WriteString("\n| Package | May import | Never |\n|---|---|---|\n")
	for _, r := range rules {
		dir := code(r.dir)
		if r.dir == "..." {
			dir = "everything else"
		}
		if r.files != "" {
			dir += ", " + code(r.files)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", dir, codeList(r.may), codeList(r.never))
	}
	b.WriteString("\n| Package | May also import | Reason |\n|---|---|---|\n")
	for _, e := range exceptions {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(e.dir), codeList(e.may), e.reason)
	}
	b.WriteString("\n| Module | Must not require | Reason |\n|---|---|---|\n")
	for _, r := range moduleRules {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(r.gomod), "`"+strings.Join(r.never, "`, `")+"`", r.reason)
	}
	b.WriteString("\n")
	return b.String()
}

func codeList(paths []string) string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = code(p)
	}
	return strings.Join(list, ", ")
}

// code formats a path as code, without the name of the module that all packages share. The named
// patterns, such as "standard library", are plain words.
func code(p string) string {
	if p == standard || p == thirdParty || p == awsSDK {
		return p
	}
	return "`" + strings.TrimPrefix(p, "portside/") + "`"
}
