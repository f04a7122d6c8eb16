package errorcode_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/shared/core/errorcode"
)

func TestEveryConstantHasOneDescription(t *testing.T) {
	described := map[string]int{}
	for _, d := range errorcode.All() {
		described[string(d.Code)]++
	}
	constants := declaredCodes(t)
	for _, code := range constants {
		if described[code] != 1 {
			t.Errorf("%s has %d descriptions, want 1", code, described[code])
		}
	}
	if undeclared := len(described) - len(constants); undeclared != 0 {
		t.Errorf("%v is described, and %v is declared", slices.Sorted(maps.Keys(described)), constants)
	}
}

// declaredCodes returns the texts of the constants.
func declaredCodes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "errorcode.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, isValue := node.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		if name, isNamed := spec.Type.(*ast.Ident); isNamed && name.Name == "Code" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, text)
		}
		return true
	})
	return codes
}

func TestDescriptionsAreCompleteAndOrdered(t *testing.T) {
	all := errorcode.All()
	for _, d := range all {
		if d.Status < 400 || d.Status > 599 || d.Code.Status() != d.Status {
			t.Errorf("%s has the status %d, and its description %d", d.Code, d.Code.Status(), d.Status)
		}
		for _, text := range []string{d.Meaning, d.Action} {
			if !strings.HasSuffix(text, ".") || strings.ContainsAny(text, "|<>") || strings.Count(text, "`")%2 != 0 {
				t.Errorf("%s: %q does not fit in a table", d.Code, text)
			}
		}
	}
	if !slices.IsSortedFunc(all, func(a, b errorcode.Description) int { return cmp.Compare(a.Status, b.Status) }) {
		t.Error("the descriptions are not ordered by status")
	}
}

func TestUnknownCodeIsAnInternalError(t *testing.T) {
	if got := errorcode.Code("NOTHING").Status(); got != errorcode.InternalError.Status() {
		t.Errorf("an unknown code has the status %d", got)
	}
}
