package rules_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ruleFor returns the rule for a file, and what the <names> of its pattern stand for. It returns
// false for a place where no code belongs.
func ruleFor(file string) (rule, map[string]string, bool) {
	isTest := strings.HasSuffix(file, "_test.go")
	for _, r := range rules {
		if isTest != (r.files == "*_test.go") {
			continue
		}
		if ok, err := path.Match(r.files, path.Base(file)); r.files != "" && (!ok || err != nil) {
			continue
		}
		if names, ok := matchDir(r.dir, path.Dir(file)); ok {
			return r, names, true
		}
	}
	return rule{}, nil, false
}

// matchDir matches a folder with a pattern such as "shared/<domain>/<domain>*" or "local/...".
func matchDir(pattern, dir string) (names map[string]string, ok bool) {
	names = map[string]string{}
	elements := strings.Split(dir, "/")
	for i, want := range strings.Split(pattern, "/") {
		if want == "..." {
			return names, true
		}
		if i == len(elements) || !matchElement(names, want, elements[i]) {
			return nil, false
		}
	}
	return names, len(elements) == strings.Count(pattern, "/")+1
}

// matchElement matches one element of a path, and remembers what a new <name> stands for.
func matchElement(names map[string]string, want, element string) bool {
	name, isPrefix := strings.CutSuffix(want, "*")
	switch {
	case isPrefix:
		return strings.HasPrefix(element, names[name])
	case !strings.HasPrefix(want, "<"):
		return element == want
	case want == "<domain>" && slices.Contains(kits, element):
		return false
	}
	names[want] = element
	return true
}

// matchesAny reports whether an import path matches one of the patterns.
func matchesAny(imported string, wanted []string, names map[string]string) bool {
	return slices.ContainsFunc(wanted, func(pattern string) bool {
		if list := patterns[pattern]; list != nil {
			return matchesAny(imported, list, names)
		}
		first, _, _ := strings.Cut(imported, "/")
		isModule := strings.Contains(first, ".")
		switch pattern {
		case standard:
			return !isModule && first != "portside"
		case thirdParty:
			return isModule
		}
		for name, element := range names {
			pattern = strings.ReplaceAll(pattern, name, element)
		}
		return matchesPath(imported, pattern)
	})
}

func matchesPath(imported, pattern string) bool {
	top, isTree := strings.CutSuffix(pattern, "/...")
	return imported == top || isTree && strings.HasPrefix(imported, top+"/")
}

// checkImports compares every import of every Go file with the rules and with the list of aliases.
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
	r, names, ok := ruleFor(file)
	if !ok {
		return []string{file + ": no code belongs here; see the import table in CONTRIBUTING.md"}, nil
	}
	var violations []string
	for _, spec := range imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		allowed := matchesAny(imported, r.allowed(path.Dir(file)), names)
		if !allowed || matchesAny(imported, r.never, names) {
			violations = append(violations, fmt.Sprintf("%s: %s may not import %s", file, r.name, imported))
		}
		if !isAllowedAlias(spec.Name, imported) {
			violations = append(violations, fmt.Sprintf("%s: import of %s has the alias %s", file, imported, spec.Name))
		}
	}
	return violations, nil
}

func isAllowedAlias(name *ast.Ident, imported string) bool {
	return name == nil || name.Name == "_" || aliases[name.Name] == imported
}

// eachGoFile calls visit for the Go files of the tree, except those in hidden folders and testdata.
func eachGoFile(tree fs.FS, visit func(file string, src []byte) error) error {
	return fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("walk: %w", err)
		}
		if entry.IsDir() {
			isHidden := file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata")
			if isHidden {
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
		return visit(file, src)
	})
}

// checkModules compares each go.mod with its rule.
func checkModules(tree fs.FS) ([]string, error) {
	var violations []string
	for _, r := range moduleRules {
		src, err := fs.ReadFile(tree, r.gomod)
		if err != nil {
			return nil, fmt.Errorf("read a module: %w", err)
		}
		for _, module := range namedModules(src) {
			if slices.ContainsFunc(r.never, func(pattern string) bool { return matchesPath(module, pattern) }) {
				violations = append(violations, fmt.Sprintf("%s: must not name %s: %s", r.gomod, module, r.reason))
			}
		}
	}
	return violations, nil
}

// namedModules returns the modules in all directives of a go.mod: require, replace and tool.
func namedModules(gomod []byte) []string {
	var modules []string
	for line := range strings.Lines(string(gomod)) {
		line, _, _ = strings.Cut(line, "//")
		modules = append(modules, strings.Fields(line)...)
	}
	return modules
}

// checkFunctions checks that all folders of functions/ have the same form.
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
	const maxWiringLines = 40
	if lines <= maxWiringLines {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d lines of wiring, at most %d", file, lines, maxWiringLines)}
}

// wiringLines counts the lines of a file below its imports. Imports do not count, because each client
// adds one and none of them hides logic.
func wiringLines(files *token.FileSet, parsed *ast.File) int {
	end := parsed.Name.End()
	for _, decl := range parsed.Decls {
		if group, ok := decl.(*ast.GenDecl); ok && group.Tok == token.IMPORT {
			end = group.End()
		}
	}
	return files.Position(parsed.FileEnd).Line - files.Position(end).Line - 1
}
