package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// unconditionalWrites are the calls that may write without a condition, by file and type of the input, with the reason.
var unconditionalWrites = map[string]string{
	"shared/credentials/credentialsdynamo/ratelimit.go UpdateItemInput": "adds to a counter; for sessions, the next lines add a condition",
	"shared/pulls/pullsdynamo/batch.go PutItemInput":                    "notes a batch as pending; putBatch decides whether it counts",
	"shared/pulls/pullsdynamo/checks.go UpdateItemInput":                "adds to a set, which is the same however often",
	"shared/pulls/pullsdynamo/window.go DeleteItemInput":                "removes a note of a batch whose window has counted it",
}

// TestWritesAreConditional checks calls that write one item. Other writes are parts of transactions.
func TestWritesAreConditional(t *testing.T) {
	found, err := findUnconditionalWrites(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for write, lines := range found {
		if unconditionalWrites[write] == "" {
			t.Errorf("%s has no ConditionExpression (lines %v)", write, lines)
		}
	}
	for write := range unconditionalWrites {
		if len(found[write]) != 1 {
			t.Errorf("unconditionalWrites has a reason for one %s, but the file has %d", write, len(found[write]))
		}
	}
}

// findUnconditionalWrites returns the lines of unconditional writes in production code, by file and type of the input.
func findUnconditionalWrites(tree fs.FS) (map[string][]int, error) {
	found := map[string][]int{}
	err := eachGoFile(tree, func(file string, src []byte) error {
		isForTests := strings.HasPrefix(file, "shared/testkit/") || strings.HasPrefix(file, "cmd/portside/portsidetest/")
		if strings.HasSuffix(file, "_test.go") || isForTests || strings.HasPrefix(file, "local/") {
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if input, ok := unconditionalInput(node); ok {
				key := fmt.Sprintf("%s %s", file, input)
				found[key] = append(found[key], files.Position(node.Pos()).Line)
			}
			return true
		})
		return nil
	})
	return found, err
}

// unconditionalInput returns the type of the input of a call that writes, if the node is one without a condition.
func unconditionalInput(node ast.Node) (string, bool) {
	literal, _ := node.(*ast.CompositeLit)
	if literal == nil {
		return "", false
	}
	kind, _ := literal.Type.(*ast.SelectorExpr)
	if kind == nil || !isIdentifier(kind.X, "dynamodb") {
		return "", false
	}
	switch kind.Sel.Name {
	case "BatchWriteItemInput", "DeleteItemInput", "PutItemInput", "UpdateItemInput":
		return kind.Sel.Name, !hasMember(literal, "ConditionExpression")
	}
	return "", false
}

func hasMember(literal *ast.CompositeLit, name string) bool {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && isIdentifier(pair.Key, name) {
			return true
		}
	}
	return false
}

func isIdentifier(expression ast.Expr, name string) bool {
	identifier, ok := expression.(*ast.Ident)
	return ok && identifier.Name == name
}

func TestUnconditionalWritesAreFound(t *testing.T) {
	const source = `package p
var a = dynamodb.PutItemInput{ConditionExpression: c}
var b = &dynamodb.DeleteItemInput{Key: k}
var d = []any{dynamodb.UpdateItemInput{}, dynamodb.GetItemInput{}}
`
	file := &fstest.MapFile{Data: []byte(source)}
	got, err := findUnconditionalWrites(fstest.MapFS{"shared/p/p.go": file, "shared/p/p_test.go": file,
		"local/p/p.go": file})
	want := map[string][]int{"shared/p/p.go DeleteItemInput": {3}, "shared/p/p.go UpdateItemInput": {4}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
