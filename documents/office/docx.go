package office

import (
	"cmp"
	"strings"

	"portside/documents"
)

// docx reads the parts of a Word document.
type docx struct {
	a       *archive
	into    *documents.Builder
	styles  wordStyles
	numbers wordNumbers
	related *relations // of the part that is being read
	// isImported is true for a document that another one imports. chunks counts the imports, and imported their bytes.
	isImported bool
	chunks     int
	imported   int
	carried    *strings.Builder // text of paragraphs with deleted ends, which the next paragraph continues; nil if there is none
}

func readDOCX(a *archive) error {
	part, err := a.mainPart("word/document.xml")
	if err != nil {
		return err
	}
	d, related, err := newDOCX(a, part)
	if err != nil {
		return err
	}
	out, err := newPages(a)
	if err != nil {
		return err
	}
	return d.document(part, related, out)
}

// newDOCX reads what the paragraphs of a main part refer to.
func newDOCX(a *archive, part string) (*docx, *relations, error) {
	related, err := a.relations(part)
	if err != nil {
		return nil, nil, err
	}
	d := &docx{a: a, into: a.into}
	if d.styles, err = a.wordStyles(related.target("styles")); err != nil {
		return nil, nil, err
	}
	if d.numbers, err = a.wordNumbers(related.target("numbering")); err != nil {
		return nil, nil, err
	}
	return d, related, nil
}

// document reads headers, body, footers and notes, in the order of the page.
func (d *docx) document(part string, related *relations, out sink) error {
	if err := d.margins(related, "header", out); err != nil {
		return err
	}
	d.related = related
	err := must(d.a.walk(part, func(s *scanner, _ element) error { return d.flow(s, out) }))
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
func (d *docx) margins(related *relations, kind string, out sink) error {
	once := margins{added: map[string]bool{}}
	for _, r := range related.inOrder {
		if r.kind != kind {
			continue
		}
		held := &collector{limits: d.into.Limits}
		var err error
		if d.related, err = d.a.relations(r.target); err != nil {
			return err
		}
		err = d.a.walkOptional(r.target, func(s *scanner, _ element) error { return d.flow(s, held) })
		if err != nil {
			return err
		}
		if err := once.pour(held, out); err != nil {
			return err
		}
	}
	return nil
}

// flow reads the content of a body, a cell, a text box or a note.
func (d *docx) flow(s *scanner, out sink) error {
	return s.children(func(e element) error { return d.piece(s, e, out) })
}

func (d *docx) piece(s *scanner, e element, out sink) error {
	switch e.name {
	case "p":
		return d.paragraph(s, out)
	case "tbl":
		return d.table(s, out)
	case "footnote", "endnote":
		if kind := e.attr("type"); kind != "" && kind != "normal" {
			return nil // the line above the notes
		}
	case "sdt":
		_, err := control(s, func(e element) error { return d.piece(s, e, out) })
		return err
	case "altChunk":
		return d.chunk(e.id("id"))
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
	boxes  collector // text boxes that are anchored in the paragraph; they follow it
	hidden bool
	joined bool // its end was deleted, so the next paragraph continues it
	forced bool // a page begins before it
	noted  bool
	after  int    // pages that begin within or after it
	choice string // choice of a form field that has no text
	chosen int    // where the text of that field begins
}

func (d *docx) paragraph(s *scanner, out sink) error {
	p := &wordParagraph{own: wordStyle{outline: unset, level: unset}}
	p.boxes.limits = d.into.Limits
	p.text, d.carried = cmp.Or(d.carried, &strings.Builder{}), nil
	if err := s.children(func(e element) error { return d.inline(s, e, p) }); err != nil {
		return d.put(p, out, err)
	}
	if p.joined {
		d.carried = p.text
		return p.boxes.pour(out)
	}
	return d.put(p, out, nil)
}

// put adds a paragraph and the page breaks around it. If reading the paragraph failed, it adds the first part.
func (d *docx) put(p *wordParagraph, out sink, failed error) error {
	if p.forced || p.noted {
		if err := out.turn(p.forced); err != nil {
			return err
		}
	}
	if err := out.add(d.block(p)); err != nil {
		return err
	}
	if err := p.boxes.pour(out); err != nil {
		return err
	}
	for range p.after {
		if err := out.turn(true); err != nil {
			return err
		}
	}
	return failed
}

func (d *docx) block(p *wordParagraph) documents.Block {
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

func (d *docx) properties(s *scanner, p *wordParagraph) error {
	return s.children(func(e element) error {
		switch e.name {
		case "pStyle":
			p.style = e.id("val")
		case "pageBreakBefore":
			p.forced = p.forced || e.on()
		case "sectPr":
			return d.section(s, p)
		case "rPr":
			return s.children(func(e element) error {
				p.joined = p.joined || e.name == "del" || e.name == "moveFrom"
				return nil
			})
		}
		return p.own.property(s, e)
	})
}

// section ends a section. The next section begins on a new page unless it is continuous.
func (*docx) section(s *scanner, p *wordParagraph) error {
	kind := ""
	err := s.children(func(e element) error {
		if e.name == "type" {
			kind = e.attr("val")
		}
		return nil
	})
	if kind != "continuous" && kind != "nextColumn" {
		p.after++
	}
	return err
}
