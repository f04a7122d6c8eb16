package tables

import (
	"maps"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// Record has the answers of one row by the name of the column.
type Record map[string]ranking.Answer

// Find returns the records of the table that fits best; none if no table fits. If the context ends, it returns early; the caller checks
// the watch of the index.
func Find(doc *index.Index, read *values.Reader, t answers.Table) []Record {
	f := finder{doc, read, columnsOf(doc, t)}
	var best fit
	for _, grid := range candidates.Grids(doc) {
		if doc.Watch.Stopped() {
			return nil
		}
		if found := f.fit(grid); found.isBetter(best) {
			best = found
		}
	}
	records := f.records(best)
	return records[:min(len(records), t.MaxRows)]
}

// column is a question about each row.
type column struct{ question *questions.Question }

func (c column) name() string { return c.question.Variable.Name }

func columnsOf(doc *index.Index, t answers.Table) []column {
	var all []column
	for _, v := range t.Columns {
		all = append(all, column{ranking.Fit(doc, questions.New(v))})
	}
	return all
}

type finder struct {
	doc     *index.Index
	read    *values.Reader
	columns []column
}

// match says that the head of a table names a column.
type match struct {
	column column
	head   documents.Cell
	score  float64
}

// fit is how well a grid answers the columns.
type fit struct {
	grid    candidates.Grid
	matches []match
	score   float64 // the sum of the matches
}

func (f fit) isBetter(other fit) bool {
	if f.score != other.score {
		return f.score > other.score
	}
	return len(f.grid.Rows) > len(other.grid.Rows)
}

// fit gives each column the best head that is left. The fit is empty if heads name less than half of the columns, or only one of several.
func (f finder) fit(grid candidates.Grid) fit {
	found := fit{grid: grid, matches: f.choose(f.possible(grid))}
	const least = 2
	if n := len(found.matches); 2*n < len(f.columns) || n < min(least, len(f.columns)) {
		return fit{}
	}
	for _, m := range found.matches {
		found.score += m.score
	}
	return found
}

// maxHeads limits the heads of a table that are compared, from the left.
const maxHeads = 100

// possible returns the pairs of columns and heads that match, the best first.
func (f finder) possible(grid candidates.Grid) []match {
	var all []match
	columns := slices.Sorted(maps.Keys(grid.Heads))
	for _, c := range f.columns {
		for _, column := range columns[:min(len(columns), maxHeads)] {
			if f.doc.Watch.Stopped() {
				return nil
			}
			head := grid.Heads[column]
			at := scan.Between(head.Start, head.Start+len(head.Text))
			pair := candidates.Pair{Label: f.doc.TermsIn(at), LabelAt: at, Weight: 1}
			score := ranking.MatchLabel(c.question, &pair, f.doc.Topic)
			if strings.EqualFold(head.Text, c.name()) { // other words may mean the same
				score += ranking.RepeatBonus
			}
			if score >= ranking.MinScore && f.hasType(grid, c, head) {
				all = append(all, match{c, head, score})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.head.Column - b.head.Column
	})
	return all
}

// hasType reports whether at least half of the first cells below a head have the type of a column.
func (f finder) hasType(grid candidates.Grid, c column, head documents.Cell) bool {
	const enough = 100 // rows
	filled, typed := 0, 0
	for i := range grid.Rows[:min(len(grid.Rows), enough)] {
		cell, isFilled := cellIn(&grid.Rows[i], head.Column)
		if !isFilled {
			continue
		}
		filled++
		if _, isTyped := f.value(match{c, head, 1}, cell); isTyped {
			typed++
		}
	}
	return typed > 0 && 2*typed >= filled
}

// choose gives each column the best head that is left. A column without a head gets that of another column which has a second one.
func (f finder) choose(all []match) []match {
	var chosen []match
	for _, m := range all {
		if !hasColumn(chosen, m) && !hasHead(chosen, m) {
			chosen = append(chosen, m)
		}
	}
	for _, m := range all {
		if hasColumn(chosen, m) {
			continue
		}
		i := slices.IndexFunc(chosen, func(other match) bool { return other.head.Column == m.head.Column })
		second := slices.IndexFunc(all, func(other match) bool { return other.column == chosen[i].column && !hasHead(chosen, other) })
		if second >= 0 {
			chosen[i] = all[second]
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func hasColumn(chosen []match, m match) bool {
	return slices.ContainsFunc(chosen, func(other match) bool { return other.column == m.column })
}

func hasHead(chosen []match, m match) bool {
	return slices.ContainsFunc(chosen, func(other match) bool { return other.head.Column == m.head.Column })
}

// value reads a cell as the type of its column.
func (f finder) value(m match, cell documents.Cell) (ranking.Answer, bool) {
	pair := candidates.Pair{
		Label: f.doc.TermsIn(scan.Between(m.head.Start, m.head.Start+len(m.head.Text))), Weight: 1, InGrid: true,
		Value: scan.TrimSpace(f.doc.Text, scan.Between(cell.Start, cell.Start+len(cell.Text))),
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

// isWholeNumber reports whether a cell has no digits beside a number. "2100" in an IBAN is a part of the cell's value.
func isWholeNumber(text string, cell, number scan.Span) bool {
	const digits = "0123456789"
	return !strings.ContainsAny(text[cell.Start:number.Start], digits) && !strings.ContainsAny(text[number.End:cell.End], digits)
}

// records reads the rows of a fit, without the totals at the end.
func (f finder) records(best fit) []Record {
	var all []Record
	items := 0 // records up to the last one that is not a total
	for i := range best.grid.Rows {
		if f.doc.Watch.Stopped() {
			return nil
		}
		row := &best.grid.Rows[i]
		record := Record{}
		for _, m := range best.matches {
			if cell, isFilled := cellIn(row, m.head.Column); isFilled {
				if value, isTyped := f.value(m, cell); isTyped {
					record[m.column.name()] = value
				}
			}
		}
		if !isRecord(record, best) {
			continue
		}
		all = append(all, record)
		const few = 2 // columns, of which a total has all
		isWhole := len(record) == len(best.matches) && len(record) > few
		if isWhole || !candidates.IsTotal(f.doc, row) {
			items = len(all)
		}
	}
	return all[:items]
}

// isRecord reports whether a row has at least half of its values, and half of its numbers and dates. The second line of a record and most
// totals have fewer.
func isRecord(r Record, best fit) bool {
	exact, found := 0, 0
	for _, m := range best.matches {
		if m.column.question.Variable.Type == answers.String {
			continue
		}
		exact++
		if _, isFound := r[m.column.name()]; isFound {
			found++
		}
	}
	return len(r) > 0 && 2*len(r) >= len(best.matches) && 2*found >= exact
}

// cellIn returns the cell of a row in a column, if it has text.
func cellIn(row *documents.Block, column int) (documents.Cell, bool) {
	i := slices.IndexFunc(row.Cells, func(cell documents.Cell) bool { return cell.Column == column })
	if i < 0 || row.Cells[i].Text == "" {
		return documents.Cell{}, false
	}
	return row.Cells[i], true
}
