// Package odf reads OpenDocument files: texts, spreadsheets and presentations.
package odf

import (
	"path"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

// reader reads an OpenDocument file: a text, a spreadsheet or a presentation.
type reader struct {
	a         *parts.Archive
	into      *documents.Builder
	styles    *odfStyles
	lists     map[string]*flow.List // by the style, as they were left; a list may go on later
	notes     flow.Collector
	values    bool // read the values of cells, not their displayed text
	nested    int  // objects within objects
	directory string
}

// newReader reads the styles and the title.
func newReader(a *parts.Archive) (*reader, error) {
	if err := refuseEncrypted(a); err != nil {
		return nil, err
	}
	o := &reader{a: a, into: a.Into, styles: newODFStyles(a.Into.Limits.Objects), lists: map[string]*flow.List{}}
	o.notes.Limits = a.Into.Limits
	if err := a.Title("meta.xml"); err != nil {
		return nil, err
	}
	return o, a.WalkOptional("styles.xml", o.styles.visit)
}

// refuseEncrypted returns ErrEncrypted if the manifest says so. The manifest itself is never encrypted.
func refuseEncrypted(a *parts.Archive) error {
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		if e.Name == "encryption-data" {
			return documents.ErrEncrypted
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return a.WalkOptional("META-INF/manifest.xml", visit)
}

// body calls f with the content of the body: a text, a spreadsheet or a presentation.
func (o *reader) body(f func(s *parts.Scanner, e parts.Element) error) error {
	part := path.Join(o.directory, "content.xml")
	return parts.Must(o.a.Walk(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if e.Name != "body" {
				return o.styles.visit(s, e)
			}
			return s.Children(func(parts.Element) error {
				return s.Children(func(child parts.Element) error { return f(s, child) })
			})
		})
	}))
}

// ReadODT reads a text.
func ReadODT(a *parts.Archive) error {
	o, err := newReader(a)
	if err != nil {
		return err
	}
	out, err := flow.NewPages(a)
	if err != nil {
		return err
	}
	if err := o.margins("header", out); err != nil {
		return err
	}
	if err := o.body(func(s *parts.Scanner, e parts.Element) error { return o.piece(s, e, out) }); err != nil {
		return err
	}
	if err := o.margins("footer", out); err != nil {
		return err
	}
	return o.notes.Pour(out)
}

// margins reads the headers or the footers of all master pages, without repeated texts.
func (o *reader) margins(kind string, out flow.Sink) error {
	once := flow.NewMargins()
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		switch {
		case e.Name == "styles" || e.Name == "automatic-styles":
			return nil
		case !strings.HasPrefix(e.Name, kind) || strings.HasSuffix(e.Name, "style"):
			return s.Children(func(child parts.Element) error { return visit(s, child) })
		}
		held := &flow.Collector{Limits: o.into.Limits}
		if err := o.flow(s, held); err != nil {
			return err
		}
		return once.Pour(held, out)
	}
	return o.a.WalkOptional("styles.xml", visit)
}

// flow reads the content of a text, a section, a cell, a text box or a note.
func (o *reader) flow(s *parts.Scanner, out flow.Sink) error {
	return s.Children(func(e parts.Element) error { return o.piece(s, e, out) })
}

func (o *reader) piece(s *parts.Scanner, e parts.Element, out flow.Sink) error {
	if o.leftOut(e) {
		return nil
	}
	switch e.Name {
	case "p", "h":
		return o.paragraph(s, paragraphOf(e), out)
	case "list":
		return o.list(s, e, out)
	case "table":
		return o.table(s, out)
	case "object":
		return o.object(e, out)
	case "image":
		o.picture(e, out)
	case "soft-page-break":
		return out.Turn(false)
	}
	return o.flow(s, out)
}

// leftOut reports whether an element is not part of the text: deleted text, an annotation, a template of an index. It
// counts annotations and objects of other programs.
func (o *reader) leftOut(e parts.Element) bool {
	switch e.Name {
	case "annotation":
		o.a.Comments++
		return true
	case "object-ole":
		o.a.Objects++
		return true
	case "tracked-changes", "annotation-end", "forms", "ruby-text", "hidden-text", "page-number", "page-count", "note-citation",
		"event-listeners", "binary-data", "document-statistic", "label-ranges", "calculation-settings":
		return true
	case "title", "desc":
		return e.Space == "svg"
	}
	return strings.HasSuffix(e.Name, "-source") || strings.HasSuffix(e.Name, "-decls")
}

// picture adds a picture of the archive. It leaves out the preview of an embedded object.
func (o *reader) picture(e parts.Element, out flow.Sink) {
	href := strings.TrimPrefix(e.Attr("href"), "./")
	if href != "" && !strings.HasPrefix(href, "ObjectReplacements/") {
		out.Picture(path.Join(o.directory, href))
	}
}

// object reads an embedded chart, which is a document within the document.
func (o *reader) object(e parts.Element, out flow.Sink) error {
	const deepest = 2
	name := path.Join(o.directory, strings.TrimPrefix(e.Attr("href"), "./"))
	if o.nested >= deepest || e.Attr("href") == "" || !o.a.Has(path.Join(name, "content.xml")) {
		return nil
	}
	inner := *o
	inner.directory, inner.values = name, true
	inner.nested++
	err := inner.body(func(s *parts.Scanner, e parts.Element) error { return inner.piece(s, e, out) })
	return o.a.Tolerate(err)
}
