package office

import (
	"strings"

	"portside/documents"
)

// odfParagraph is the paragraph that is being read.
type odfParagraph struct {
	text   strings.Builder
	kind   documents.BlockKind
	level  int
	style  string
	label  string
	boxes  collector
	noted  bool // a program began a page before it
	after  int
	header bool // of a list: an item without a label
	inList bool
}

func paragraphOf(e element) *odfParagraph {
	p := &odfParagraph{kind: documents.Paragraph, style: e.id("style-name")}
	if e.name == "h" {
		p.kind, p.level = documents.Heading, min(max(e.number("outline-level", 1), 1), depth)
		p.header = e.attr("is-list-header") == "true"
	}
	return p
}

func (o *odf) paragraph(s *scanner, p *odfParagraph, out sink) error {
	p.boxes.limits = o.into.Limits
	failed := o.inline(s, p)
	o.role(p)
	style := o.styles.style("paragraph", p.style)
	if style.breakBefore || p.noted {
		if err := out.turn(style.breakBefore); err != nil {
			return err
		}
	}
	if err := out.add(p.block()); err != nil {
		return err
	}
	if err := p.boxes.pour(out); err != nil {
		return err
	}
	if style.breakAfter {
		p.after++
	}
	for range p.after {
		if err := out.turn(true); err != nil {
			return err
		}
	}
	return failed
}

// role sets the number of a heading, and finds titles among the paragraphs.
func (o *odf) role(p *odfParagraph) {
	switch {
	case p.kind == documents.Heading && !p.inList && !p.header:
		p.label = o.styles.outline.next(p.level - 1)
	case p.kind == documents.Paragraph && o.styles.descends(p.style, "Title"):
		p.kind, p.level = documents.Heading, 1
	case p.kind == documents.Paragraph && o.styles.descends(p.style, "Subtitle"):
		p.kind, p.level = documents.Heading, 2
	}
}

func (p *odfParagraph) block() documents.Block {
	text := strings.TrimSpace(p.text.String())
	if label := strings.TrimSpace(p.label); label != "" && text != "" {
		text = label + " " + text
	}
	return documents.Block{Kind: p.kind, Level: p.level, Text: text}
}

// inline reads the content of a paragraph. Line breaks in the XML are spaces; those of the author are elements.
func (o *odf) inline(s *scanner, p *odfParagraph) error {
	err := s.content(
		func(e element) error { return o.span(s, e, p) },
		func(text []byte) {
			for i, b := range text {
				if b == '\n' || b == '\r' {
					text[i] = ' '
				}
			}
			s.write(&p.text, text)
		})
	if err == nil && p.text.Len() > o.into.Limits.Text {
		return documents.ErrTooMuch
	}
	return err
}

func (o *odf) span(s *scanner, e element, p *odfParagraph) error {
	if leftOut(e) {
		return nil
	}
	switch e.name {
	case "s", "tab":
		p.text.WriteByte(' ')
	case "line-break":
		p.text.WriteByte('\n')
	case "soft-page-break":
		if strings.TrimSpace(p.text.String()) == "" {
			p.noted = true
		} else {
			p.after++
		}
	case "note":
		return o.note(s)
	case "p", "h", "list", "table", "object", "text-box", "image":
		return o.piece(s, e, &p.boxes)
	case "frame", "custom-shape", "g", "rect", "ellipse", "line", "path", "polygon":
		return o.flow(s, &p.boxes)
	}
	return o.inline(s, p)
}

// note keeps a footnote for the end.
func (o *odf) note(s *scanner) error {
	return s.children(func(e element) error {
		if e.name != "note-body" {
			return nil
		}
		return o.flow(s, &o.notes)
	})
}

// odfList is the list that is being read, and the lists around it.
type odfList struct {
	style string
	state *list // from the first item on
	level int
}

func (o *odf) list(s *scanner, e element, out sink) error {
	l := odfList{style: e.id("style-name")}
	if e.attr("continue-numbering") == "true" || e.attr("continue-list") != "" {
		l.state = o.lists[l.style]
	}
	return o.items(s, l, out)
}

// begin resets the counters, unless the list continues an earlier one.
func (o *odf) begin(l *odfList) {
	if l.state != nil {
		return
	}
	fresh := o.styles.lists[l.style]
	l.state = &fresh
	if len(o.lists) < o.into.Limits.Objects/100 {
		o.lists[l.style] = l.state
	}
}

func (o *odf) items(s *scanner, l odfList, out sink) error {
	return s.children(func(e element) error {
		if e.name != "list-item" && e.name != "list-header" {
			return nil
		}
		o.begin(&l)
		if start := e.number("start-value", unset); start != unset {
			l.state.restart(l.level, start)
		}
		return o.item(s, l, e.name == "list-header", out)
	})
}

// item reads an item. Only the first paragraph has the label.
func (o *odf) item(s *scanner, l odfList, header bool, out sink) error {
	return s.children(func(e element) error {
		switch e.name {
		case "p", "h":
			p := paragraphOf(e)
			p.inList = true
			if !header {
				p.label = l.state.next(l.level)
			}
			if p.kind == documents.Paragraph {
				p.kind, p.level = documents.ListItem, l.level
			}
			header = true
			return o.paragraph(s, p, out)
		case "list":
			return o.items(s, odfList{state: l.state, level: min(l.level+1, depth-1)}, out)
		}
		return o.piece(s, e, out)
	})
}
