package tables

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// value reads a cell or an item of a list as a value of the type of its column. It returns false if the text has no such
// value, or an ambiguous one.
func (f finder) value(m headerMatch, at scan.Span) (ranking.Answer, bool) {
	pair := candidates.Pair{Label: m.header.Terms, Weight: 1, InGrid: true, Value: scan.TrimSpace(f.doc.Text, at)}
	if isText(m.column.question) {
		return wholeCell(f.doc, m, pair.Value)
	}
	ranked := ranking.Ranked(f.doc.Watch, f.read.Read(m.column.question, &pair, m.score))
	if len(ranked) == 0 || ranked[0].NoValue || len(ranked) > 1 && ranked[1].Score == ranked[0].Score {
		return ranking.Answer{}, false
	}
	if ranked[0].Value.Type == answers.Number && !isWholeNumber(f.doc.Text, pair.Value, ranked[0].At) {
		return ranking.Answer{}, false
	}
	return ranked[0], true
}

// isText reports whether a column asks for free text, such as the name of an article.
func isText(q *questions.Question) bool {
	switch q.Shape {
	case questions.AnyShape, questions.NameShape, questions.TextShape, questions.ListShape:
		return q.Variable.Type == answers.String
	}
	return false
}

// wholeCell returns the text of a cell. The text must have a letter, because a bare number is not a name or a
// description.
func wholeCell(doc *index.Index, m headerMatch, at scan.Span) (ranking.Answer, bool) {
	text := at.In(doc.Text)
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return ranking.Answer{}, false
	}
	return ranking.Answer{Value: answers.Value{Type: answers.String, Text: text}, At: at, Score: m.score, Key: text}, true
}

// isWholeNumber reports whether a cell has no digits before or after a number. A number with more digits beside it is a
// part of a longer code, such as an IBAN.
func isWholeNumber(text string, cell, number scan.Span) bool {
	const digits = "0123456789"
	return !strings.ContainsAny(text[cell.Start:number.Start], digits) &&
		!strings.ContainsAny(text[number.End:cell.End], digits)
}

// cellIn returns the cell of a row in a column, if it has text.
func cellIn(row *documents.Block, column int) (documents.Cell, bool) {
	i := slices.IndexFunc(row.Cells, func(cell documents.Cell) bool { return cell.Column == column })
	if i < 0 || row.Cells[i].Text == "" {
		return documents.Cell{}, false
	}
	return row.Cells[i], true
}
