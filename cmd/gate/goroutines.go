package main

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// concurrencyPackages call functions of their importers in several goroutines.
var concurrencyPackages = []string{"golang.org/x/sync/errgroup", "portside/shared/core/parallel"}

// concurrencyFunctions call their argument in another goroutine.
var concurrencyFunctions = []string{"AfterFunc", "Concurrently", "Go", "Together"}

// testCode describes the functions, methods and variables with one name in the test files of a package.
type testCode struct {
	starts bool            // a goroutine, in its own body
	names  map[string]bool // all identifiers in its body
}

// addTestCode reads the functions, methods and variables of a test file.
func (p *goPackage) addTestCode(file *ast.File) {
	packages := importedConcurrency(file)
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			p.addCode(d.Name.Name, d, packages)
		case *ast.GenDecl:
			p.addVariables(d, packages)
		}
	}
}

func (p *goPackage) addVariables(declaration *ast.GenDecl, packages []string) {
	for _, spec := range declaration.Specs {
		value, isValue := spec.(*ast.ValueSpec)
		if !isValue {
			continue
		}
		for _, name := range value.Names {
			p.addCode(name.Name, value, packages)
		}
	}
}

func (p *goPackage) addCode(name string, node ast.Node, packages []string) {
	code := p.testCode[name]
	if code.names == nil {
		code.names = map[string]bool{}
	}
	code.starts = code.starts || startsIn(node, packages)
	ast.Inspect(node, func(n ast.Node) bool {
		if identifier, isIdentifier := n.(*ast.Ident); isIdentifier {
			code.names[identifier.Name] = true
		}
		return true
	})
	p.testCode[name] = code
}

// raceTests returns whether the tests of a package run under the race detector, and if only some do, which. These are
// the tests that start goroutines, themselves or in the code of the tests that they use.
func (p *goPackage) raceTests() (runs bool, some []string) {
	if !p.hasTests {
		return false, nil
	}
	if p.startsGoroutines {
		return true, nil
	}
	reached := map[string]bool{}
	for name, code := range p.testCode {
		reached[name] = code.starts
	}
	for again := true; again; {
		again = false
		for name, code := range p.testCode {
			for used := range code.names {
				if !reached[name] && reached[used] {
					reached[name], again = true, true
				}
			}
		}
	}
	for name := range p.testCode {
		if reached[name] {
			runs = true
			if isTestName(name) {
				some = append(some, name)
			}
		}
	}
	if reached["TestMain"] {
		return true, nil
	}
	slices.Sort(some)
	return runs, some
}

func isTestName(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Example")
}

// importedConcurrency returns the names of the packages for concurrency that a file imports.
func importedConcurrency(file *ast.File) (names []string) {
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err == nil && slices.Contains(concurrencyPackages, imported) {
			name := path.Base(imported)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names = append(names, name)
		}
	}
	return names
}

// startsGoroutines reports whether a file can start a goroutine: by a go statement, a call of one of
// concurrencyFunctions, or an import of one of concurrencyPackages.
func startsGoroutines(file *ast.File) bool {
	return len(importedConcurrency(file)) > 0 || startsIn(file, nil)
}

// startsIn is like startsGoroutines for a part of a file. The packages are those of concurrencyPackages that the file
// imports.
func startsIn(node ast.Node, packages []string) (found bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.Ident:
			found = found || slices.Contains(packages, n.Name)
		case *ast.CallExpr:
			called := n.Fun
			if generic, isGeneric := called.(*ast.IndexExpr); isGeneric {
				called = generic.X
			}
			function, isSelector := called.(*ast.SelectorExpr)
			found = found || isSelector && slices.Contains(concurrencyFunctions, function.Sel.Name)
		}
		return !found
	})
	return found
}
