package office

import (
	"cmp"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/numerals"
)

// placeholder is the role that a layout gives to a shape.
type placeholder struct {
	is          bool
	kind, index string
}

func (h placeholder) role() string {
	switch h.kind {
	case "ctrTitle":
		return "title"
	case "", "obj":
		return "body"
	}
	return h.kind
}

// shape is a shape or a group of shapes, with its text.
type shape struct {
	at     place
	placed bool
	holder placeholder
	said   collector
	inner  []*shape
}

const maxShapes = 50_000 // shapes with text on a slide; all are in memory until they are sorted

// sameRow is how far apart, in EMU, the tops of shapes in one row may be: 0.3 inch.
const sameRow = 274_320

// pour adds the texts in reading order: the title, then from top to bottom.
func (sh *shape) pour(out sink) error {
	if err := sh.said.pour(out); err != nil {
		return err
	}
	for _, each := range ordered(sh.inner) {
		if err := each.pour(out); err != nil {
			return err
		}
	}
	return nil
}

func ordered(shapes []*shape) []*shape {
	slices.SortStableFunc(shapes, func(a, b *shape) int {
		if c := cmp.Compare(rank(a), rank(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.at.top, b.at.top)
	})
	for from := 0; from < len(shapes); {
		to := from + 1
		for to < len(shapes) && rank(shapes[to]) == rank(shapes[from]) && shapes[to].at.top-shapes[from].at.top < sameRow {
			to++
		}
		slices.SortStableFunc(shapes[from:to], func(a, b *shape) int { return cmp.Compare(a.at.left, b.at.left) })
		from = to
	}
	return shapes
}

func rank(sh *shape) int {
	switch {
	case sh.holder.is && sh.holder.role() == "title":
		return 0
	case sh.holder.is && sh.holder.role() == "ftr", sh.holder.is && sh.holder.role() == "dt":
		return 2
	}
	return 1
}

// slideReader reads the shapes of a slide, or the positions of the placeholders of a layout.
type slideReader struct {
	p       *pptx
	s       *scanner
	related *relations
	above   places
	places  places
	notes   bool
	count   int // of the shapes that say something
}

// tree reads shapes into a group.
func (r *slideReader) tree(group *shape) error {
	return r.s.children(func(e element) error {
		switch e.name {
		case "sp", "pic", "cxnSp", "graphicFrame", "grpSp":
			return r.shape(e, group)
		case "grpSpPr":
			return r.position(group)
		case "Fallback":
			if len(group.inner) > 0 {
				return nil
			}
		case "timing", "transition", "extLst":
			return nil
		}
		return r.tree(group)
	})
}

func (r *slideReader) shape(e element, group *shape) error {
	sh := &shape{}
	sh.said.limits = r.p.into.Limits
	var err error
	if e.name == "grpSp" {
		err = r.tree(sh)
	} else {
		err = r.s.children(func(e element) error { return r.part(e, sh) })
	}
	if r.places != nil && sh.placed && sh.holder.is {
		r.places.note(sh.holder, sh.at)
	}
	if at, ok := r.above.of(sh.holder); ok && sh.holder.is && !sh.placed {
		sh.at = at
	}
	if sh.said.isEmpty() && len(sh.inner) == 0 || !r.wanted(sh) {
		return err
	}
	if r.count++; r.count > maxShapes {
		return documents.ErrTooMuch
	}
	group.inner = append(group.inner, sh)
	return err
}

// wanted reports whether to read a placeholder. It leaves out slide numbers, and footers that an earlier slide has.
func (r *slideReader) wanted(sh *shape) bool {
	role := sh.holder.role()
	switch {
	case r.notes:
		return sh.holder.is && role == "body"
	case !sh.holder.is:
		return true
	case role == "sldNum" || role == "sldImg":
		return false
	case role == "ftr" || role == "dt":
		text, _ := sh.said.words()
		isKnown := r.p.added[text]
		r.p.added[text] = true
		return !isKnown
	}
	return true
}

func (r *slideReader) part(e element, sh *shape) error {
	switch e.name {
	case "ph":
		sh.holder = placeholder{is: true, kind: e.attr("type"), index: e.attr("idx")}
		return nil
	case "xfrm":
		return r.offset(sh)
	case "txBody":
		return r.body(sh)
	case "tbl":
		return r.table(sh)
	case "chart":
		return r.p.a.chart(r.related, e.reference("id"), &sh.said)
	case "blip":
		r.picture(e, sh)
		return nil
	case "relIds":
		return r.p.a.diagram(r.related, e.reference("dm"), &sh.said)
	case "Fallback", "style":
		return nil
	}
	return r.s.children(func(child element) error { return r.part(child, sh) })
}

// picture adds a picture, or the picture that fills a shape. Pictures of layouts are decoration.
func (r *slideReader) picture(e element, sh *shape) {
	if r.related == nil {
		return
	}
	if target, ok := r.related.byID(e.reference("embed")); ok {
		sh.said.picture(target.target)
	}
}

func (r *slideReader) position(sh *shape) error {
	return r.s.children(func(e element) error {
		if e.name == "xfrm" {
			return r.offset(sh)
		}
		return nil
	})
}

func (r *slideReader) offset(sh *shape) error {
	return r.s.children(func(e element) error {
		if e.name == "off" {
			sh.at, sh.placed = place{left: e.number("x", 0), top: e.number("y", 0)}, true
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

func (r *slideReader) body(sh *shape) error {
	counted := map[int]int{}
	var title []string
	err := r.s.children(func(e element) error {
		if e.name != "p" {
			return nil
		}
		var p slideParagraph
		text, err := r.paragraph(&p)
		if sh.holder.is && sh.holder.role() == "title" && !r.notes {
			title = append(title, text)
			return err
		}
		if err != nil || strings.TrimSpace(text) == "" {
			return err
		}
		return sh.said.add(r.block(sh, p, p.label(counted)+text))
	})
	if added := sh.said.add(documents.Block{Kind: documents.Heading, Level: 1, Text: strings.Join(title, " ")}); err == nil {
		err = added
	}
	return err
}

func (r *slideReader) block(sh *shape, p slideParagraph, text string) documents.Block {
	listed := p.bullet == "sign" || p.bullet == "number"
	if p.bullet == "" && sh.holder.is && sh.holder.role() == "body" && !r.notes {
		listed = true
	}
	if listed {
		return documents.Block{Kind: documents.ListItem, Level: p.level, Text: text}
	}
	return documents.Block{Kind: documents.Paragraph, Text: text}
}

func (r *slideReader) paragraph(p *slideParagraph) (string, error) {
	var out strings.Builder
	var visit func(e element) error
	visit = func(e element) error {
		switch e.name {
		case "pPr":
			p.level = min(max(e.number("lvl", 0), 0), depth-1)
			return r.s.children(func(e element) error {
				p.property(e)
				return nil
			})
		case "t":
			return r.s.appendText(&out)
		case "br":
			out.WriteByte('\n')
		case "Fallback", "rPr", "endParaRPr":
			return nil
		}
		return r.s.children(visit)
	}
	err := r.s.children(visit)
	if err == nil && out.Len() > r.p.into.Limits.Text {
		err = documents.ErrTooMuch
	}
	return out.String(), err
}

func (p *slideParagraph) property(e element) {
	switch e.name {
	case "buNone":
		p.bullet = "none"
	case "buChar", "buBlip":
		p.bullet = "sign"
	case "buAutoNum":
		p.bullet, p.scheme, p.start = "number", e.attr("type"), e.number("startAt", 1)
	}
}

// label counts a numbered paragraph of a shape and returns its number.
func (p *slideParagraph) label(counted map[int]int) string {
	for deeper := p.level + 1; deeper < depth; deeper++ {
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

func (r *slideReader) table(sh *shape) error {
	t := newTable(&sh.said, r.p.into)
	header := false
	err := r.s.children(func(e element) error {
		switch e.name {
		case "tblPr":
			header = isTrue(e.attr("firstRow"))
		case "tr":
			l, err := r.row(t)
			l.header, header = header, false
			if err != nil {
				return err
			}
			return t.add(l)
		}
		return nil
	})
	if flushed := t.end(); err == nil {
		err = flushed
	}
	return err
}

func (r *slideReader) row(t *table) (line, error) {
	l, column := line{}, 0
	err := r.s.children(func(e element) error {
		if e.name != "tc" {
			return nil
		}
		inner := &shape{}
		inner.said.limits = r.p.into.Limits
		err := r.s.children(func(e element) error { return r.part(e, inner) })
		t.keepPictures(&inner.said)
		text, _ := inner.said.words()
		text = documents.Clean(text)
		if err := l.put(cell{text, column, quantity(text)}, r.p.into.Limits); err != nil {
			return err
		}
		column++
		return err
	})
	return l, err
}
