// Package sizes counts the files of packages and the exported methods of types.
package sizes

import (
	"cmp"
	"go/ast"
)

// Sizes are the sizes that people could lower. Files of tests and generated files do not count.
type Sizes struct {
	Files   map[string]int // by folder
	Methods map[string]int // exported ones, by type, such as local/stack.Stack
}

// New returns empty Sizes.
func New() Sizes { return Sizes{Files: map[string]int{}, Methods: map[string]int{}} }

// Add counts a file and its methods. Callers leave out tests and generated files.
func (s Sizes) Add(dir string, file *ast.File) {
	s.Files[dir]++
	for _, declaration := range file.Decls {
		method, isFunction := declaration.(*ast.FuncDecl)
		if isFunction && method.Recv != nil && method.Name.IsExported() {
			s.Methods[dir+"."+receiver(method.Recv.List[0].Type)]++
		}
	}
}

// receiver returns the name of a method's type, which comes before its parameters.
func receiver(typ ast.Expr) (name string) {
	ast.Inspect(typ, func(node ast.Node) bool {
		if ident, isIdent := node.(*ast.Ident); isIdent {
			name = cmp.Or(name, ident.Name)
		}
		return true
	})
	return name
}
