// Package drawing reads what the formats of Microsoft Office have in common: charts, diagrams and the texts of
// drawings.
package drawing

import (
	"context"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/number"
	"portside/documents/office/internal/parts"
)

// series is a data series of a chart: its name, and its categories and values by index.
type series struct {
	name               string
	categories, values map[int]string
}

// Chart reads the values of a chart as a table with a row for each category.
func Chart(a *parts.Archive, related *parts.Relations, id string, out flow.Sink) error {
	r, ok := related.ByID(id)
	if !ok {
		return nil
	}
	c := &chart{ctx: a.Context, limits: a.Into.Limits}
	err := a.WalkOptional(r.Target, func(s *parts.Scanner, root parts.Element) error { return c.visit(s, root) })
	if err != nil {
		return err
	}
	if err := out.Add(documents.Block{Kind: documents.Paragraph, Text: strings.TrimSpace(c.title.String())}); err != nil {
		return err
	}
	return c.rows(flow.NewTable(out, a.Into))
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

func (c *chart) visit(s *parts.Scanner, e parts.Element) error {
	switch e.Name {
	case "ser":
		if len(c.series) >= maxSeries {
			return documents.ErrTooMuch
		}
		one := series{categories: map[int]string{}, values: map[int]string{}}
		err := s.Children(func(e parts.Element) error { return c.part(s, e, &one) })
		c.series = append(c.series, one)
		return err
	case "t":
		return s.AppendText(&c.title)
	case "txPr", "dLbls":
		return nil
	}
	return s.Children(func(child parts.Element) error { return c.visit(s, child) })
}

func (c *chart) part(s *parts.Scanner, e parts.Element, one *series) error {
	switch e.Name {
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
func (c *chart) cached(s *parts.Scanner) (map[int]string, error) {
	found, format := map[int]string{}, number.Format{}
	isNumber := false
	var visit func(e parts.Element) error
	visit = func(e parts.Element) error {
		switch e.Name {
		case "numCache", "numLit":
			isNumber = true
		case "formatCode":
			code, err := s.Text()
			format = number.ParseFormat(code)
			return err
		case "pt", "v":
			text, err := c.point(s, e)
			if isNumber {
				text = format.Render(text, false)
			}
			found[e.Number("idx", 0)] = text
			return err
		}
		return s.Children(visit)
	}
	err := s.Children(visit)
	return found, err
}

func (c *chart) point(s *parts.Scanner, e parts.Element) (string, error) {
	if c.points++; c.points > c.limits.Blocks {
		return "", documents.ErrTooMuch
	}
	at := e.Number("idx", 0)
	if at >= 0 && at < c.limits.Blocks {
		c.end = max(c.end, at+1)
	}
	var out strings.Builder
	err := s.Content(
		func(e parts.Element) error {
			if e.Name == "v" {
				return s.AppendText(&out)
			}
			return nil
		},
		func(text []byte) { s.Write(&out, text) },
	)
	if c.size += out.Len(); err == nil && c.size > c.limits.Text {
		err = documents.ErrTooMuch
	}
	return strings.TrimSpace(out.String()), err
}

func (c *chart) rows(t *flow.Table) error {
	if len(c.series) == 0 {
		return nil
	}
	head := flow.Line{Header: true}
	for i := range c.series {
		if err := head.Put(flow.Cell{Text: c.series[i].name, Column: i + 1}, c.limits); err != nil {
			return err
		}
	}
	if err := t.Add(head); err != nil {
		return err
	}
	for at := range c.end {
		if err := c.row(at, t); err != nil {
			return err
		}
	}
	return t.Gap()
}

// row adds the values of a category. It checks the context, because many categories may have no values.
func (c *chart) row(at int, t *flow.Table) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	category := c.categories(at)
	if category == "" && c.series[0].values[at] == "" {
		return nil
	}
	l := flow.Line{}
	if err := l.Put(flow.Cell{Text: category, Column: 0}, c.limits); err != nil {
		return err
	}
	for i := range c.series {
		if err := l.Put(flow.Cell{Text: c.series[i].values[at], Column: i + 1, Typed: true}, c.limits); err != nil {
			return err
		}
	}
	return t.Add(l)
}

func (c *chart) categories(at int) string {
	for i := range c.series {
		if name := c.series[i].categories[at]; name != "" {
			return name
		}
	}
	return ""
}

// Diagram reads the texts of a diagram (SmartArt) in the order of the file.
func Diagram(a *parts.Archive, related *parts.Relations, id string, out flow.Sink) error {
	r, ok := related.ByID(id)
	if !ok {
		return nil
	}
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		switch e.Name {
		case "pt":
			if kind := e.Attr("type"); kind != "" && kind != "node" && kind != "asst" {
				return nil // how a node is drawn
			}
		case "p":
			text, err := Text(s, a.Into.Limits.Text)
			if err != nil {
				return err
			}
			return out.Add(documents.Block{Kind: documents.ListItem, Text: text})
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return a.WalkOptional(r.Target, visit)
}

// Text returns the text of a paragraph in a drawing.
func Text(s *parts.Scanner, limit int) (string, error) {
	var out strings.Builder
	var visit func(e parts.Element) error
	visit = func(e parts.Element) error {
		switch e.Name {
		case "t":
			if out.Len() > limit {
				return documents.ErrTooMuch
			}
			return s.AppendText(&out)
		case "br":
			out.WriteByte('\n')
		case "tab":
			out.WriteByte('\t')
		case "Fallback", "pPr", "endParaRPr":
			return nil
		}
		return s.Children(visit)
	}
	err := s.Children(visit)
	return strings.TrimSpace(out.String()), err
}
