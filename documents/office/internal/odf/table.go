package odf

import (
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/number"
	"portside/documents/office/internal/parts"
)

const (
	maxRows    = 1_000 // repetitions of a row with content; programs fill sheets to the end with them
	maxColumns = 256
	maxCopied  = 64 << 10 // bytes of all repetitions of a cell
)

// odfRows reads the rows of one table.
type odfRows struct {
	o     *reader
	s     *parts.Scanner
	t     *flow.Table
	drawn flow.Collector // what lies above the cells of a sheet
	row   int            // the number of rows so far, with their repetitions
}

func (o *reader) table(s *parts.Scanner, out flow.Sink) error {
	r := &odfRows{o: o, s: s, t: flow.NewTable(out, o.into)}
	r.drawn.Limits = o.into.Limits
	err := r.rows(false)
	if flushed := r.t.End(); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	return r.drawn.Pour(out)
}

func (r *odfRows) rows(header bool) error {
	return r.s.Children(func(e parts.Element) error {
		switch e.Name {
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
	if err := r.t.Interrupt(); err != nil {
		return err
	}
	return r.t.Out.Turn(false)
}

func (r *odfRows) addRow(e parts.Element, header bool) error {
	l, contents := flow.Line{Header: header}, []*flow.Collector{}
	failed := r.cells(&l, &contents)
	if len(l.Cells) == 1 && l.Cells[0].Column == 0 && len(contents[0].Blocks) > 1 && !r.o.values {
		if err := r.t.Interrupt(); err != nil {
			return err
		}
		return contents[0].Pour(r.t.Out)
	}
	times := max(e.Number("number-rows-repeated", 1), 1)
	last := r.row + times
	if len(l.Cells) == 0 {
		times = 1
	}
	if times > maxRows {
		times = maxRows
		r.o.into.Warn("Rows that are repeated very often were left out.")
	}
	for i := range times {
		if r.o.values {
			l.Number = r.row + i + 1
		}
		if err := r.t.Add(l); err != nil {
			return err
		}
	}
	r.row = last
	return r.nested(contents, failed)
}

// nested adds the tables within the cells.
func (r *odfRows) nested(contents []*flow.Collector, failed error) error {
	held := &flow.Collector{}
	for _, c := range contents {
		_, rows := c.Words()
		held.Blocks = append(held.Blocks, rows...)
	}
	if len(held.Blocks) > 0 {
		if err := r.t.Interrupt(); err != nil {
			return err
		}
		if err := held.Pour(r.t.Out); err != nil {
			return err
		}
	}
	return failed
}

func (r *odfRows) cells(l *flow.Line, contents *[]*flow.Collector) error {
	column, read, size := 0, 0, 0
	return r.s.Children(func(e parts.Element) error {
		if e.Name != "table-cell" && e.Name != "covered-table-cell" {
			return nil
		}
		if read++; read > flow.MaxCells {
			return documents.ErrTooMuch
		}
		held := &flow.Collector{Limits: r.o.into.Limits}
		if err := r.o.flow(r.s, held); err != nil {
			return err
		}
		r.t.KeepPictures(held)
		if size += held.Size; size > r.o.into.Limits.Text {
			return documents.ErrTooMuch
		}
		times := flow.Span(max(e.Number("number-columns-repeated", 1), 1))
		shown, _ := held.Words()
		text, typed := r.meaning(e, documents.Clean(shown))
		text = documents.Clean(text) // the attribute may be long, and rows repeat it
		if text != "" || len(held.Blocks) > 0 {
			*contents = append(*contents, held)
		}
		limit := min(maxColumns, max(1, maxCopied/max(1, len(text))))
		if text != "" && times > limit {
			r.o.into.Warn("Cells that are repeated very often were left out.")
		}
		for i := range min(times, limit) {
			if err := l.Put(flow.Cell{Text: text, Column: column + i, Typed: typed}, r.o.into.Limits); err != nil {
				return err
			}
		}
		column += times
		return nil
	})
}

// meaning returns the text of a cell, and whether it is a number, a date or the like. In a sheet it is the exact value,
// in a text document the text that the author wrote.
func (r *odfRows) meaning(e parts.Element, shown string) (string, bool) {
	kind := ""
	for i := range e.Attrs {
		if a := &e.Attrs[i]; a.Name.Local == "value-type" && (kind == "" || a.Value == "error") {
			kind = a.Value
		}
	}
	if !r.o.values {
		return shown, flow.Quantity(shown)
	}
	switch kind {
	case "float", "currency":
		return odfNumber(e.Attr("value"), shown), true
	case "percentage":
		return number.Format{Percent: true}.Render(e.Attr("value"), false), true
	case "date":
		return strings.TrimSuffix(e.Attr("date-value"), "T00:00:00"), true
	case "time":
		return odfTime(e.Attr("time-value"), shown), true
	case "boolean":
		return strings.ToUpper(e.Attr("boolean-value")), true
	case "error":
		return shown, true
	case "string":
		if stated := e.Attr("string-value"); stated != "" && shown == "" {
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
	f := number.Format{Currency: number.ShownCurrency(shown)}
	amount := strings.TrimSuffix(strings.TrimSpace(shown), f.Currency)
	if at := strings.LastIndexAny(amount, ".,"); at >= 0 {
		after := strings.TrimRight(amount[at+1:], " %abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if _, err := strconv.Atoi(after); err == nil && len(after) != 3 {
			f.Decimals = len(after)
		}
	}
	return f.Render(value, false)
}

// odfTime converts PT14H30M00S to 14:30:00. It drops fractions of seconds.
func odfTime(value, shown string) string {
	rest, ok := strings.CutPrefix(value, "PT")
	var fields [3]int
	for i, mark := range []string{"H", "M", "S"} {
		before, after, found := strings.Cut(rest, mark)
		if !found {
			continue
		}
		whole, _, _ := strings.Cut(strings.ReplaceAll(before, ",", "."), ".")
		n, err := strconv.Atoi(whole)
		ok = ok && err == nil
		fields[i], rest = n, after
	}
	if !ok {
		return shown
	}
	return number.Pad(fields[0]) + ":" + number.Pad(fields[1]) + ":" + number.Pad(fields[2])
}

// ReadODS reads a spreadsheet.
func ReadODS(a *parts.Archive) error {
	o, err := newReader(a)
	if err != nil {
		return err
	}
	o.values = true
	return o.body(func(s *parts.Scanner, e parts.Element) error {
		if e.Name != "table" {
			return nil
		}
		if o.styles.style("table", e.Attr("style-name")).hidden {
			a.Into.Warn("Hidden sheets were left out.")
			return nil
		}
		if !a.Into.Page() {
			return parts.ErrLastPage
		}
		if err := a.Into.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: e.Attr("name")}); err != nil {
			return err
		}
		return o.table(s, flow.NewPlain(a))
	})
}
