package office

import (
	"path"
	"strings"

	"portside/documents"
)

// odf reads an OpenDocument file: a text, a spreadsheet or a presentation.
type odf struct {
	a         *archive
	into      *documents.Builder
	styles    *odfStyles
	lists     map[string]*list // by the style, as they were left; a list may go on later
	notes     collector
	values    bool // read the values of cells, not their displayed text
	nested    int  // objects within objects
	directory string
}

// openODF reads the styles and the title.
func openODF(a *archive) (*odf, error) {
	if err := refuseEncrypted(a); err != nil {
		return nil, err
	}
	o := &odf{a: a, into: a.into, styles: newODFStyles(a.into.Limits.Objects), lists: map[string]*list{}}
	o.notes.limits = a.into.Limits
	if err := a.title("meta.xml"); err != nil {
		return nil, err
	}
	return o, a.walkOptional("styles.xml", o.styles.visit)
}

// refuseEncrypted returns ErrEncrypted if the manifest says so. The manifest itself is never encrypted.
func refuseEncrypted(a *archive) error {
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		if e.name == "encryption-data" {
			return documents.ErrEncrypted
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return a.walkOptional("META-INF/manifest.xml", visit)
}

// body calls f with the content of the body: a text, a spreadsheet or a presentation.
func (o *odf) body(f func(s *scanner, e element) error) error {
	part := path.Join(o.directory, "content.xml")
	return must(o.a.walk(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "body" {
				return o.styles.visit(s, e)
			}
			return s.children(func(element) error {
				return s.children(func(child element) error { return f(s, child) })
			})
		})
	}))
}

func readODT(a *archive) error {
	o, err := openODF(a)
	if err != nil {
		return err
	}
	out, err := newPages(a)
	if err != nil {
		return err
	}
	if err := o.margins("header", out); err != nil {
		return err
	}
	if err := o.body(func(s *scanner, e element) error { return o.piece(s, e, out) }); err != nil {
		return err
	}
	if err := o.margins("footer", out); err != nil {
		return err
	}
	return o.notes.pour(out)
}

// margins reads the headers or the footers of all master pages, without repeated texts.
func (o *odf) margins(kind string, out sink) error {
	once := margins{added: map[string]bool{}}
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		switch {
		case e.name == "styles" || e.name == "automatic-styles":
			return nil
		case !strings.HasPrefix(e.name, kind) || strings.HasSuffix(e.name, "style"):
			return s.children(func(child element) error { return visit(s, child) })
		}
		held := &collector{limits: o.into.Limits}
		if err := o.flow(s, held); err != nil {
			return err
		}
		return once.pour(held, out)
	}
	return o.a.walkOptional("styles.xml", visit)
}

// flow reads the content of a text, a section, a cell, a text box or a note.
func (o *odf) flow(s *scanner, out sink) error {
	return s.children(func(e element) error { return o.piece(s, e, out) })
}

func (o *odf) piece(s *scanner, e element, out sink) error {
	if leftOut(e) {
		return nil
	}
	switch e.name {
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
		return out.turn(false)
	}
	return o.flow(s, out)
}

// leftOut reports whether an element is not part of the text: deleted text, an annotation, a template of an index.
func leftOut(e element) bool {
	switch e.name {
	case "tracked-changes", "annotation", "annotation-end", "forms", "ruby-text", "hidden-text", "page-number", "page-count", "note-citation",
		"event-listeners", "binary-data", "document-statistic", "label-ranges", "calculation-settings":
		return true
	case "title", "desc":
		return e.space == "svg"
	}
	return strings.HasSuffix(e.name, "-source") || strings.HasSuffix(e.name, "-decls")
}

// picture adds a picture of the archive. It leaves out the preview of an embedded object.
func (o *odf) picture(e element, out sink) {
	href := strings.TrimPrefix(e.attr("href"), "./")
	if href != "" && !strings.HasPrefix(href, "ObjectReplacements/") {
		out.picture(path.Join(o.directory, href))
	}
}

// object reads an embedded chart, which is a document within the document.
func (o *odf) object(e element, out sink) error {
	const deepest = 2
	name := path.Join(o.directory, strings.TrimPrefix(e.attr("href"), "./"))
	if o.nested >= deepest || e.attr("href") == "" || !o.a.has(path.Join(name, "content.xml")) {
		return nil
	}
	inner := *o
	inner.directory, inner.values = name, true
	inner.nested++
	err := inner.body(func(s *scanner, e element) error { return inner.piece(s, e, out) })
	return o.a.tolerate(err)
}
