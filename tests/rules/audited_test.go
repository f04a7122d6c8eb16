package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoresWriteAuditEvents checks that programs open the tables of credentials and projects with an audit log.
// Without Audited, a store works, but its changes have no events.
func TestStoresWriteAuditEvents(t *testing.T) {
	found := 0
	for _, pattern := range []string{"functions/*/*.go", "cmd/portside/*/*.go", "cmd/bench/*.go", "harness/office/*.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			all, audited := opensOf(t, path)
			found += len(all)
			for call, at := range all {
				if !audited[call] {
					t.Errorf("%s opens a table without Audited", at)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d places open tables whose changes are audited", found)
	}
}

// opensOf returns the calls in a file that open tables whose changes are audited, and the expressions to which the file
// applies Audited.
func opensOf(t *testing.T, path string) (all map[ast.Expr]token.Position, audited map[ast.Expr]bool) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all, audited = map[ast.Expr]token.Position{}, map[ast.Expr]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		selector, isSelector := node.(*ast.SelectorExpr)
		if isSelector && selector.Sel.Name == "Audited" {
			audited[selector.X] = true
		}
		call, isCall := node.(*ast.CallExpr)
		if !isCall {
			return true
		}
		if function, isSelector := call.Fun.(*ast.SelectorExpr); isSelector && function.Sel.Name == "New" {
			if of, isName := function.X.(*ast.Ident); isName && (of.Name == "credentialsdynamo" || of.Name == "projectsdynamo") {
				all[call] = files.Position(call.Pos())
			}
		}
		return true
	})
	return all, audited
}
