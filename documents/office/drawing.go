package office

import (
	"context"
	"strings"

	"portside/documents"
)

// series is a data series of a chart: its name, and its categories and values by index.
type series struct {
	name               string
	categories, values map[int]string
}

// chart reads the values of a chart as a table with a row for each category.
func (a *archive) chart(related *relations, id string, out sink) error {
	r, ok := related.byID(id)
	if !ok {
		return nil
	}
	c := &chart{ctx: a.ctx, limits: a.into.Limits}
	err := a.walkOptional(r.target, func(s *scanner, root element) error { return c.visit(s, root) })
	if err != nil {
		return err
	}
	if err := out.add(documents.Block{Kind: documents.Paragraph, Text: strings.TrimSpace(c.title.String())}); err != nil {
		return err
	}
	return c.rows(newTable(out, a.into))
}

const maxSeries = 1000 // in a chart; Excel draws 255. Each row of the table reads all of them

type chart struct {
	ctx    context.Context // of the archive
	title  strings.Builder
	series []series
	points int // read so far
	size   int // bytes of them
	limits documents.Limits
	end    int // one more than the last position
}

func (c *chart) visit(s *scanner, e element) error {
	switch e.name {
	case "ser":
		if len(c.series) >= maxSeries {
			return documents.ErrTooMuch
		}
		one := series{categories: map[int]string{}, values: map[int]string{}}
		err := s.children(func(e element) error { return c.part(s, e, &one) })
		c.series = append(c.series, one)
		return err
	case "t":
		return s.appendText(&c.title)
	case "txPr", "dLbls":
		return nil
	}
	return s.children(func(child element) error { return c.visit(s, child) })
}

func (c *chart) part(s *scanner, e element, one *series) error {
	switch e.name {
	case "tx":
		name, err := c.cached(s)
		one.name = name[0]
		return err
	case "cat", "xVal":
		found, err := c.cached(s)
		one.categories = found
		return err
	case "val", "yVal":
		found, err := c.cached(s)
		one.values = found
		return err
	}
	return nil
}

// cached reads the points that the chart caches from its spreadsheet.
func (c *chart) cached(s *scanner) (map[int]string, error) {
	found, format := map[int]string{}, numberFormat{}
	isNumber := false
	var visit func(e element) error
	visit = func(e element) error {
		switch e.name {
		case "numCache", "numLit":
			isNumber = true
		case "formatCode":
			code, err := s.text()
			format = parseFormat(code)
			return err
		case "pt", "v":
			text, err := c.point(s, e)
			if isNumber {
				text = format.render(text, false)
			}
			found[e.number("idx", 0)] = text
			return err
		}
		return s.children(visit)
	}
	err := s.children(visit)
	return found, err
}

func (c *chart) point(s *scanner, e element) (string, error) {
	if c.points++; c.points > c.limits.Blocks {
		return "", documents.ErrTooMuch
	}
	at := e.number("idx", 0)
	if at >= 0 && at < c.limits.Blocks {
		c.end = max(c.end, at+1)
	}
	var out strings.Builder
	err := s.content(
		func(e element) error {
			if e.name == "v" {
				return s.appendText(&out)
			}
			return nil
		},
		func(text []byte) { s.write(&out, text) },
	)
	if c.size += out.Len(); err == nil && c.size > c.limits.Text {
		err = documents.ErrTooMuch
	}
	return strings.TrimSpace(out.String()), err
}

func (c *chart) rows(t *table) error {
	if len(c.series) == 0 {
		return nil
	}
	head := line{header: true}
	for i := range c.series {
		if err := head.put(cell{c.series[i].name, i + 1, false}, c.limits); err != nil {
			return err
		}
	}
	if err := t.add(head); err != nil {
		return err
	}
	for at := range c.end {
		if err := c.row(at, t); err != nil {
			return err
		}
	}
	return t.gap()
}

// row adds the values of a category. It checks the context, because many categories may have no values.
func (c *chart) row(at int, t *table) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	category := c.categories(at)
	if category == "" && c.series[0].values[at] == "" {
		return nil
	}
	l := line{}
	if err := l.put(cell{category, 0, false}, c.limits); err != nil {
		return err
	}
	for i := range c.series {
		if err := l.put(cell{c.series[i].values[at], i + 1, true}, c.limits); err != nil {
			return err
		}
	}
	return t.add(l)
}

func (c *chart) categories(at int) string {
	for i := range c.series {
		if name := c.series[i].categories[at]; name != "" {
			return name
		}
	}
	return ""
}

// diagram reads the texts of a diagram (SmartArt) in the order of the file.
func (a *archive) diagram(related *relations, id string, out sink) error {
	r, ok := related.byID(id)
	if !ok {
		return nil
	}
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		switch e.name {
		case "pt":
			if kind := e.attr("type"); kind != "" && kind != "node" && kind != "asst" {
				return nil // how a node is drawn
			}
		case "p":
			text, err := drawnText(s, a.into.Limits.Text)
			if err != nil {
				return err
			}
			return out.add(documents.Block{Kind: documents.ListItem, Text: text})
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return a.walkOptional(r.target, visit)
}

// drawnText returns the text of a paragraph in a drawing.
func drawnText(s *scanner, limit int) (string, error) {
	var out strings.Builder
	var visit func(e element) error
	visit = func(e element) error {
		switch e.name {
		case "t":
			if out.Len() > limit {
				return documents.ErrTooMuch
			}
			return s.appendText(&out)
		case "br":
			out.WriteByte('\n')
		case "tab":
			out.WriteByte('\t')
		case "Fallback", "pPr", "endParaRPr":
			return nil
		}
		return s.children(visit)
	}
	err := s.children(visit)
	return strings.TrimSpace(out.String()), err
}
