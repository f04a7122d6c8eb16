package pdf

import (
	"strings"

	"portside/documents"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// errDynamicForm is the error for a form whose pages are made by a program while it is shown (XFA). The pages of the
// file only ask for that program.
var errDynamicForm = &documents.Error{Message: "The PDF is a form that only Adobe Reader can show. Open it there, print it to " +
	"a new PDF, and send that."}

// isDynamicForm reports whether the file is an XFA form whose pages do not show the form.
func isDynamicForm(file *xref.File) bool {
	objects, catalog := file.Objects, file.Catalog()
	form := objects.Dict(catalog["AcroForm"])
	return objects.Resolve(form["XFA"]) != nil &&
		(objects.IsTrue(catalog["NeedsRendering"]) || len(objects.Array(form["Fields"])) == 0)
}

// enclosed are the parts of a file that are not read, beside its pages.
type enclosed struct {
	file     *xref.File
	names    []string // of attached files
	comments int
	seen     map[int]bool // attached files by object number
}

// warnOfEnclosed adds warnings about attached files and comments. The e-invoice, if any, has been read.
func warnOfEnclosed(file *xref.File, found []pages.Page, into *documents.Builder) {
	e := &enclosed{file: file, seen: map[int]bool{}}
	for _, o := range attachments(file) {
		e.addFile(o)
	}
	for _, p := range found {
		e.addAnnotations(p)
	}
	if file.Objects.Dict(file.Catalog()["Collection"]) != nil {
		into.Warn("The PDF is a portfolio, of which only the cover was read.")
	}
	into.LeaveOutFiles(e.names)
	into.LeaveOutComments(e.comments)
}

// addFile adds an attached file, unless it is an e-invoice that has been read or is known already.
func (e *enclosed) addFile(o any) {
	objects := e.file.Objects
	d := objects.Dict(o)
	number := syntax.ObjectNumber(o)
	if objects.Dict(d["EF"]) == nil || e.seen[number] && number != 0 || invoiceStream(objects, d) != nil {
		return
	}
	e.seen[number] = true
	name := objects.Text(d["UF"])
	if name == "" {
		name = objects.Text(d["F"])
	}
	e.names = append(e.names, name)
}

// commentTypes are annotations whose text appears beside the page, or only when it is opened.
var commentTypes = map[string]bool{
	"Text": true, "Highlight": true, "Underline": true, "StrikeOut": true, "Squiggly": true, "Caret": true, "Ink": true,
	"Line": true, "Square": true, "Circle": true, "Polygon": true, "PolyLine": true,
}

// addAnnotations adds the comments and the attached files of a page.
func (e *enclosed) addAnnotations(p pages.Page) {
	const maxAnnotations, hidden = 5_000, 1 << 1
	objects := e.file.Objects
	all := objects.Array(p.Dict["Annots"])
	for _, o := range all[:min(len(all), maxAnnotations)] {
		if !e.file.Budget.SpendWork(1) {
			return
		}
		d := objects.Dict(o)
		kind := objects.Name(d["Subtype"])
		switch isHidden := objects.Int(d["F"], 0)&hidden != 0; {
		case kind == "FileAttachment":
			e.addFile(d["FS"])
		case commentTypes[kind] && !isHidden && strings.TrimSpace(objects.Text(d["Contents"])) != "":
			e.comments++
		}
	}
}
