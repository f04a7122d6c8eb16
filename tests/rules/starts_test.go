package rules_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// slowPackages do much work before main, whether a request needs them or not; see
// docs/decisions/0030-what-a-start-loads.md. Only these functions may link them.
var slowPackages = map[string][]string{
	"github.com/Masterminds/semver/v3": {
		"functions/charts", "functions/customers", "functions/images", "functions/indexcharts", "functions/indeximages",
	},
	"github.com/santhosh-tekuri/jsonschema/v6":            nil,
	"github.com/aws/aws-sdk-go-v2/config":                 nil,
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime": nil,
	"github.com/aws/aws-sdk-go-v2/service/sesv2":          nil,
	"github.com/aws/aws-sdk-go-v2/service/textract":       nil,
	"github.com/pdfcpu/pdfcpu/pkg/font":                   nil,
	"github.com/yuin/goldmark/extension":                  nil,
}

// TestFunctionsDoNotLinkSlowPackages follows the imports of each function through the packages of this repository.
func TestFunctionsDoNotLinkSlowPackages(t *testing.T) {
	imports := importsOf(t, os.DirFS(root), "functions", "shared", "documents")
	isUsed := map[string]bool{}
	for dir := range imports {
		if path.Dir(dir) != "functions" {
			continue
		}
		for slow, may := range slowPackages {
			if !reaches(imports, dir, slow) {
				continue
			}
			isUsed[dir+" "+slow] = true
			if !slices.Contains(may, dir) {
				t.Errorf("%s links %s, which takes long to start", dir, slow)
			}
		}
	}
	for slow, may := range slowPackages {
		for _, dir := range may {
			if !isUsed[dir+" "+slow] {
				t.Errorf("%s no longer links %s: remove it from slowPackages", dir, slow)
			}
		}
	}
}

// importsOf returns the imports of the packages in some folders, by folder.
func importsOf(t *testing.T, tree fs.FS, folders ...string) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, folder := range folders {
		for file, parsed := range parseCode(t, tree, folder) {
			dir := path.Dir(file)
			if all[dir] == nil {
				all[dir] = map[string]bool{}
			}
			for _, spec := range parsed.Imports {
				all[dir][strings.Trim(spec.Path.Value, `"`)] = true
			}
		}
	}
	return all
}

// reaches reports whether a package of this repository imports a package of another module, directly or through others
// of this repository.
func reaches(imports map[string]map[string]bool, from, wanted string) bool {
	seen, next := map[string]bool{from: true}, []string{from}
	for ; len(next) > 0; next = next[1:] {
		if imports[next[0]][wanted] {
			return true
		}
		for imported := range imports[next[0]] {
			dir, isOurs := strings.CutPrefix(imported, "portside/")
			if isOurs && !seen[dir] {
				seen[dir], next = true, append(next, dir)
			}
		}
	}
	return false
}

// linkedByAll are the packages that most functions link.
var linkedByAll = []string{"shared/core", "shared/credentials", "shared/dynamo", "shared/lambda", "shared/web"}

// TestExpressionsAreCompiledOnFirstUse finds regular expressions that are compiled before main in packages that most
// functions link.
func TestExpressionsAreCompiledOnFirstUse(t *testing.T) {
	for _, folder := range linkedByAll {
		for file, parsed := range parseCode(t, os.DirFS(root), folder) {
			if compilesBeforeMain(parsed) {
				t.Errorf("%s compiles a regular expression before main; wrap it in sync.OnceValue", file)
			}
		}
	}
}

// compilesBeforeMain reports whether a variable of a package is a compiled expression.
func compilesBeforeMain(file *ast.File) bool {
	found := false
	for _, declaration := range file.Decls {
		if _, isFunction := declaration.(*ast.FuncDecl); isFunction {
			continue
		}
		ast.Inspect(declaration, func(n ast.Node) bool {
			if _, isLater := n.(*ast.FuncLit); isLater {
				return false
			}
			call, isCall := n.(*ast.CallExpr)
			if isCall {
				selected, isSelector := call.Fun.(*ast.SelectorExpr)
				found = found || isSelector && selected.Sel.Name == "MustCompile"
			}
			return true
		})
	}
	return found
}

func TestCompilationsAreFound(t *testing.T) {
	for body, want := range map[string]bool{
		"var a = regexp.MustCompile(`x`)": true, "var a = map[string]any{`x`: regexp.MustCompile(`x`)}": true,
		"var a = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`x`) })": false,
		"func f() { regexp.MustCompile(`x`) }":                                             false,
	} {
		tree := fstest.MapFS{"shared/a.go": {Data: []byte("package a\n" + body)}}
		if found := compilesBeforeMain(parseCode(t, tree, "shared")["shared/a.go"]); found != want {
			t.Errorf("%s: %v", body, found)
		}
	}
}

func TestSlowPackagesAreFound(t *testing.T) {
	tree := fstest.MapFS{
		"functions/a/main.go": {Data: []byte(`package main; import "portside/shared/b"`)},
		"shared/b/b.go":       {Data: []byte(`package b; import ("portside/shared/c"; "portside/shared/d")`)},
		"shared/c/c.go":       {Data: []byte(`package c; import "portside/shared/b"`)},
		"shared/d/d.go":       {Data: []byte(`package d; import "slow"`)},
		"shared/e/e.go":       {Data: []byte(`package e; import "slower"`)},
	}
	imports := importsOf(t, tree, "functions", "shared")
	if !reaches(imports, "functions/a", "slow") || reaches(imports, "functions/a", "slower") {
		t.Error("the imports are not followed")
	}
}
