package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// project has the packages of all modules, by their folders relative to the root.
type project struct {
	tree     fs.FS
	modules  []string // folders of the modules, "." first
	packages map[string]*goPackage
}

// goPackage is what the subcommands need to know of a package and its tests.
type goPackage struct {
	dir, module      string
	imports          map[string]bool // folders of the project's packages that its files and its tests import
	hasTests         bool
	startsGoroutines bool                // in files that are no tests
	testCode         map[string]testCode // by the names of the declarations in its test files
}

// pattern returns the package as an argument of the go command in the folder of its module.
func (p *goPackage) pattern() string {
	if p.module == "." || p.dir == p.module {
		return "./" + strings.TrimPrefix(p.dir, p.module)
	}
	return "./" + strings.TrimPrefix(p.dir, p.module+"/")
}

// readProject parses all Go files. It ignores build constraints.
func readProject(tree fs.FS) (*project, error) {
	p := &project{tree: tree, packages: map[string]*goPackage{}}
	err := fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.Name() == "go.mod":
			p.modules = append(p.modules, path.Dir(file))
		case path.Ext(file) == ".go":
			return p.addFile(tree, file)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the packages: %w", err)
	}
	slices.Sort(p.modules)
	for _, each := range p.packages {
		each.module = p.moduleOf(each.dir)
	}
	return p, nil
}

// moduleOf returns the innermost module with a folder.
func (p *project) moduleOf(dir string) string {
	for _, module := range slices.Backward(p.modules) {
		if dir == module || strings.HasPrefix(dir, module+"/") {
			return module
		}
	}
	return "."
}

func (p *project) addFile(tree fs.FS, file string) error {
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(file)
	if p.packages[dir] == nil {
		p.packages[dir] = &goPackage{dir: dir, imports: map[string]bool{}, testCode: map[string]testCode{}}
	}
	added := p.packages[dir]
	isTest := strings.HasSuffix(file, "_test.go")
	added.hasTests = added.hasTests || isTest
	if isTest {
		added.addTestCode(parsed)
	} else {
		added.startsGoroutines = added.startsGoroutines || startsGoroutines(parsed)
	}
	for _, spec := range parsed.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			if own, isOwn := strings.CutPrefix(imported, "portside/"); isOwn { // the module of a folder has the folder's name
				added.imports[own] = true
			}
		}
	}
	return nil
}

// importers returns the folders of the packages that import one of the folders directly, and of these folders.
func (p *project) importers(dirs []string) []string {
	found := map[string]bool{}
	for dir, each := range p.packages {
		if slices.Contains(dirs, dir) || slices.ContainsFunc(dirs, func(d string) bool { return each.imports[d] }) {
			found[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// rules is the folder of the tests that check rules of all files.
const rules = "tests/rules"

// packageOf returns the folder of the package that a file belongs to: the innermost folder above it that has Go files,
// or else the folder of the rules, if there is one.
func (p *project) packageOf(file string) string {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if p.packages[dir] != nil {
			return dir
		}
	}
	if p.packages[rules] != nil {
		return rules
	}
	return ""
}

// byModule returns the packages in the folders as arguments of the go command, by the folders of their modules.
func (p *project) byModule(dirs []string) map[string][]string {
	patterns := map[string][]string{}
	for _, dir := range dirs {
		each := p.packages[dir]
		patterns[each.module] = append(patterns[each.module], each.pattern())
	}
	return patterns
}

func openProject(root string) (*project, error) { return readProject(os.DirFS(filepath.Clean(root))) }
