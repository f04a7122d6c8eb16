package office

import (
	"strings"

	"portside/documents"
)

// chapter reads an XHTML document. Text gathers until a block begins or ends.
type chapter struct {
	a     *archive
	s     *scanner
	out   sink
	text  strings.Builder
	kind  documents.BlockKind
	level int
	lists []counter // that the text is in
	label string    // of the item that has no text yet
	raw   bool
}

// counter numbers the items of a list; the zero counter is one with bullets.
type counter struct {
	format string
	next   int
}

func (c *chapter) visit(e element) error {
	name := strings.ToLower(e.name)
	if e.attr("hidden") != "" || apparatus(e) {
		return nil
	}
	switch name {
	case "head", "script", "style", "template", "noscript", "rt", "rp", "svg", "audio", "video":
		return nil
	case "br":
		c.text.WriteByte('\n')
		return nil
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return c.block(documents.Heading, int(name[1]-'0'))
	case "li", "dt", "dd":
		return c.item()
	case "ul", "ol", "dl":
		return c.list(name, e)
	case "p", "div", "section", "article", "aside", "blockquote", "figure", "figcaption", "header", "footer", "main", "nav",
		"address", "hr", "body", "caption", "form", "fieldset", "details", "summary", "pre":
		return c.within(name)
	case "table":
		return c.table()
	}
	return c.content()
}

// apparatus tells the marks that lead to a note and back, and those of the pages of the printed book.
func apparatus(e element) bool {
	switch e.attr("role") {
	case "doc-noteref", "doc-backlink", "doc-pagebreak":
		return true
	}
	if e.name == "a" && (e.attr("class") == "footnote-ref" || e.attr("class") == "footnote-back") {
		return true
	}
	switch e.reference("type") {
	case "noteref", "backlink", "pagebreak":
		return true
	}
	return false
}

func (c *chapter) list(name string, e element) error {
	one := counter{next: e.number("start", 1)}
	if name == "ol" {
		one.format = listFormat(e)
	}
	c.lists = append(c.lists, one)
	defer func() { c.lists = c.lists[:len(c.lists)-1] }()
	return c.block(documents.Paragraph, 0)
}

// listFormat asks both of the ways in which an ordered list says how it counts.
func listFormat(e element) string {
	style := e.attr("style")
	switch kind := e.attr("type"); {
	case kind == "a" || strings.Contains(style, "lower-alpha") || strings.Contains(style, "lower-latin"):
		return "lowerLetter"
	case kind == "A" || strings.Contains(style, "upper-alpha") || strings.Contains(style, "upper-latin"):
		return "upperLetter"
	case kind == "i" || strings.Contains(style, "lower-roman"):
		return "lowerRoman"
	case kind == "I" || strings.Contains(style, "upper-roman"):
		return "upperRoman"
	}
	return "decimal"
}

func (c *chapter) item() error {
	if err := c.flush(); err != nil {
		return err
	}
	if n := len(c.lists) - 1; n >= 0 && c.lists[n].format != "" {
		c.label = numeral(c.lists[n].format, c.lists[n].next) + ". "
		c.lists[n].next++
	}
	err := c.block(documents.ListItem, max(len(c.lists)-1, 0))
	c.label = ""
	return err
}

// within reads a block that keeps the role of what it is in: the paragraph of a list item is still the item.
func (c *chapter) within(name string) error {
	outer := c.raw
	defer func() { c.raw = outer }()
	c.raw = c.raw || name == "pre"
	return c.block(c.kind, c.level)
}

func (c *chapter) block(kind documents.BlockKind, level int) error {
	if err := c.flush(); err != nil {
		return err
	}
	outerKind, outerLevel := c.kind, c.level
	c.kind, c.level = kind, level
	err := c.content()
	if flushed := c.flush(); err == nil {
		err = flushed
	}
	c.kind, c.level = outerKind, outerLevel
	return err
}

func (c *chapter) content() error {
	return c.s.content(c.visit, func(text []byte) {
		for i, b := range text {
			if !c.raw && (b == '\n' || b == '\r') {
				text[i] = ' '
			}
		}
		c.s.write(&c.text, text) // where it has been too much, flush says so
	})
}

func (c *chapter) flush() error {
	text := strings.TrimSpace(c.text.String())
	c.text.Reset()
	if text == "" {
		return nil
	}
	text, c.label = c.label+text, ""
	return c.out.add(documents.Block{Kind: c.kind, Level: c.level, Text: text})
}

// table reads a table. What its cells hold beside text comes after their row.
func (c *chapter) table() error {
	if err := c.flush(); err != nil {
		return err
	}
	t := newTable(c.out, c.a.into)
	err := c.rows(t, false)
	if flushed := t.gap(); err == nil {
		err = flushed
	}
	return err
}

func (c *chapter) rows(t *table, header bool) error {
	return c.s.children(func(e element) error {
		switch strings.ToLower(e.name) {
		case "caption":
			return c.block(documents.Paragraph, 0)
		case "thead":
			return c.rows(t, true)
		case "tr":
			return c.row(t, header)
		}
		return c.rows(t, header)
	})
}

func (c *chapter) row(t *table, header bool) error {
	l := line{header: header}
	column, heads, cells := 0, 0, 0
	rows := &collector{limits: c.a.into.Limits}
	failed := c.s.children(func(e element) error {
		name := strings.ToLower(e.name)
		if name != "td" && name != "th" {
			return nil
		}
		if cells++; cells > mostCells {
			return documents.ErrTooMuch
		}
		if name == "th" {
			heads++
		}
		text, nested, err := c.cell()
		if err := rows.addAll(nested); err != nil {
			return err
		}
		if err := l.put(cell{text, column, quantity(text)}, c.a.into.Limits); err != nil {
			return err
		}
		column += max(span(e.number("colspan", 1)), 1)
		return err
	})
	l.header = l.header || heads == cells && cells > 1
	if err := t.add(l); err != nil {
		return err
	}
	if len(rows.blocks) == 0 {
		return failed
	}
	if err := t.interrupt(); err != nil {
		return err
	}
	if err := rows.pour(c.out); err != nil {
		return err
	}
	return failed
}

func (c *chapter) cell() (string, []documents.Block, error) {
	held := &collector{limits: c.a.into.Limits}
	inner := &chapter{a: c.a, s: c.s, out: held, kind: documents.Paragraph}
	err := inner.content()
	if flushed := inner.flush(); err == nil {
		err = flushed
	}
	text, rows := held.words()
	return documents.Clean(text), rows, err
}
