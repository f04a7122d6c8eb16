// Package sample reads documents in a short notation, for tests and for the training of models.
package sample

import (
	"slices"
	"strconv"
	"strings"

	"portside/documents"
)

// Read builds a document from lines: "# " and "## " headings, "- " list items, "= name | value" fields, "| a | b" rows,
// "! a | b" a row of heads that begins a table, "~" a new table, "---" a new page, "@left,top,right,bottom text" words
// placed on a page, and paragraphs, whose lines stay apart. Errors: documents.ErrTooLarge.
func Read(text string) (*documents.Document, error) {
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	b.Page()
	r := reader{into: b, table: b.NextTable()}
	for line := range strings.SplitSeq(text, "\n") {
		if err := r.line(line); err != nil {
			return nil, err
		}
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	return b.Document(), nil
}

type reader struct {
	into      *documents.Builder
	table     int
	paragraph []string
}

func (r *reader) flush() error {
	text := strings.Join(r.paragraph, "\n")
	r.paragraph = nil
	return r.into.Add(documents.Block{Kind: documents.Paragraph, Text: text})
}

func (r *reader) line(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	if line != "" && !strings.HasPrefix(kind, "@") &&
		!slices.Contains([]string{"#", "##", "-", "=", "!", "|", "~", "---"}, kind) {
		r.paragraph = append(r.paragraph, line)
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	switch kind {
	case "#", "##":
		return r.into.Add(documents.Block{Kind: documents.Heading, Text: rest, Level: len(kind)})
	case "-":
		return r.into.Add(documents.Block{Kind: documents.ListItem, Text: rest})
	case "=":
		return r.into.Add(documents.Block{Kind: documents.Field, Cells: cellsOf(rest, false)})
	case "!":
		r.table = r.into.NextTable()
		return r.into.Add(documents.Block{Kind: documents.Row, Table: r.table, Cells: cellsOf(rest, false)})
	case "|":
		return r.into.Add(documents.Block{Kind: documents.Row, Table: r.table, Cells: cellsOf(rest, false)})
	case "~":
		r.table = r.into.NextTable()
	case "---":
		r.into.Page()
	case "":
		return nil
	default:
		return r.placed(kind[1:], rest)
	}
	return nil
}

func (r *reader) placed(box, text string) error {
	var at [4]float64
	for i, n := range strings.SplitN(box, ",", len(at)) {
		at[i], _ = strconv.ParseFloat(n, 64)
	}
	place := documents.Box{Left: at[0], Top: at[1], Right: at[2], Bottom: at[3]}
	return r.into.Add(documents.Block{Kind: documents.Paragraph, Text: text, Box: place})
}

func cellsOf(line string, header bool) []documents.Cell {
	var cells []documents.Cell
	for i, text := range strings.Split(line, "|") {
		cells = append(cells, documents.Cell{Text: strings.TrimSpace(text), Column: i, Header: header})
	}
	return cells
}
