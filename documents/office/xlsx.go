package office

import (
	"cmp"
	"strings"

	"portside/documents"
)

// xlsx reads the parts of a workbook.
type xlsx struct {
	a         *archive
	into      *documents.Builder
	shared    []string
	formats   []numberFormat // by the style of a cell
	since1904 bool
}

// workSheet is a sheet as the workbook lists it.
type workSheet struct {
	name, id string
	hidden   bool
}

func readXLSX(a *archive) error {
	part, err := a.mainPart("xl/workbook.xml")
	if err != nil {
		return err
	}
	related, err := a.relations(part)
	if err != nil {
		return err
	}
	x := &xlsx{a: a, into: a.into}
	sheets, err := x.workbook(part)
	if err != nil {
		return err
	}
	if err := x.strings(related.target("sharedStrings")); err != nil {
		return err
	}
	if err := x.styles(related.target("styles")); err != nil {
		return err
	}
	for _, sheet := range sheets {
		r, ok := related.byID(sheet.id)
		if !ok || r.kind != "worksheet" && r.kind != "chartsheet" {
			continue
		}
		if sheet.hidden {
			a.into.Warn("Hidden sheets were left out.")
			continue
		}
		if err := a.tolerate(x.sheet(sheet.name, r.target)); err != nil {
			return err
		}
	}
	return nil
}

func (x *xlsx) workbook(part string) ([]workSheet, error) {
	var sheets []workSheet
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		switch e.name {
		case "workbookPr":
			x.since1904 = isTrue(e.attr("date1904"))
		case "sheet":
			if len(sheets) <= x.into.Limits.Pages {
				state := strings.ToLower(e.attr("state"))
				sheets = append(sheets, workSheet{e.attr("name"), e.reference("id"), strings.Contains(state, "hidden")})
			}
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return sheets, must(x.a.walk(part, visit))
}

func isTrue(value string) bool { return value == "1" || value == "true" }

// strings reads the texts that cells share, at most as many as a document may have cells.
func (x *xlsx) strings(part string) error {
	size := 0
	return x.a.walkOptional(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "si" {
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

// tidy cleans a text once for all cells that share it, because cleaning a text with many spaces for each cell takes time. A blank
// text stays, because its cell is not empty.
func tidy(text string) string {
	if text == "" {
		return ""
	}
	return cmp.Or(documents.Clean(text), " ")
}

// richText joins the runs of a text. It leaves out phonetic readings of Japanese.
func richText(s *scanner) (string, error) {
	var out strings.Builder
	var visit func(e element) error
	visit = func(e element) error {
		switch e.name {
		case "t":
			return s.appendText(&out)
		case "r":
			return s.children(visit)
		}
		return nil
	}
	err := s.children(visit)
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
func (x *xlsx) styles(part string) error {
	custom := map[int]numberFormat{}
	return x.a.walkOptional(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			switch e.name {
			case "numFmts":
				return s.children(func(e element) error {
					if len(custom) < x.into.Limits.Objects {
						custom[e.number("numFmtId", 0)] = parseFormat(e.attr("formatCode"))
					}
					return nil
				})
			case "cellXfs":
				return s.children(func(e element) error {
					x.style(e.number("numFmtId", 0), custom)
					return nil
				})
			}
			return nil
		})
	})
}

func (x *xlsx) style(id int, custom map[int]numberFormat) {
	if len(x.formats) >= x.into.Limits.Objects {
		return
	}
	f, ok := custom[id]
	if !ok {
		f = builtinFormat(id)
	}
	x.formats = append(x.formats, f)
}

// sheet reads a sheet as a page with a table, followed by its drawings.
func (x *xlsx) sheet(name, part string) error {
	if !x.into.Page() {
		return errLastPage
	}
	if err := x.into.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: name}); err != nil {
		return err
	}
	out := &plain{x.a}
	t := newTable(out, x.into)
	failed := x.a.walk(part, func(s *scanner, _ element) error {
		return s.children(func(e element) error {
			if e.name != "sheetData" {
				return nil
			}
			return (&rowReader{x: x, s: s}).rows(t)
		})
	})
	if err := t.gap(); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	return x.drawings(part, out)
}

// drawings reads the text boxes and charts on a sheet.
func (x *xlsx) drawings(part string, out sink) error {
	related, err := x.a.relations(part)
	if err != nil {
		return err
	}
	drawing := related.target("drawing")
	if drawing == "" {
		return nil
	}
	if related, err = x.a.relations(drawing); err != nil {
		return err
	}
	var visit func(s *scanner, e element) error
	visit = func(s *scanner, e element) error {
		switch e.name {
		case "chart":
			return x.a.chart(related, e.reference("id"), out)
		case "relIds":
			return x.a.diagram(related, e.reference("dm"), out)
		case "blip":
			if r, ok := related.byID(e.reference("embed")); ok {
				out.picture(r.target)
			}
			return nil
		case "Fallback":
			return nil
		case "p":
			text, err := drawnText(s, x.into.Limits.Text)
			if err != nil {
				return err
			}
			return out.add(documents.Block{Kind: documents.Paragraph, Text: text})
		}
		return s.children(func(child element) error { return visit(s, child) })
	}
	return x.a.walkOptional(drawing, visit)
}
