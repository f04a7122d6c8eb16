package office

import (
	"strconv"
	"strings"

	"portside/documents"
)

const (
	maxRows    = 1_000 // repetitions of a row with content; programs fill sheets to the end with them
	maxColumns = 256
	maxCopied  = 64 << 10 // bytes of all repetitions of a cell
)

// odfRows reads the rows of one table.
type odfRows struct {
	o     *odf
	s     *scanner
	t     *table
	drawn collector // what lies above the cells of a sheet
	row   int       // the number of rows so far, with their repetitions
}

func (o *odf) table(s *scanner, out sink) error {
	r := &odfRows{o: o, s: s, t: newTable(out, o.into)}
	r.drawn.limits = o.into.Limits
	err := r.rows(false)
	if flushed := r.t.end(); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	return r.drawn.pour(out)
}

func (r *odfRows) rows(header bool) error {
	return r.s.children(func(e element) error {
		switch e.name {
		case "table-header-rows":
			return r.rows(true)
		case "table-row":
			return r.addRow(e, header)
		case "shapes":
			return r.o.flow(r.s, &r.drawn)
		case "soft-page-break":
			return r.pageBreak()
		case "table-rows", "table-row-group", "database-range", "table":
			return r.rows(header)
		}
		return nil
	})
}

func (r *odfRows) pageBreak() error {
	if err := r.t.interrupt(); err != nil {
		return err
	}
	return r.t.out.turn(false)
}

func (r *odfRows) addRow(e element, header bool) error {
	l, contents := line{header: header}, []*collector{}
	failed := r.cells(&l, &contents)
	if len(l.cells) == 1 && l.cells[0].column == 0 && len(contents[0].blocks) > 1 && !r.o.values {
		if err := r.t.interrupt(); err != nil {
			return err
		}
		return contents[0].pour(r.t.out)
	}
	times := max(e.number("number-rows-repeated", 1), 1)
	last := r.row + times
	if len(l.cells) == 0 {
		times = 1
	}
	if times > maxRows {
		times = maxRows
		r.o.into.Warn("Rows that are repeated very often were left out.")
	}
	for i := range times {
		if r.o.values {
			l.number = r.row + i + 1
		}
		if err := r.t.add(l); err != nil {
			return err
		}
	}
	r.row = last
	return r.nested(contents, failed)
}

// nested adds the tables within the cells.
func (r *odfRows) nested(contents []*collector, failed error) error {
	held := &collector{}
	for _, c := range contents {
		_, rows := c.words()
		held.blocks = append(held.blocks, rows...)
	}
	if len(held.blocks) > 0 {
		if err := r.t.interrupt(); err != nil {
			return err
		}
		if err := held.pour(r.t.out); err != nil {
			return err
		}
	}
	return failed
}

func (r *odfRows) cells(l *line, contents *[]*collector) error {
	column, read, size := 0, 0, 0
	return r.s.children(func(e element) error {
		if e.name != "table-cell" && e.name != "covered-table-cell" {
			return nil
		}
		if read++; read > maxCells {
			return documents.ErrTooMuch
		}
		held := &collector{limits: r.o.into.Limits}
		if err := r.o.flow(r.s, held); err != nil {
			return err
		}
		r.t.keepPictures(held)
		if size += held.size; size > r.o.into.Limits.Text {
			return documents.ErrTooMuch
		}
		times := span(max(e.number("number-columns-repeated", 1), 1))
		shown, _ := held.words()
		text, typed := r.meaning(e, documents.Clean(shown))
		text = documents.Clean(text) // the attribute may be long, and rows repeat it
		if text != "" || len(held.blocks) > 0 {
			*contents = append(*contents, held)
		}
		limit := min(maxColumns, max(1, maxCopied/max(1, len(text))))
		if text != "" && times > limit {
			r.o.into.Warn("Cells that are repeated very often were left out.")
		}
		for i := range min(times, limit) {
			if err := l.put(cell{text, column + i, typed}, r.o.into.Limits); err != nil {
				return err
			}
		}
		column += times
		return nil
	})
}

// meaning returns the text of a cell, and whether it is a number, a date or the like. In a sheet it is the exact value, in a text
// document the text that the author wrote.
func (r *odfRows) meaning(e element, shown string) (string, bool) {
	kind := ""
	for i := range e.attrs {
		if a := &e.attrs[i]; a.Name.Local == "value-type" && (kind == "" || a.Value == "error") {
			kind = a.Value
		}
	}
	if !r.o.values {
		return shown, quantity(shown)
	}
	switch kind {
	case "float", "currency":
		return odfNumber(e.attr("value"), shown), true
	case "percentage":
		return numberFormat{percent: true}.render(e.attr("value"), false), true
	case "date":
		return strings.TrimSuffix(e.attr("date-value"), "T00:00:00"), true
	case "time":
		return odfTime(e.attr("time-value"), shown), true
	case "boolean":
		return strings.ToUpper(e.attr("boolean-value")), true
	case "error":
		return shown, true
	case "string":
		if stated := e.attr("string-value"); stated != "" && shown == "" {
			return documents.Clean(stated), false
		}
	}
	return shown, false
}

// odfNumber writes the value with the decimals and the currency that the cell displays.
func odfNumber(value, shown string) string {
	if value == "" {
		return shown
	}
	f := numberFormat{currency: shownCurrency(shown)}
	amount := strings.TrimSuffix(strings.TrimSpace(shown), f.currency)
	if at := strings.LastIndexAny(amount, ".,"); at >= 0 {
		after := strings.TrimRight(amount[at+1:], " %abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if _, err := strconv.Atoi(after); err == nil && len(after) != 3 {
			f.decimals = len(after)
		}
	}
	return f.render(value, false)
}

// odfTime converts PT14H30M00S to 14:30:00. It drops fractions of seconds.
func odfTime(value, shown string) string {
	rest, ok := strings.CutPrefix(value, "PT")
	var parts [3]int
	for i, mark := range []string{"H", "M", "S"} {
		before, after, found := strings.Cut(rest, mark)
		if !found {
			continue
		}
		whole, _, _ := strings.Cut(strings.ReplaceAll(before, ",", "."), ".")
		n, err := strconv.Atoi(whole)
		ok = ok && err == nil
		parts[i], rest = n, after
	}
	if !ok {
		return shown
	}
	return pad(parts[0]) + ":" + pad(parts[1]) + ":" + pad(parts[2])
}

func readODS(a *archive) error {
	o, err := openODF(a)
	if err != nil {
		return err
	}
	o.values = true
	return o.body(func(s *scanner, e element) error {
		if e.name != "table" {
			return nil
		}
		if o.styles.style("table", e.attr("style-name")).hidden {
			a.into.Warn("Hidden sheets were left out.")
			return nil
		}
		if !a.into.Page() {
			return errLastPage
		}
		if err := a.into.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: e.attr("name")}); err != nil {
			return err
		}
		return o.table(s, &plain{a})
	})
}
