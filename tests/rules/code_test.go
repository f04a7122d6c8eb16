package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// insecureImports are packages that the functions do not need: weak algorithms, memory without bounds, and C.
func insecureImports() []string {
	return []string{
		"unsafe", "C", "crypto/des", "crypto/dsa", "crypto/md5", "crypto/rc4", "crypto/sha1", "encoding/gob", "math/rand", "text/template",
	}
}

// predictable is the package of random numbers that can be guessed. Only waits between attempts may have them.
const predictable = "math/rand/v2"

// compilers are the files that compile other expressions than constants: those of lazyregexp are constants elsewhere, and
// those of a JSON Schema are expressions by their meaning, which package schema bounds.
func compilers() []string {
	return []string{"documents/lazyregexp/lazyregexp.go", "documents/schema/patterns.go"}
}

// TestFunctionsUseNoInsecureCode reads the code that runs in functions.
func TestFunctionsUseNoInsecureCode(t *testing.T) {
	files := 0
	for _, folder := range []string{"functions", "shared", "documents"} {
		for path, file := range parseCode(t, os.DirFS(root), folder) {
			files++
			for _, problem := range insecurities(path, file) {
				t.Errorf("%s: %s", path, problem)
			}
		}
	}
	if files < 500 {
		t.Errorf("only %d files were read", files)
	}
}

// parseCode parses the files of a folder that are not for tests.
func parseCode(t *testing.T, tree fs.FS, folder string) map[string]*ast.File {
	t.Helper()
	parsed := map[string]*ast.File{}
	err := fs.WalkDir(tree, folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testkit" || entry.Name() == "testdata"):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		parsed[path], err = parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// insecurities returns what a file must not have.
func insecurities(path string, file *ast.File) []string {
	var found []string
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		isInsecure := slices.Contains(insecureImports(), name) && !isOfPDF(path, name)
		if isInsecure || name == predictable && !strings.HasPrefix(path, "shared/core/retry/") {
			found = append(found, "imports "+name)
		}
	}
	constants := constantsOf(file)
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.Ident:
			if n.Name == "InsecureSkipVerify" {
				found = append(found, "does not check certificates")
			}
		case *ast.CallExpr:
			if compilesInput(n, constants) && !slices.Contains(compilers(), path) {
				found = append(found, "compiles a regular expression that is not constant")
			}
		}
		return true
	})
	return found
}

// isOfPDF reports whether a file needs a weak algorithm because PDF prescribes it for the decryption of files.
func isOfPDF(path, name string) bool {
	return strings.HasPrefix(path, "documents/pdf/internal/crypt/") && (name == "crypto/md5" || name == "crypto/rc4")
}

// compilesInput reports whether a call compiles a regular expression that could have a part of the input.
func compilesInput(call *ast.CallExpr, constants map[string]bool) bool {
	function, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector || len(call.Args) == 0 {
		return false
	}
	pkg, isName := function.X.(*ast.Ident)
	if !isName || !slices.Contains([]string{"regexp.Compile", "regexp.MustCompile", "lazyregexp.New"},
		pkg.Name+"."+function.Sel.Name) {
		return false
	}
	return !isConstant(call.Args[0], constants)
}

// constantsOf returns the names of the constants that a file declares.
func constantsOf(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		if group, ok := node.(*ast.GenDecl); ok && group.Tok == token.CONST {
			for _, spec := range group.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					names[name.Name] = true
				}
			}
		}
		return true
	})
	return names
}

// isConstant reports whether an expression consists of literals and of constants that the file declares.
func isConstant(expression ast.Expr, constants map[string]bool) bool {
	switch e := expression.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return constants[e.Name]
	case *ast.BinaryExpr:
		return isConstant(e.X, constants) && isConstant(e.Y, constants)
	case *ast.ParenExpr:
		return isConstant(e.X, constants)
	}
	return false
}

func TestInsecureCodeIsFound(t *testing.T) {
	for source, want := range map[string]string{
		`import _ "crypto/md5"`:                         "imports crypto/md5",
		`import _ "unsafe"`:                             "imports unsafe",
		`import _ "math/rand/v2"`:                       "imports math/rand/v2",
		`var c = tls.Config{InsecureSkipVerify: true}`:  "does not check certificates",
		`var r = regexp.MustCompile(input())`:           "compiles a regular expression that is not constant",
		`var r = regexp.MustCompile("a" + input[0:3])`:  "compiles a regular expression that is not constant",
		`var r = regexp.MustCompile("^(" + word + ")")`: "compiles a regular expression that is not constant",
		`const w = "x"; var r = regexp.MustCompile(w)`:  "",
	} {
		t.Run(source, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(insecurities("shared/x/x.go", file), ", "); got != want {
				t.Errorf("%s: %q, want %q", source, got, want)
			}
		})
	}
}

// TestFunctionsOnlyAddToTheirOwnLogs reads the list of all permissions. A function that is taken over must not read or
// remove what the log has about it.
//
//proves:docs/security.md
func TestFunctionsOnlyAddToTheirOwnLogs(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, ".ci", "permissions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	role, groups := "", map[string]string{}
	statement := regexp.MustCompile(`^  Allow (.*logs:.*)$`)
	lines := strings.Split(string(list), "\n")
	for i, line := range lines {
		if name, isRole := strings.CutSuffix(line, "FunctionRole"); isRole {
			role = name
		}
		match := statement.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		group := strings.TrimPrefix(lines[i+1], "    on ")
		if match[1] != "logs:CreateLogStream, logs:PutLogEvents" || !strings.HasPrefix(lines[i+2], "  Allow") &&
			lines[i+2] != "" {
			t.Errorf("%s has %s", role, match[1])
		}
		if other := groups[group]; other != "" {
			t.Errorf("%s and %s write to %s", role, other, group)
		}
		groups[group] = role
	}
	if len(groups) < 15 {
		t.Errorf("only %d log groups were found", len(groups))
	}
}

// TestSecretParametersHaveNoDefault reads the parameters of template.yaml. A default would be the same secret
// everywhere.
//
//proves:docs/security.md
func TestSecretParametersHaveNoDefault(t *testing.T) {
	secrets, parameters := 0, readParameters(t)
	for name, parameter := range parameters {
		if !parameter.NoEcho {
			continue
		}
		secrets++
		if parameter.Default != nil && *parameter.Default != "" {
			t.Errorf("%s has a default", name)
		}
	}
	if origins := parameters["CorsAllowOrigins"]; origins.Default != nil {
		t.Errorf("CorsAllowOrigins has the default %q", *origins.Default)
	}
	if secrets != 3 {
		t.Errorf("%d parameters are secrets, want 3: say in docs/security.md who can read the new one", secrets)
	}
}

// TestEnvironmentsHaveNoSecrets reads the environments of the functions in template.yaml, which everyone with
// lambda:GetFunctionConfiguration can read. Only the secret that each request is compared with is there, see
// docs/security.md.
//
//proves:docs/security.md
func TestEnvironmentsHaveNoSecrets(t *testing.T) {
	template, err := readTemplate(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	parameters, variables := readParameters(t), 0
	for id, resource := range template.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var properties struct {
			Environment struct {
				Variables map[string]yaml.Node `yaml:"Variables"`
			} `yaml:"Environment"`
		}
		if err := resource.Properties.Decode(&properties); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		for name, value := range properties.Environment.Variables {
			variables++
			text, err := yaml.Marshal(&value)
			if err != nil {
				t.Fatal(err)
			}
			for parameter, p := range parameters {
				if p.NoEcho && parameter != "EdgeSecrets" && regexp.MustCompile(`\b`+parameter+`\b`).Match(text) {
					t.Errorf("%s of %s has the secret %s; put it into a secret, see shared/lambda/secretvalue", name, id, parameter)
				}
			}
		}
	}
	if variables < 100 {
		t.Errorf("found %d variables", variables)
	}
}

// templateParameter is a parameter of template.yaml.
type templateParameter struct {
	Default       *string  `yaml:"Default"`
	NoEcho        bool     `yaml:"NoEcho"`
	AllowedValues []string `yaml:"AllowedValues"`
}

func readParameters(t *testing.T) map[string]templateParameter {
	t.Helper()
	var template struct {
		Parameters map[string]templateParameter `yaml:"Parameters"`
	}
	source, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		t.Fatal(err)
	}
	return template.Parameters
}
