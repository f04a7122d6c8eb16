// Package pages reads the page tree of a document (ISO 32000-1, 7.7.3).
//
// The tree of a hostile file may be a graph with cycles. The walk visits each node once, keeps its own
// stack, and bounds its steps.
package pages

import (
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// Page is a page object with its inherited attributes.
type Page struct {
	Dict      syntax.Dict
	Resources any
	Box       any // the crop box, or the media box if the page has no crop box
	Rotate    any
}

// Exist reports whether the document has a page.
func Exist(f *xref.File) bool {
	found, _ := List(f, 1)
	return len(found) > 0
}

// List returns the first pages of the document, at most limit. isIncomplete means that nodes of the tree
// are missing from the file.
func List(f *xref.File, limit int) (found []Page, isIncomplete bool) {
	w := &treeWalk{file: f, limit: limit, visited: map[int]bool{}}
	w.push(f.Catalog()["Pages"], Page{})
	w.run()
	for _, number := range f.StrayPages() {
		w.push(syntax.Reference{Number: number}, Page{})
		w.run()
	}
	return w.found, w.isIncomplete
}

// treeWalk visits the nodes of the page tree in the order of the pages.
type treeWalk struct {
	file         *xref.File
	limit        int
	steps        int
	visited      map[int]bool // by object number
	stack        []node
	found        []Page
	isIncomplete bool
}

// node is an object of the page tree, and the attributes that it inherits.
type node struct {
	object    any
	inherited Page
}

func (w *treeWalk) push(o any, inherited Page) { w.stack = append(w.stack, node{o, inherited}) }

func (w *treeWalk) run() {
	for len(w.stack) > 0 && len(w.found) < w.limit && w.steps < w.file.Budget.Limits.Objects {
		w.steps++
		top := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if number := syntax.ObjectNumber(top.object); number != 0 {
			if w.visited[number] {
				continue
			}
			w.visited[number] = true
		}
		w.visit(top)
	}
}

func (w *treeWalk) visit(n node) {
	objects := w.file.Objects
	d := objects.Dict(n.object)
	if d == nil {
		w.isIncomplete = w.isIncomplete || w.file.Budget.HasWork()
		return
	}
	page := n.inherited.with(d)
	kids := objects.Array(d["Kids"])
	if kids == nil && objects.Name(d["Type"]) != "Pages" {
		w.found = append(w.found, page.completed(objects))
	}
	for i := len(kids) - 1; i >= 0 && len(w.stack) < w.file.Budget.Limits.Objects; i-- {
		w.push(kids[i], page)
	}
}

// with returns the attributes of a node whose parent has the attributes p.
func (p Page) with(d syntax.Dict) Page {
	p.Dict = d
	if own, ok := d["Resources"]; ok {
		p.Resources = own
	}
	if own, ok := d["Rotate"]; ok {
		p.Rotate = own
	}
	if own, ok := d["MediaBox"]; ok {
		p.Box = own
	}
	if d["CropBox"] != nil {
		p.Box = d["CropBox"]
	}
	return p
}

// completed looks up missing attributes in the parents of a page. Stray pages need that, because the
// walk did not visit their parents.
func (p Page) completed(objects syntax.Resolver) Page {
	const maxParents = 32
	parent := objects.Dict(p.Dict["Parent"])
	for depth := 0; depth < maxParents && parent != nil && (p.Resources == nil || p.Box == nil); depth++ {
		if p.Resources == nil {
			p.Resources = parent["Resources"]
		}
		if p.Box == nil {
			p.Box = parent["MediaBox"]
		}
		parent = objects.Dict(parent["Parent"])
	}
	return p
}
