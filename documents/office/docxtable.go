package office

import "portside/documents"

// table reads a table. A table within a cell follows the row of that cell as a separate table.
func (d *docx) table(s *scanner, out sink) error {
	t := newTable(out, d.into)
	err := d.rows(s, t)
	if flushed := t.end(); err == nil {
		err = flushed
	}
	return err
}

func (d *docx) rows(s *scanner, t *table) error {
	return s.children(func(e element) error {
		switch e.name {
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
	cells   []*collector
	size    int // bytes of all cells, which are in memory until the row ends
	columns []int
	column  int
	header  bool
	deleted bool
}

func (d *docx) row(s *scanner, t *table) error {
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
		t.keepPictures(c)
	}
	if len(r.cells) == 1 && r.columns[0] == 0 && len(r.cells[0].blocks) > 1 {
		return d.frame(r.cells[0], t)
	}
	return d.line(r, t)
}

// turn begins a page before the row if a cell of the row has a page break.
func (r *wordRow) turn(t *table) error {
	for _, c := range r.cells {
		if !c.turned {
			continue
		}
		if err := t.interrupt(); err != nil {
			return err
		}
		return t.out.turn(false)
	}
	return nil
}

// frame adds the content of a row of one cell with several paragraphs. Such a table is only a border around them.
func (*docx) frame(content *collector, t *table) error {
	if err := t.interrupt(); err != nil {
		return err
	}
	return content.pour(t.out)
}

func (d *docx) line(r *wordRow, t *table) error {
	l := line{header: r.header}
	var nested []documents.Block
	for i, content := range r.cells {
		text, rows := content.words()
		nested = append(nested, rows...)
		if text = documents.Clean(text); text != "" {
			l.cells = append(l.cells, cell{text: text, column: r.columns[i], typed: quantity(text)})
		}
	}
	if len(l.cells) > 0 {
		if err := t.add(l); err != nil {
			return err
		}
	}
	if len(nested) == 0 {
		return nil
	}
	if err := t.interrupt(); err != nil {
		return err
	}
	return (&collector{blocks: nested}).pour(t.out)
}

func (d *docx) cells(s *scanner, r *wordRow) error {
	return s.children(func(e element) error {
		switch e.name {
		case "tc":
			return d.cell(s, r)
		case "trPr":
			return s.children(func(e element) error {
				r.property(e)
				return nil
			})
		case "del", "moveFrom", "sdtPr":
			return nil
		}
		return d.cells(s, r)
	})
}

func (r *wordRow) property(e element) {
	switch e.name {
	case "tblHeader":
		r.header = e.on()
	case "del":
		r.deleted = true
	case "gridBefore":
		r.column += span(e.number("val", 0))
	}
}

func (d *docx) cell(s *scanner, r *wordRow) error {
	if len(r.cells) >= maxCells {
		return documents.ErrTooMuch
	}
	content := &collector{limits: d.into.Limits}
	width, left := 1, false
	err := s.children(func(e element) error {
		if e.name != "tcPr" {
			return d.piece(s, e, content)
		}
		return s.children(func(e element) error {
			switch e.name {
			case "gridSpan":
				width = max(span(e.number("val", 1)), 1)
			case "cellDel":
				left = true
			}
			return nil
		})
	})
	if r.size += content.size; err == nil && r.size > d.into.Limits.Text {
		err = documents.ErrTooMuch
	}
	if !left {
		r.cells, r.columns = append(r.cells, content), append(r.columns, r.column)
	}
	r.column += width
	return err
}

// span limits how many columns a cell may span.
func span(columns int) int {
	const widest = 1 << 14
	return min(max(columns, 0), widest)
}
