package callsites_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	services = "github.com/aws/aws-sdk-go-v2/service/"
	signed   = "portside/shared/lambda/awsrequest"
)

// production are the folders whose calls count. testkit and portsidetest are for tests.
var production = []string{"./functions/...", "./shared/...", "./cmd/portside/..."}

// scan returns the places of all calls in the repository.
func scan(repository string) ([]string, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports
	all, err := packages.Load(&packages.Config{Dir: repository, Mode: mode}, production...)
	if err != nil {
		return nil, fmt.Errorf("load the packages: %w", err)
	}
	found := map[string]bool{}
	for _, p := range all {
		for _, problem := range p.Errors {
			err = errors.Join(err, problem)
		}
		isForTests := strings.Contains(p.PkgPath, "/testkit/") || strings.HasSuffix(p.PkgPath, "/portsidetest")
		if !isForTests && p.PkgPath != signed { // its callers are the places
			collect(p, found)
		}
	}
	return slices.Sorted(maps.Keys(found)), err
}

// collect adds the places of a package.
func collect(p *packages.Package, found map[string]bool) {
	for _, file := range p.Syntax {
		path := strings.TrimPrefix(p.PkgPath, "portside/") + "/" + filepath.Base(p.Fset.File(file.Pos()).Name())
		for _, declared := range file.Decls {
			ast.Inspect(declared, func(n ast.Node) bool {
				use, isSelector := n.(*ast.SelectorExpr)
				if !isSelector {
					return true
				}
				if operation := operationOf(p.TypesInfo, use); operation != "" {
					found[path+":"+nameOf(declared)+" "+operation] = true
				}
				return true
			})
		}
	}
}

// nameOf returns the name of a function; the name of a method includes its type.
func nameOf(declared ast.Decl) string {
	function, isFunction := declared.(*ast.FuncDecl)
	if !isFunction {
		return "init" // of a variable
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	kind := function.Recv.List[0].Type
	for {
		switch inner := kind.(type) {
		case *ast.StarExpr:
			kind = inner.X
		case *ast.IndexExpr:
			kind = inner.X
		case *ast.Ident:
			return inner.Name + "." + function.Name.Name
		default:
			return function.Name.Name
		}
	}
}

// operationOf returns the operation of AWS that a method calls, or "" if it calls none. The method belongs to a client
// of the SDK, to an interface of ours that has the same signature, to a list of pages, or to the client of signed
// requests.
func operationOf(info *types.Info, use *ast.SelectorExpr) string {
	selection := info.Selections[use]
	if selection == nil || selection.Kind() == types.FieldVal || !selection.Obj().Exported() {
		return ""
	}
	name := selection.Obj().Name()
	receiver := named(selection.Recv())
	switch {
	case receiver != nil && pathOf(receiver) == signed && (name == "Do" || name == "Call"):
		return "signed request"
	case receiver != nil && strings.HasPrefix(pathOf(receiver), services) && name == "NextPage":
		return strings.TrimSuffix(receiver.Obj().Name(), "Paginator")
	}
	signature, isFunction := selection.Type().(*types.Signature)
	if !isFunction || signature.Params().Len() < 2 {
		return ""
	}
	input := named(signature.Params().At(1).Type())
	if input == nil || !strings.HasPrefix(pathOf(input), services) || !strings.HasSuffix(input.Obj().Name(), "Input") {
		return ""
	}
	if strings.HasPrefix(name, "Presign") {
		return name
	}
	return strings.TrimSuffix(input.Obj().Name(), "Input") // a waiter's input has another name than its method
}

// named returns the named type of a type or of its pointer, or nil.
func named(t types.Type) *types.Named {
	if pointer, isPointer := t.(*types.Pointer); isPointer {
		t = pointer.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

func pathOf(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path()
}
