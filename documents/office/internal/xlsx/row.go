package xlsx

import (
	"strconv"
	"strings"

	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/number"
	"portside/documents/office/internal/parts"
)

// rowReader reads the rows of a sheet. Rows and columns that the sheet omits cost nothing.
type rowReader struct {
	x      *reader
	s      *parts.Scanner
	row    int
	column int
	value  strings.Builder
}

func (r *rowReader) rows(t *flow.Table) error {
	return r.s.Children(func(e parts.Element) error {
		if e.Name != "row" {
			return nil
		}
		at := e.Number("r", r.row+1)
		if at > r.row+1 {
			if err := t.Gap(); err != nil {
				return err
			}
		}
		r.row, r.column = at, -1
		l := flow.Line{Number: at}
		failed := r.cells(&l)
		if err := t.Add(l); err != nil {
			return err
		}
		return failed
	})
}

func (r *rowReader) cells(l *flow.Line) error {
	return r.s.Children(func(e parts.Element) error {
		if e.Name != "c" {
			return nil
		}
		at, kind, style := "", "", ""
		for i := range e.Attrs {
			switch e.Attrs[i].Name.Local {
			case "r":
				at = e.Attrs[i].Value
			case "t":
				kind = e.Attrs[i].Value
			case "s":
				style = e.Attrs[i].Value
			}
		}
		r.column = column(at, r.column+1)
		text, err := r.content(kind)
		if err != nil {
			return err
		}
		text, typed := r.meaning(kind, style, text)
		return l.Put(flow.Cell{Text: text, Column: r.column, Typed: typed}, r.x.into.Limits)
	})
}

// content returns the value of a cell as the file has it. It leaves out the formula.
func (r *rowReader) content(kind string) (string, error) {
	text := ""
	err := r.s.Children(func(e parts.Element) error {
		switch {
		case e.Name == "v":
			r.value.Reset()
			err := r.s.AppendText(&r.value)
			text = r.value.String()
			return err
		case e.Name == "is" && kind == "inlineStr":
			inline, err := richText(r.s)
			text = inline
			return err
		}
		return nil
	})
	return text, err
}

// meaning returns the text of a value, and whether it is a number, a date or the like.
func (r *rowReader) meaning(kind, style, text string) (string, bool) {
	if text == "" {
		return "", false
	}
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(r.x.shared) {
			return "", false
		}
		return r.x.shared[i], false
	case "inlineStr", "str":
		return unescape(text), false
	case "b":
		return strings.ToUpper(strconv.FormatBool(parts.IsTrue(text))), true
	case "e":
		return text, true
	case "d":
		return strings.TrimSuffix(text, "T00:00:00"), true
	}
	return r.format(style).Render(text, r.x.since1904), true
}

func (r *rowReader) format(style string) number.Format {
	i, err := strconv.Atoi(style)
	if err != nil || i < 0 || i >= len(r.x.formats) {
		if len(r.x.formats) > 0 {
			return r.x.formats[0]
		}
		return number.Format{}
	}
	return r.x.formats[i]
}

// column returns the column of a cell by its reference, such as AB12. A cell without a reference follows the last one.
func column(name string, next int) int {
	const alphabet, widest = 26, 1 << 14
	n := 0
	for _, c := range []byte(name) {
		if c < 'A' || c > 'Z' || n > widest {
			break
		}
		n = n*alphabet + int(c-'A') + 1
	}
	if n == 0 {
		return next
	}
	return n - 1
}
