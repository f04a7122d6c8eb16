package docx

import (
	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/parts"
)

// table reads a table. A table within a cell follows the row of that cell as a separate table.
func (d *reader) table(s *parts.Scanner, out flow.Sink) error {
	t := flow.NewTable(out, d.into)
	err := d.rows(s, t)
	if flushed := t.End(); err == nil {
		err = flushed
	}
	return err
}

func (d *reader) rows(s *parts.Scanner, t *flow.Table) error {
	return s.Children(func(e parts.Element) error {
		switch e.Name {
		case "tr":
			return d.row(s, t)
		case "del", "moveFrom", "tblPr", "sdtPr":
			return nil
		}
		return d.rows(s, t)
	})
}

// wordRow is the row that is being read.
type wordRow struct {
	cells   []*flow.Collector
	size    int // bytes of all cells, which are in memory until the row ends
	columns []int
	column  int
	header  bool
	deleted bool
}

func (d *reader) row(s *parts.Scanner, t *flow.Table) error {
	r := &wordRow{}
	if err := d.cells(s, r); err != nil {
		return err
	}
	if r.deleted {
		return nil
	}
	if err := r.turn(t); err != nil {
		return err
	}
	for _, c := range r.cells {
		t.KeepPictures(c)
	}
	if len(r.cells) == 1 && r.columns[0] == 0 && len(r.cells[0].Blocks) > 1 {
		return d.frame(r.cells[0], t)
	}
	return d.line(r, t)
}

// turn begins a page before the row if a cell of the row has a page break.
func (r *wordRow) turn(t *flow.Table) error {
	for _, c := range r.cells {
		if !c.Turned {
			continue
		}
		if err := t.Interrupt(); err != nil {
			return err
		}
		return t.Out.Turn(false)
	}
	return nil
}

// frame adds the content of a row of one cell with several paragraphs. Such a table is only a border around them.
func (*reader) frame(content *flow.Collector, t *flow.Table) error {
	if err := t.Interrupt(); err != nil {
		return err
	}
	return content.Pour(t.Out)
}

func (d *reader) line(r *wordRow, t *flow.Table) error {
	l := flow.Line{Header: r.header}
	var nested []documents.Block
	for i, content := range r.cells {
		text, rows := content.Words()
		nested = append(nested, rows...)
		if text = documents.Clean(text); text != "" {
			l.Cells = append(l.Cells, flow.Cell{Text: text, Column: r.columns[i], Typed: flow.Quantity(text)})
		}
	}
	if len(l.Cells) > 0 {
		if err := t.Add(l); err != nil {
			return err
		}
	}
	if len(nested) == 0 {
		return nil
	}
	if err := t.Interrupt(); err != nil {
		return err
	}
	return (&flow.Collector{Blocks: nested}).Pour(t.Out)
}

func (d *reader) cells(s *parts.Scanner, r *wordRow) error {
	return s.Children(func(e parts.Element) error {
		switch e.Name {
		case "tc":
			return d.cell(s, r)
		case "trPr":
			return s.Children(func(e parts.Element) error {
				r.property(e)
				return nil
			})
		case "del", "moveFrom", "sdtPr":
			return nil
		}
		return d.cells(s, r)
	})
}

func (r *wordRow) property(e parts.Element) {
	switch e.Name {
	case "tblHeader":
		r.header = e.On()
	case "del":
		r.deleted = true
	case "gridBefore":
		r.column += flow.Span(e.Number("val", 0))
	}
}

func (d *reader) cell(s *parts.Scanner, r *wordRow) error {
	if len(r.cells) >= flow.MaxCells {
		return documents.ErrTooMuch
	}
	content := &flow.Collector{Limits: d.into.Limits}
	width, left := 1, false
	err := s.Children(func(e parts.Element) error {
		if e.Name != "tcPr" {
			return d.piece(s, e, content)
		}
		return s.Children(func(e parts.Element) error {
			switch e.Name {
			case "gridSpan":
				width = max(flow.Span(e.Number("val", 1)), 1)
			case "cellDel":
				left = true
			}
			return nil
		})
	})
	if r.size += content.Size; err == nil && r.size > d.into.Limits.Text {
		err = documents.ErrTooMuch
	}
	if !left {
		r.cells, r.columns = append(r.cells, content), append(r.columns, r.column)
	}
	r.column += width
	return err
}
