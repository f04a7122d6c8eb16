package pptx

import (
	"strings"

	"portside/documents"
	"portside/documents/numerals"
	"portside/documents/office/internal/drawing"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
	"portside/documents/office/internal/slide"
)

// slideReader reads the shapes of a slide, or the positions of the placeholders of a layout.
type slideReader struct {
	p       *reader
	s       *parts.Scanner
	related *parts.Relations
	above   places
	places  places
	notes   bool
	count   int // of the shapes that say something
}

// tree reads shapes into a group.
func (r *slideReader) tree(group *slide.Shape) error {
	return r.s.Children(func(e parts.Element) error {
		switch e.Name {
		case "sp", "pic", "cxnSp", "graphicFrame", "grpSp":
			return r.shape(e, group)
		case "grpSpPr":
			return r.position(group)
		case "Fallback":
			if len(group.Inner) > 0 {
				return nil
			}
		case "timing", "transition", "extLst":
			return nil
		}
		return r.tree(group)
	})
}

func (r *slideReader) shape(e parts.Element, group *slide.Shape) error {
	sh := &slide.Shape{}
	sh.Said.Limits = r.p.into.Limits
	var err error
	if e.Name == "grpSp" {
		err = r.tree(sh)
	} else {
		err = r.s.Children(func(e parts.Element) error { return r.part(e, sh) })
	}
	if r.places != nil && sh.Placed && sh.Holder.Is {
		r.places.note(sh.Holder, sh.At)
	}
	if at, ok := r.above.of(sh.Holder); ok && sh.Holder.Is && !sh.Placed {
		sh.At = at
	}
	if sh.Said.IsEmpty() && len(sh.Inner) == 0 || !r.wanted(sh) {
		return err
	}
	if r.count++; r.count > slide.MaxShapes {
		return documents.ErrTooMuch
	}
	group.Inner = append(group.Inner, sh)
	return err
}

// wanted reports whether to read a placeholder. It leaves out slide numbers, and footers that an earlier slide has.
func (r *slideReader) wanted(sh *slide.Shape) bool {
	role := sh.Holder.Role()
	switch {
	case r.notes:
		return sh.Holder.Is && role == "body"
	case !sh.Holder.Is:
		return true
	case role == "sldNum" || role == "sldImg":
		return false
	case role == "ftr" || role == "dt":
		text, _ := sh.Said.Words()
		isKnown := r.p.added[text]
		r.p.added[text] = true
		return !isKnown
	}
	return true
}

func (r *slideReader) part(e parts.Element, sh *slide.Shape) error {
	switch e.Name {
	case "ph":
		sh.Holder = slide.Placeholder{Is: true, Kind: e.Attr("type"), Index: e.Attr("idx")}
		return nil
	case "xfrm":
		return r.offset(sh)
	case "txBody":
		return r.body(sh)
	case "tbl":
		return r.table(sh)
	case "chart":
		return drawing.Chart(r.p.a, r.related, e.Reference("id"), &sh.Said)
	case "blip":
		r.picture(e, sh)
		return nil
	case "relIds":
		return drawing.Diagram(r.p.a, r.related, e.Reference("dm"), &sh.Said)
	case "Fallback", "style":
		return nil
	}
	return r.s.Children(func(child parts.Element) error { return r.part(child, sh) })
}

// picture adds a picture, or the picture that fills a shape. Pictures of layouts are decoration.
func (r *slideReader) picture(e parts.Element, sh *slide.Shape) {
	if r.related == nil {
		return
	}
	if target, ok := r.related.ByID(e.Reference("embed")); ok {
		sh.Said.Picture(target.Target)
	}
}

func (r *slideReader) position(sh *slide.Shape) error {
	return r.s.Children(func(e parts.Element) error {
		if e.Name == "xfrm" {
			return r.offset(sh)
		}
		return nil
	})
}

func (r *slideReader) offset(sh *slide.Shape) error {
	return r.s.Children(func(e parts.Element) error {
		if e.Name == "off" {
			sh.At, sh.Placed = slide.Place{Left: e.Number("x", 0), Top: e.Number("y", 0)}, true
		}
		return nil
	})
}

// slideParagraph has the list properties of a paragraph.
type slideParagraph struct {
	level  int
	bullet string // none, sign, number, or "" for what the layout gives
	scheme string
	start  int
}

func (r *slideReader) body(sh *slide.Shape) error {
	counted := map[int]int{}
	var title []string
	err := r.s.Children(func(e parts.Element) error {
		if e.Name != "p" {
			return nil
		}
		var p slideParagraph
		text, err := r.paragraph(&p)
		if sh.Holder.Is && sh.Holder.Role() == "title" && !r.notes {
			title = append(title, text)
			return err
		}
		if err != nil || strings.TrimSpace(text) == "" {
			return err
		}
		return sh.Said.Add(r.block(sh, p, p.label(counted)+text))
	})
	if added := sh.Said.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: strings.Join(title, " ")}); err == nil {
		err = added
	}
	return err
}

func (r *slideReader) block(sh *slide.Shape, p slideParagraph, text string) documents.Block {
	listed := p.bullet == "sign" || p.bullet == "number"
	if p.bullet == "" && sh.Holder.Is && sh.Holder.Role() == "body" && !r.notes {
		listed = true
	}
	if listed {
		return documents.Block{Kind: documents.ListItem, Level: p.level, Text: text}
	}
	return documents.Block{Kind: documents.Paragraph, Text: text}
}

func (r *slideReader) paragraph(p *slideParagraph) (string, error) {
	var out strings.Builder
	var visit func(e parts.Element) error
	visit = func(e parts.Element) error {
		switch e.Name {
		case "pPr":
			p.level = min(max(e.Number("lvl", 0), 0), flow.Depth-1)
			return r.s.Children(func(e parts.Element) error {
				p.property(e)
				return nil
			})
		case "t":
			return r.s.AppendText(&out)
		case "br":
			out.WriteByte('\n')
		case "Fallback", "rPr", "endParaRPr":
			return nil
		}
		return r.s.Children(visit)
	}
	err := r.s.Children(visit)
	if err == nil && out.Len() > r.p.into.Limits.Text {
		err = documents.ErrTooMuch
	}
	return out.String(), err
}

func (p *slideParagraph) property(e parts.Element) {
	switch e.Name {
	case "buNone":
		p.bullet = "none"
	case "buChar", "buBlip":
		p.bullet = "sign"
	case "buAutoNum":
		p.bullet, p.scheme, p.start = "number", e.Attr("type"), e.Number("startAt", 1)
	}
}

// label counts a numbered paragraph of a shape and returns its number.
func (p *slideParagraph) label(counted map[int]int) string {
	for deeper := p.level + 1; deeper < flow.Depth; deeper++ {
		delete(counted, deeper)
	}
	if p.bullet != "number" {
		delete(counted, p.level)
		return ""
	}
	counted[p.level]++
	format, after := "decimal", "."
	switch n := p.scheme; {
	case strings.HasPrefix(n, "alphaLc"):
		format = "lowerLetter"
	case strings.HasPrefix(n, "alphaUc"):
		format = "upperLetter"
	case strings.HasPrefix(n, "romanLc"):
		format = "lowerRoman"
	case strings.HasPrefix(n, "romanUc"):
		format = "upperRoman"
	}
	if strings.Contains(p.scheme, "Paren") {
		after = ")"
	}
	return numerals.Format(format, p.start+counted[p.level]-1) + after + " "
}

func (r *slideReader) table(sh *slide.Shape) error {
	t := flow.NewTable(&sh.Said, r.p.into)
	header := false
	err := r.s.Children(func(e parts.Element) error {
		switch e.Name {
		case "tblPr":
			header = parts.IsTrue(e.Attr("firstRow"))
		case "tr":
			l, err := r.row(t)
			l.Header, header = header, false
			if err != nil {
				return err
			}
			return t.Add(l)
		}
		return nil
	})
	if flushed := t.End(); err == nil {
		err = flushed
	}
	return err
}

func (r *slideReader) row(t *flow.Table) (flow.Line, error) {
	l, column := flow.Line{}, 0
	err := r.s.Children(func(e parts.Element) error {
		if e.Name != "tc" {
			return nil
		}
		inner := &slide.Shape{}
		inner.Said.Limits = r.p.into.Limits
		err := r.s.Children(func(e parts.Element) error { return r.part(e, inner) })
		t.KeepPictures(&inner.Said)
		text, _ := inner.Said.Words()
		text = documents.Clean(text)
		if err := l.Put(flow.Cell{Text: text, Column: column, Typed: flow.Quantity(text)}, r.p.into.Limits); err != nil {
			return err
		}
		column++
		return err
	})
	return l, err
}
