// Package portside_test keeps the promises about the tree that no compiler keeps: who may import whom
// (here), and that names agree between template.yaml, functions/ and events/ (names_test.go). Both are
// functions of a file system, so that architecture_violations_test.go can show each rule broken. They
// parse the sources themselves: the test cache sees the files that a test opens, not those that a
// child process like `go list` reads, and a cached "ok" would hide a new import.
package portside_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestWhoMayImportWhom(t *testing.T) {
	tree := os.DirFS(".")
	report(t, checkImports, tree)
	report(t, checkModules, tree)
	report(t, checkFunctions, tree)
}

// report fails the test with every violation that check finds in tree.
func report(t *testing.T, check func(fs.FS) ([]string, error), tree fs.FS) {
	t.Helper()
	violations, err := check(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Error(v)
	}
}

// Patterns of import paths beside plain ones, which stand for themselves; a trailing /... takes in
// all that is below.
const (
	standard   = "the standard library"
	thirdParty = "any other module"
)

// layer is a row of the import table in CONTRIBUTING.md.
type layer struct {
	name  string
	may   []string
	never []string // wins over may
}

// core is what a domain may build on: vocabulary and rules without technology.
var core = []string{"portside/shared/core/...", "portside/shared/credentials", "portside/shared/mail"}

// kits are what an adapter may build on. They call DynamoDB and S3, so a domain must not import them.
var kits = []string{
	"portside/shared/dynamo/...", "portside/shared/lambda/s3client", "portside/shared/credentials/credentialsdynamo",
}

var awsSDK = []string{"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."}

const uuidModule = "github.com/google/uuid"

// formats are the modules that read what one adapter is about. Helm's repository package is none of them: it costs every
// cold start more than all the rest of a function.
var formats = map[string][]string{
	"chartshelm":      {"helm.sh/helm/v3/pkg/chart", "helm.sh/helm/v3/pkg/chart/loader", "go.yaml.in/yaml/v3"},
	"mediatranscribe": {"golang.org/x/text/unicode/norm"},
}

// modules are the modules of this repository that a domain and its adapters build on.
var modules = map[string][]string{"media": {"portside/documents/..."}}

// bases are what adapters of one domain are made of besides: engines that ask a model differ only in how it is reached, and the
// sets of all readers and of all engines are the same in every function that reads files.
var bases = map[string][]string{
	"mediaengines": {
		"portside/shared/media/mediabedrock", "portside/shared/media/mediacommand", "portside/shared/media/mediaopenai",
		"portside/shared/media/mediaprompt", "portside/shared/media/mediatranscribe",
	},
	"mediabedrock":    {"portside/shared/media/mediaprompt"},
	"mediaopenai":     {"portside/shared/media/mediaprompt"},
	"mediatranscribe": {"portside/shared/media/mediaprompt"},
}

// aliases are the import names that differ from the package's own, each with its reason.
var aliases = map[string]string{
	// The SDK's middleware is used beside smithy's, and both packages are called middleware.
	"awsmiddleware": "github.com/aws/aws-sdk-go-v2/aws/middleware",
	// The SDK's http is used beside the standard library's.
	"smithyhttp": "github.com/aws/smithy-go/transport/http",
	// Tests of our own packages mail read what those wrote with the standard library's mail.
	"netmail": "net/mail",
}

// engines run in the local stack only; production's go.mod stays free of them.
var engines = []string{
	"portside/local",
	"github.com/versity/versitygw",
	"github.com/distribution/distribution/v3",
	"github.com/fsnotify/fsnotify",
}

// layerOf finds the row for a file that is no test. It is false for a place where no code belongs.
func layerOf(file string) (layer, bool) {
	dir := path.Dir(file)
	parts := strings.Split(dir, "/")
	switch {
	case parts[0] == "local":
		return layer{"local", []string{standard, thirdParty, "portside/local/..."}, nil}, true
	case parts[0] == "documents":
		return layer{"documents", []string{standard, thirdParty, "portside/documents/..."}, slices.Concat(awsSDK, []string{"net/http/..."})}, true
	case parts[0] == "functions" && len(parts) == 2:
		return functionLayer(file), true
	case parts[0] == "cmd":
		return layer{"a command", []string{standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/" + dir + "/..."}, nil}, true
	case parts[0] == "shared" && len(parts) >= 2:
		return sharedLayer(parts[1:])
	}
	return layer{}, false
}

func functionLayer(file string) layer {
	l := layer{"a function", []string{standard, thirdParty, "portside/shared/...", "portside/documents/..."}, nil}
	if path.Base(file) != "main.go" {
		l.name, l.never = "a function outside main.go", awsSDK
	}
	return l
}

func sharedLayer(parts []string) (layer, bool) {
	domain := parts[0]
	switch {
	case domain == "web":
		return web, true
	case kitLayers[domain] != nil:
		return kitLayers[domain](parts[1:])
	case len(parts) == 1:
		return layer{"a domain", slices.Concat([]string{standard, uuidModule}, core, modules[domain]), []string{"net/http/..."}}, true
	case len(parts) == 2 && strings.HasPrefix(parts[1], domain):
		return adapterLayer(domain, parts[1]), true
	}
	return layer{}, false
}

func adapterLayer(domain, adapter string) layer {
	own := []string{standard, uuidModule, "portside/shared/" + domain}
	return layer{"an adapter", slices.Concat(own, core, kits, awsSDK, modules[domain], formats[adapter], bases[adapter]), nil}
}

var web = layer{"web", []string{
	standard, thirdParty, "portside/shared/web/...", "portside/shared/core/...", "portside/shared/credentials",
}, awsSDK}

// kitLayers finds the rule for a package of a kit, by the folder of the kit. Every package of a kit has the same rule, so
// that a new one needs no entry here.
var kitLayers = map[string]func(below []string) (layer, bool){
	"core": func(below []string) (layer, bool) {
		return layer{"a core package", []string{standard, "portside/shared/core/..."}, []string{"net/http/..."}}, len(below) == 1
	},
	"dynamo": func(below []string) (layer, bool) {
		may := []string{standard, "portside/shared/core/...", "portside/shared/dynamo/..."}
		return layer{"a DynamoDB package", slices.Concat(may, awsSDK), nil}, len(below) == 1
	},
	"lambda": func(below []string) (layer, bool) {
		may := []string{
			standard, "portside/shared/core/...", "portside/shared/lambda/...",
			"github.com/aws/aws-lambda-go/...", "github.com/awslabs/aws-lambda-go-api-proxy/...",
		}
		return layer{"a Lambda package", slices.Concat(may, awsSDK), nil}, len(below) == 1
	},
	"testkit": func([]string) (layer, bool) {
		return layer{"test support", []string{standard, thirdParty, "portside/shared/...", "portside/documents/..."}, nil}, true
	},
}

// isTestSupport tells packages like testkit/awstest, which start engines for tests and have no place in production.
func isTestSupport(imported string) bool {
	return imported == "portside/shared/testkit" || strings.HasPrefix(imported, "portside/shared/testkit/")
}

// testLayer lets tests use any shared package and any module; they keep out of local and functions all the same.
func testLayer(file string) layer {
	if strings.HasPrefix(file, "local/") {
		return layer{"a test of local", []string{standard, thirdParty, "portside/local/..."}, nil}
	}
	may := []string{standard, thirdParty, "portside/shared/...", "portside/documents/...", "portside/cmd/..."}
	return layer{"a test", may, nil}
}

func (l layer) allows(imported string) bool {
	return slices.ContainsFunc(l.may, matches(imported)) && !slices.ContainsFunc(l.never, matches(imported))
}

func matches(imported string) func(pattern string) bool {
	return func(pattern string) bool {
		first, _, _ := strings.Cut(imported, "/")
		isModule, isOurs := strings.Contains(first, "."), first == "portside"
		switch pattern {
		case standard:
			return !isModule && !isOurs
		case thirdParty:
			return isModule
		}
		if root, ok := strings.CutSuffix(pattern, "/..."); ok {
			return imported == root || strings.HasPrefix(imported, root+"/")
		}
		return imported == pattern
	}
}

// checkImports compares every import of every Go file with the table and with the list of aliases.
func checkImports(tree fs.FS) ([]string, error) {
	var violations []string
	err := eachGoFile(tree, func(file string, src []byte) error {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if err != nil {
			return fmt.Errorf("parse imports: %w", err)
		}
		found, err := checkFile(file, parsed.Imports)
		violations = append(violations, found...)
		return err
	})
	return violations, err
}

func checkFile(file string, imports []*ast.ImportSpec) ([]string, error) {
	isTest := strings.HasSuffix(file, "_test.go")
	row, ok := layerOf(file)
	if isTest {
		row, ok = testLayer(file), true
	}
	if !ok {
		return []string{file + ": no code belongs here; see the tree in docs/architecture.md"}, nil
	}
	var violations []string
	for _, spec := range imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if !row.allows(imported) {
			violations = append(violations, fmt.Sprintf("%s: %s may not import %s", file, row.name, imported))
		}
		if !isTest && isTestSupport(imported) && !isTestSupport("portside/"+file) {
			violations = append(violations, fmt.Sprintf("%s: %s is for tests", file, imported))
		}
		if !mayBeNamed(spec.Name, imported) {
			violations = append(violations, fmt.Sprintf("%s: import of %s has the alias %s", file, imported, spec.Name))
		}
	}
	return violations, nil
}

func mayBeNamed(name *ast.Ident, imported string) bool {
	return name == nil || name.Name == "_" || aliases[name.Name] == imported
}

// eachGoFile calls f for the Go files of the tree, less hidden directories and testdata.
func eachGoFile(tree fs.FS, f func(file string, src []byte) error) error {
	return fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("walk: %w", err)
		}
		if entry.IsDir() {
			hidden := file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata")
			if hidden {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(file) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		return f(file, src)
	})
}

// checkModules keeps the two go.mod files apart, and the engines out of production's.
func checkModules(tree fs.FS) ([]string, error) {
	production, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("production's module: %w", err)
	}
	local, err := fs.ReadFile(tree, "local/go.mod")
	if err != nil {
		return nil, fmt.Errorf("the local module: %w", err)
	}
	var violations []string
	for _, engine := range engines {
		if requires(production, engine) {
			violations = append(violations, "go.mod: "+engine+" belongs in local/go.mod")
		}
	}
	if requires(local, "portside") {
		violations = append(violations, "local/go.mod: local knows the functions as processes and may not require portside")
	}
	return violations, nil
}

// requires reports whether a go.mod names the module in any directive: require, replace or tool.
func requires(gomod []byte, module string) bool {
	for line := range bytes.Lines(gomod) {
		if slices.Contains(strings.Fields(string(line)), module) {
			return true
		}
	}
	return false
}

// checkFunctions keeps every directory of functions/ in the same shape.
func checkFunctions(tree fs.FS) ([]string, error) {
	var violations []string
	err := eachGoFile(tree, func(file string, src []byte) error {
		if !strings.HasPrefix(file, "functions/") {
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, src, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse: %w", err)
		}
		if name := parsed.Name.Name; name != "main" && name != "main_test" {
			violations = append(violations, file+": package "+name+" in a function; it must be main")
		}
		if path.Base(file) == "main.go" {
			violations = append(violations, checkMain(file, wiringLines(files, parsed))...)
		}
		return nil
	})
	return violations, err
}

func checkMain(file string, lines int) []string {
	const maxWiring = 40
	if lines <= maxWiring {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d lines of wiring, at most %d", file, lines, maxWiring)}
}

// wiringLines counts the lines of a file below its imports, which grow with the number of clients and hide nothing.
func wiringLines(files *token.FileSet, parsed *ast.File) int {
	end := parsed.Name.End()
	for _, decl := range parsed.Decls {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			end = group.End()
		}
	}
	return files.Position(parsed.FileEnd).Line - files.Position(end).Line - 1
}
