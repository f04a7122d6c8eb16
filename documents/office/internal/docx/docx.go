// Package docx reads Word documents.
package docx

import (
	"cmp"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

// reader reads the parts of a Word document.
type reader struct {
	a       *parts.Archive
	into    *documents.Builder
	styles  wordStyles
	numbers wordNumbers
	related *parts.Relations // of the part that is being read
	// isImported is true for a document that another one imports. chunks counts the imports, and imported their bytes.
	isImported bool
	chunks     int
	imported   int
	carried    *strings.Builder // text of paragraphs with deleted ends, which the next paragraph continues; nil without such text
}

// Read reads a Word document.
func Read(a *parts.Archive) error {
	part, err := a.MainPart("word/document.xml")
	if err != nil {
		return err
	}
	d, related, err := newReader(a, part)
	if err != nil {
		return err
	}
	out, err := flow.NewPages(a)
	if err != nil {
		return err
	}
	return d.document(part, related, out)
}

// newReader reads what the paragraphs of a main part refer to.
func newReader(a *parts.Archive, part string) (*reader, *parts.Relations, error) {
	related, err := a.Relations(part)
	if err != nil {
		return nil, nil, err
	}
	d := &reader{a: a, into: a.Into}
	if d.styles, err = readWordStyles(a, related.Target("styles")); err != nil {
		return nil, nil, err
	}
	if d.numbers, err = readWordNumbers(a, related.Target("numbering")); err != nil {
		return nil, nil, err
	}
	return d, related, nil
}

// document reads headers, body, footers and notes, in the order of the page.
func (d *reader) document(part string, related *parts.Relations, out flow.Sink) error {
	if err := d.margins(related, "header", out); err != nil {
		return err
	}
	d.related = related
	err := parts.Must(d.a.Walk(part, func(s *parts.Scanner, _ parts.Element) error { return d.flow(s, out) }))
	if err != nil {
		return err
	}
	for _, kind := range []string{"footer", "footnotes", "endnotes"} {
		if err := d.margins(related, kind, out); err != nil {
			return err
		}
	}
	return nil
}

// margins reads all headers or all footers, without repeated texts.
func (d *reader) margins(related *parts.Relations, kind string, out flow.Sink) error {
	once := flow.NewMargins()
	for _, r := range related.InOrder {
		if r.Kind != kind {
			continue
		}
		held := &flow.Collector{Limits: d.into.Limits}
		var err error
		if d.related, err = d.a.Relations(r.Target); err != nil {
			return err
		}
		err = d.a.WalkOptional(r.Target, func(s *parts.Scanner, _ parts.Element) error { return d.flow(s, held) })
		if err != nil {
			return err
		}
		if err := once.Pour(held, out); err != nil {
			return err
		}
	}
	return nil
}

// flow reads the content of a body, a cell, a text box or a note.
func (d *reader) flow(s *parts.Scanner, out flow.Sink) error {
	return s.Children(func(e parts.Element) error { return d.piece(s, e, out) })
}

func (d *reader) piece(s *parts.Scanner, e parts.Element, out flow.Sink) error {
	switch e.Name {
	case "p":
		return d.paragraph(s, out)
	case "tbl":
		return d.table(s, out)
	case "footnote", "endnote":
		if kind := e.Attr("type"); kind != "" && kind != "normal" {
			return nil // the line above the notes
		}
	case "sdt":
		_, err := control(s, func(e parts.Element) error { return d.piece(s, e, out) })
		return err
	case "altChunk":
		return d.chunk(e.ID("id"))
	case "del", "moveFrom", "sectPr", "sdtPr":
		return nil
	}
	return d.flow(s, out)
}

// wordParagraph is the paragraph that is being read.
type wordParagraph struct {
	text   *strings.Builder
	own    wordStyle
	style  string
	boxes  flow.Collector // text boxes that are anchored in the paragraph; they follow it
	hidden bool
	joined bool // its end was deleted, so the next paragraph continues it
	forced bool // a page begins before it
	noted  bool
	after  int    // pages that begin within or after it
	choice string // choice of a form field that has no text
	chosen int    // where the text of that field begins
}

func (d *reader) paragraph(s *parts.Scanner, out flow.Sink) error {
	p := &wordParagraph{own: wordStyle{outline: unset, level: unset}}
	p.boxes.Limits = d.into.Limits
	p.text, d.carried = cmp.Or(d.carried, &strings.Builder{}), nil
	if err := s.Children(func(e parts.Element) error { return d.inline(s, e, p) }); err != nil {
		return d.put(p, out, err)
	}
	if p.joined {
		d.carried = p.text
		return p.boxes.Pour(out)
	}
	return d.put(p, out, nil)
}

// put adds a paragraph and the page breaks around it. If reading the paragraph failed, it adds the first part.
func (d *reader) put(p *wordParagraph, out flow.Sink, failed error) error {
	if p.forced || p.noted {
		if err := out.Turn(p.forced); err != nil {
			return err
		}
	}
	if err := out.Add(d.block(p)); err != nil {
		return err
	}
	if err := p.boxes.Pour(out); err != nil {
		return err
	}
	for range p.after {
		if err := out.Turn(true); err != nil {
			return err
		}
	}
	return failed
}

func (d *reader) block(p *wordParagraph) documents.Block {
	resolved, heading, from := d.styles.resolve(p.own, p.style)
	block := documents.Block{Kind: documents.Paragraph, Text: p.text.String()}
	if resolved.number != "" && resolved.number != "0" {
		at, label := d.numbers.label(resolved, from)
		block.Kind, block.Level = documents.ListItem, at
		if label != "" && strings.TrimSpace(block.Text) != "" {
			block.Text = label + " " + block.Text
		}
	}
	if heading > 0 {
		block.Kind, block.Level = documents.Heading, heading
	}
	return block
}

// breakAt records a page break.
func (p *wordParagraph) breakAt(forced bool) {
	switch blank := strings.TrimSpace(p.text.String()) == ""; {
	case blank && forced:
		p.forced = true
	case blank:
		p.noted = true
	default:
		p.after++
	}
}

func (d *reader) properties(s *parts.Scanner, p *wordParagraph) error {
	return s.Children(func(e parts.Element) error {
		switch e.Name {
		case "pStyle":
			p.style = e.ID("val")
		case "pageBreakBefore":
			p.forced = p.forced || e.On()
		case "sectPr":
			return d.section(s, p)
		case "rPr":
			return s.Children(func(e parts.Element) error {
				p.joined = p.joined || e.Name == "del" || e.Name == "moveFrom"
				return nil
			})
		}
		return p.own.property(s, e)
	})
}

// section ends a section. The next section begins on a new page unless it is continuous.
func (*reader) section(s *parts.Scanner, p *wordParagraph) error {
	kind := ""
	err := s.Children(func(e parts.Element) error {
		if e.Name == "type" {
			kind = e.Attr("val")
		}
		return nil
	})
	if kind != "continuous" && kind != "nextColumn" {
		p.after++
	}
	return err
}
