package odf

import (
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

const missing = -1 // the number of an attribute that is missing

// odfParagraph is the paragraph that is being read.
type odfParagraph struct {
	text   strings.Builder
	kind   documents.BlockKind
	level  int
	style  string
	label  string
	boxes  flow.Collector
	noted  bool // a program began a page before it
	after  int
	header bool // of a list: an item without a label
	inList bool
}

func paragraphOf(e parts.Element) *odfParagraph {
	p := &odfParagraph{kind: documents.Paragraph, style: e.ID("style-name")}
	if e.Name == "h" {
		p.kind, p.level = documents.Heading, min(max(e.Number("outline-level", 1), 1), flow.Depth)
		p.header = e.Attr("is-list-header") == "true"
	}
	return p
}

func (o *reader) paragraph(s *parts.Scanner, p *odfParagraph, out flow.Sink) error {
	p.boxes.Limits = o.into.Limits
	failed := o.inline(s, p)
	o.role(p)
	style := o.styles.style("paragraph", p.style)
	if style.breakBefore || p.noted {
		if err := out.Turn(style.breakBefore); err != nil {
			return err
		}
	}
	if err := out.Add(p.block()); err != nil {
		return err
	}
	if err := p.boxes.Pour(out); err != nil {
		return err
	}
	if style.breakAfter {
		p.after++
	}
	for range p.after {
		if err := out.Turn(true); err != nil {
			return err
		}
	}
	return failed
}

// role sets the number of a heading, and finds titles among the paragraphs.
func (o *reader) role(p *odfParagraph) {
	switch {
	case p.kind == documents.Heading && !p.inList && !p.header:
		p.label = o.styles.outline.Next(p.level - 1)
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
func (o *reader) inline(s *parts.Scanner, p *odfParagraph) error {
	err := s.Content(
		func(e parts.Element) error { return o.span(s, e, p) },
		func(text []byte) {
			for i, b := range text {
				if b == '\n' || b == '\r' {
					text[i] = ' '
				}
			}
			s.Write(&p.text, text)
		})
	if err == nil && p.text.Len() > o.into.Limits.Text {
		return documents.ErrTooMuch
	}
	return err
}

func (o *reader) span(s *parts.Scanner, e parts.Element, p *odfParagraph) error {
	if o.leftOut(e) {
		return nil
	}
	switch e.Name {
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
func (o *reader) note(s *parts.Scanner) error {
	return s.Children(func(e parts.Element) error {
		if e.Name != "note-body" {
			return nil
		}
		return o.flow(s, &o.notes)
	})
}

// odfList is the list that is being read, and the lists around it.
type odfList struct {
	style string
	state *flow.List // from the first item on
	level int
}

func (o *reader) list(s *parts.Scanner, e parts.Element, out flow.Sink) error {
	l := odfList{style: e.ID("style-name")}
	if e.Attr("continue-numbering") == "true" || e.Attr("continue-list") != "" {
		l.state = o.lists[l.style]
	}
	return o.items(s, l, out)
}

// begin resets the counters, unless the list continues an earlier one.
func (o *reader) begin(l *odfList) {
	if l.state != nil {
		return
	}
	fresh := o.styles.lists[l.style]
	l.state = &fresh
	if len(o.lists) < o.into.Limits.Objects/100 {
		o.lists[l.style] = l.state
	}
}

func (o *reader) items(s *parts.Scanner, l odfList, out flow.Sink) error {
	return s.Children(func(e parts.Element) error {
		if e.Name != "list-item" && e.Name != "list-header" {
			return nil
		}
		o.begin(&l)
		if start := e.Number("start-value", missing); start != missing {
			l.state.Restart(l.level, start)
		}
		return o.item(s, l, e.Name == "list-header", out)
	})
}

// item reads an item. Only the first paragraph has the label.
func (o *reader) item(s *parts.Scanner, l odfList, header bool, out flow.Sink) error {
	return s.Children(func(e parts.Element) error {
		switch e.Name {
		case "p", "h":
			p := paragraphOf(e)
			p.inList = true
			if !header {
				p.label = l.state.Next(l.level)
			}
			if p.kind == documents.Paragraph {
				p.kind, p.level = documents.ListItem, l.level
			}
			header = true
			return o.paragraph(s, p, out)
		case "list":
			return o.items(s, odfList{state: l.state, level: min(l.level+1, flow.Depth-1)}, out)
		}
		return o.piece(s, e, out)
	})
}
