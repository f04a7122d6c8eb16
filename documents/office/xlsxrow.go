package office

import (
	"strconv"
	"strings"
)

// rowReader reads the rows of a sheet. Rows and columns that the sheet omits cost nothing.
type rowReader struct {
	x      *xlsx
	s      *scanner
	row    int
	column int
	value  strings.Builder
}

func (r *rowReader) rows(t *table) error {
	return r.s.children(func(e element) error {
		if e.name != "row" {
			return nil
		}
		at := e.number("r", r.row+1)
		if at > r.row+1 {
			if err := t.gap(); err != nil {
				return err
			}
		}
		r.row, r.column = at, -1
		l := line{number: at}
		failed := r.cells(&l)
		if err := t.add(l); err != nil {
			return err
		}
		return failed
	})
}

func (r *rowReader) cells(l *line) error {
	return r.s.children(func(e element) error {
		if e.name != "c" {
			return nil
		}
		at, kind, style := "", "", ""
		for i := range e.attrs {
			switch e.attrs[i].Name.Local {
			case "r":
				at = e.attrs[i].Value
			case "t":
				kind = e.attrs[i].Value
			case "s":
				style = e.attrs[i].Value
			}
		}
		r.column = column(at, r.column+1)
		text, err := r.content(kind)
		if err != nil {
			return err
		}
		text, typed := r.meaning(kind, style, text)
		return l.put(cell{text, r.column, typed}, r.x.into.Limits)
	})
}

// content returns the value of a cell as the file has it. It leaves out the formula.
func (r *rowReader) content(kind string) (string, error) {
	text := ""
	err := r.s.children(func(e element) error {
		switch {
		case e.name == "v":
			r.value.Reset()
			err := r.s.appendText(&r.value)
			text = r.value.String()
			return err
		case e.name == "is" && kind == "inlineStr":
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
		return strings.ToUpper(strconv.FormatBool(isTrue(text))), true
	case "e":
		return text, true
	case "d":
		return strings.TrimSuffix(text, "T00:00:00"), true
	}
	return r.format(style).render(text, r.x.since1904), true
}

func (r *rowReader) format(style string) numberFormat {
	i, err := strconv.Atoi(style)
	if err != nil || i < 0 || i >= len(r.x.formats) {
		if len(r.x.formats) > 0 {
			return r.x.formats[0]
		}
		return numberFormat{}
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
