// Package xlsx reads Excel workbooks.
package xlsx

import (
	"cmp"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/drawing"
	"portside/documents/office/internal/flow"
	"portside/documents/office/internal/number"
	"portside/documents/office/internal/parts"
)

// reader reads the parts of a workbook.
type reader struct {
	a         *parts.Archive
	into      *documents.Builder
	shared    []string
	formats   []number.Format // by the style of a cell
	since1904 bool
}

// workSheet is a sheet as the workbook lists it.
type workSheet struct {
	name, id string
	hidden   bool
}

// Read reads a workbook.
func Read(a *parts.Archive) error {
	part, err := a.MainPart("xl/workbook.xml")
	if err != nil {
		return err
	}
	related, err := a.Relations(part)
	if err != nil {
		return err
	}
	x := &reader{a: a, into: a.Into}
	sheets, err := x.workbook(part)
	if err != nil {
		return err
	}
	if err := x.strings(related.Target("sharedStrings")); err != nil {
		return err
	}
	if err := x.styles(related.Target("styles")); err != nil {
		return err
	}
	for _, sheet := range sheets {
		r, ok := related.ByID(sheet.id)
		if !ok || r.Kind != "worksheet" && r.Kind != "chartsheet" {
			continue
		}
		if sheet.hidden {
			a.Into.Warn("Hidden sheets were left out.")
			continue
		}
		if err := a.Tolerate(x.sheet(sheet.name, r.Target)); err != nil {
			return err
		}
	}
	return nil
}

func (x *reader) workbook(part string) ([]workSheet, error) {
	var sheets []workSheet
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		switch e.Name {
		case "workbookPr":
			x.since1904 = parts.IsTrue(e.Attr("date1904"))
		case "sheet":
			if len(sheets) <= x.into.Limits.Pages {
				state := strings.ToLower(e.Attr("state"))
				sheets = append(sheets, workSheet{e.Attr("name"), e.Reference("id"), strings.Contains(state, "hidden")})
			}
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return sheets, parts.Must(x.a.Walk(part, visit))
}

// strings reads the texts that cells share, at most as many as a document may have cells.
func (x *reader) strings(part string) error {
	size := 0
	return x.a.WalkOptional(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if e.Name != "si" {
				return nil
			}
			text, err := richText(s)
			size += len(text)
			if len(x.shared) >= x.into.Limits.Blocks || size > 4*x.into.Limits.Text {
				return documents.ErrTooMuch
			}
			x.shared = append(x.shared, tidy(text))
			return err
		})
	})
}

// tidy cleans a text once for all cells that share it, because cleaning a text with many spaces for each cell takes
// time. A blank text stays, because its cell is not empty.
func tidy(text string) string {
	if text == "" {
		return ""
	}
	return cmp.Or(documents.Clean(text), " ")
}

// richText joins the runs of a text. It leaves out phonetic readings of Japanese.
func richText(s *parts.Scanner) (string, error) {
	var out strings.Builder
	var visit func(e parts.Element) error
	visit = func(e parts.Element) error {
		switch e.Name {
		case "t":
			return s.AppendText(&out)
		case "r":
			return s.Children(visit)
		}
		return nil
	}
	err := s.Children(visit)
	return unescape(out.String()), err
}

// unescape drops the control characters that Excel writes as _x000D_.
func unescape(text string) string {
	if !strings.Contains(text, "_x0") {
		return text
	}
	return strings.NewReplacer("_x000D_", "", "_x000d_", "", "_x000A_", "\n", "_x0009_", "\t", "_x005F_", "_").Replace(text)
}

// styles reads the number format of each cell style.
func (x *reader) styles(part string) error {
	custom := map[int]number.Format{}
	return x.a.WalkOptional(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			switch e.Name {
			case "numFmts":
				return s.Children(func(e parts.Element) error {
					if len(custom) < x.into.Limits.Objects {
						custom[e.Number("numFmtId", 0)] = number.ParseFormat(e.Attr("formatCode"))
					}
					return nil
				})
			case "cellXfs":
				return s.Children(func(e parts.Element) error {
					x.style(e.Number("numFmtId", 0), custom)
					return nil
				})
			}
			return nil
		})
	})
}

func (x *reader) style(id int, custom map[int]number.Format) {
	if len(x.formats) >= x.into.Limits.Objects {
		return
	}
	f, ok := custom[id]
	if !ok {
		f = number.Builtin(id)
	}
	x.formats = append(x.formats, f)
}

// sheet reads a sheet as a page with a table, followed by its drawings.
func (x *reader) sheet(name, part string) error {
	if !x.into.Page() {
		return parts.ErrLastPage
	}
	if err := x.into.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: name}); err != nil {
		return err
	}
	out := flow.NewPlain(x.a)
	t := flow.NewTable(out, x.into)
	failed := x.a.Walk(part, func(s *parts.Scanner, _ parts.Element) error {
		return s.Children(func(e parts.Element) error {
			if e.Name != "sheetData" {
				return nil
			}
			return (&rowReader{x: x, s: s}).rows(t)
		})
	})
	if err := t.Gap(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return x.drawings(part, out)
}

// drawings reads the text boxes and charts on a sheet.
func (x *reader) drawings(part string, out flow.Sink) error {
	related, err := x.a.Relations(part)
	if err != nil {
		return err
	}
	target := related.Target("drawing")
	if target == "" {
		return nil
	}
	if related, err = x.a.Relations(target); err != nil {
		return err
	}
	var visit func(s *parts.Scanner, e parts.Element) error
	visit = func(s *parts.Scanner, e parts.Element) error {
		switch e.Name {
		case "chart":
			return drawing.Chart(x.a, related, e.Reference("id"), out)
		case "relIds":
			return drawing.Diagram(x.a, related, e.Reference("dm"), out)
		case "blip":
			if r, ok := related.ByID(e.Reference("embed")); ok {
				out.Picture(r.Target)
			}
			return nil
		case "Fallback":
			return nil
		case "p":
			text, err := drawing.Text(s, x.into.Limits.Text)
			if err != nil {
				return err
			}
			return out.Add(documents.Block{Kind: documents.Paragraph, Text: text})
		}
		return s.Children(func(child parts.Element) error { return visit(s, child) })
	}
	return x.a.WalkOptional(target, visit)
}
