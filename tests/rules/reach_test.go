package rules_test

import (
	"go/ast"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// bareChecks are the places that ask for a permission without asking whose resource it is for, each with the reason why
// they may.
var bareChecks = map[string]string{
	"shared/core/principal/customer.go": "CanFor and CanForAll build on it",
	"shared/web/authenticate.go":        "checks the permission of an operation; the domain checks whose resource it is",
	"shared/users/keys.go":              "reads the user or the key afterward, which must exist for the caller",
	"shared/tokens/tokens.go":           "reads the owner afterward, who must exist for the caller",
	"functions/analytics/pulls.go":      "an operation that is only for the vendor's staff",
}

// TestDomainsAskWhoseResourceItIs finds checks of a permission that would give users of a customer the resources of
// others: rules about resources call CanFor or CanForAll of principal.Principal.
func TestDomainsAskWhoseResourceItIs(t *testing.T) {
	unused := map[string]bool{}
	for path := range bareChecks {
		unused[path] = true
	}
	for _, folder := range []string{"functions", "shared"} {
		for path, file := range parseCode(t, os.DirFS(root), folder) {
			if !checksBarely(file) {
				continue
			}
			if bareChecks[path] == "" {
				t.Errorf("%s calls Can: call CanFor or CanForAll, or add the file and a reason to bareChecks", path)
			}
			delete(unused, path)
		}
	}
	for path := range unused {
		t.Run(path, func(t *testing.T) {
			t.Errorf("%s no longer calls Can: remove it from bareChecks", path)
		})
	}
}

// checksBarely reports whether a file calls a method Can.
func checksBarely(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if isCall {
			method, isMethod := call.Fun.(*ast.SelectorExpr)
			found = found || isMethod && method.Sel.Name == "Can"
		}
		return true
	})
	return found
}

func TestBareChecksAreFound(t *testing.T) {
	for body, want := range map[string]bool{
		"caller.Can(principal.TokensRead)": true, "caller.CanFor(p, id)": false, "caller.CanForAll(p)": false,
		"Can(p)": false,
	} {
		t.Run(body, func(t *testing.T) {
			source := "package a\nfunc f() { " + strings.ReplaceAll(body, "\n", " ") + " }\n"
			tree := fstest.MapFS{"a/a.go": &fstest.MapFile{Data: []byte(source)}}
			if got := checksBarely(parseCode(t, tree, "a")["a/a.go"]); got != want {
				t.Errorf("%s: found %v, want %v", body, got, want)
			}
		})
	}
}
