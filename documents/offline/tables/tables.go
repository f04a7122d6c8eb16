package tables

import (
	"maps"
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// Record has the answers of one row, by the names of the columns.
type Record map[string]ranking.Answer

// Find returns the records of the table that matches best, or nil if no table matches. Tables that are read from the places of words come
// before those of the blocks. If the context ends, Find returns early; the caller checks the watch of the index.
func Find(doc *index.Index, read *values.Reader, t answers.Table) []Record {
	f := finder{doc, read, columnsOf(doc, t)}
	best := f.best(candidates.PrintedGrids(doc))
	if best.matches == nil {
		best = f.best(candidates.Grids(doc))
	}
	records := f.records(best)
	return records[:min(len(records), t.MaxRows)]
}

// column is a question about each row.
type column struct {
	question *questions.Question
	role     role
}

func (c column) name() string { return c.question.Variable.Name }

func columnsOf(doc *index.Index, t answers.Table) []column {
	var all []column
	for _, v := range t.Columns {
		q := questions.New(v)
		all = append(all, column{ranking.Fit(doc, q), roleOf(q)})
	}
	return all
}

type finder struct {
	doc     *index.Index
	read    *values.Reader
	columns []column
}

// best returns the match of the grid that matches best.
func (f finder) best(grids []candidates.Grid) (best gridMatch) {
	for _, grid := range grids {
		if f.doc.Watch.Stopped() {
			return gridMatch{}
		}
		if found := f.matchGrid(grid); found.isBetter(best) {
			best = found
		}
	}
	return best
}

// headMatch says that the head of a table names a column.
type headMatch struct {
	column column
	head   candidates.Head
	score  float64
	texts  int // bytes of text in the column, which decides between equal heads of a column for text
}

// gridMatch says which heads of a grid name the columns.
type gridMatch struct {
	grid    candidates.Grid
	matches []headMatch
	score   float64 // the sum of the scores of the matches
}

func (m gridMatch) isBetter(other gridMatch) bool {
	if m.score != other.score {
		return m.score > other.score
	}
	return len(m.grid.Rows) > len(other.grid.Rows)
}

// matchGrid gives each column at most one head. The match is empty if heads name less than half of the columns, or only one of several.
func (f finder) matchGrid(grid candidates.Grid) gridMatch {
	found := gridMatch{grid: grid, matches: f.assign(f.possible(grid))}
	const minMatches = 2
	if n := len(found.matches); 2*n < len(f.columns) || n < min(minMatches, len(f.columns)) {
		return gridMatch{}
	}
	for _, m := range found.matches {
		found.score += m.score
	}
	return found
}

// maxHeads limits the heads of a table that are compared, from the left.
const maxHeads = 100

// possible returns the pairs of columns and heads that match, the best first.
func (f finder) possible(grid candidates.Grid) []headMatch {
	var all []headMatch
	headColumns := slices.Sorted(maps.Keys(grid.Heads))
	known, isKnown := findProduct(f.doc, grid)
	for _, c := range f.columns {
		for _, headColumn := range headColumns[:min(len(headColumns), maxHeads)] {
			if f.doc.Watch.Stopped() {
				return nil
			}
			head := grid.Heads[headColumn]
			score := f.score(c, head)
			if isKnown {
				score = known.adjust(score, c.role, headColumn)
			}
			if score >= ranking.MinScore && f.hasType(grid, c, head) {
				all = append(all, headMatch{c, head, score, textIn(grid, c, headColumn)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b headMatch) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case a.texts != b.texts:
			return b.texts - a.texts
		}
		return a.head.Column - b.head.Column
	})
	return all
}

// score returns how well the words of a head name a column.
func (f finder) score(c column, head candidates.Head) float64 {
	pair := candidates.Pair{Label: head.Terms, LabelAt: scan.Between(head.Start, head.Start+len(head.Text)), Weight: 1}
	score := ranking.MatchLabel(c.question, &pair, f.doc.Topic)
	if strings.EqualFold(head.Text, c.name()) { // other words may mean the same
		score += ranking.RepeatBonus
	}
	return c.role.headScore(score, head)
}

// textIn returns the bytes of text in the first rows below a head; 0 for a column that asks for something else.
func textIn(grid candidates.Grid, c column, headColumn int) (bytes int) {
	const maxRead = 20 // rows
	if !isText(c.question) {
		return 0
	}
	for i := range grid.Rows[:min(len(grid.Rows), maxRead)] {
		if cell, isFilled := cellIn(&grid.Rows[i], headColumn); isFilled {
			bytes += len(cell.Text)
		}
	}
	return bytes
}

// hasType reports whether at least half of the first cells below a head have the type of a column.
func (f finder) hasType(grid candidates.Grid, c column, head candidates.Head) bool {
	const maxRead = 100 // rows
	filled, typed := 0, 0
	for i := range grid.Rows[:min(len(grid.Rows), maxRead)] {
		cell, isFilled := cellIn(&grid.Rows[i], head.Column)
		if !isFilled {
			continue
		}
		filled++
		if _, isTyped := f.value(headMatch{column: c, head: head, score: 1}, cell); isTyped {
			typed++
		}
	}
	return typed > 0 && 2*typed >= filled
}

// assign gives each column the best head that no better match has taken. A column that is then left without a head takes over the head of
// another column, if that column matches a second head.
func (f finder) assign(all []headMatch) []headMatch {
	var chosen []headMatch
	for _, m := range all {
		if !hasColumn(chosen, m) && !hasHead(chosen, m) {
			chosen = append(chosen, m)
		}
	}
	for _, m := range all {
		if hasColumn(chosen, m) {
			continue
		}
		i := slices.IndexFunc(chosen, func(other headMatch) bool { return other.head.Column == m.head.Column })
		second := slices.IndexFunc(all, func(other headMatch) bool { return other.column == chosen[i].column && !hasHead(chosen, other) })
		if second >= 0 {
			chosen[i] = all[second]
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func hasColumn(chosen []headMatch, m headMatch) bool {
	return slices.ContainsFunc(chosen, func(other headMatch) bool { return other.column == m.column })
}

func hasHead(chosen []headMatch, m headMatch) bool {
	return slices.ContainsFunc(chosen, func(other headMatch) bool { return other.head.Column == m.head.Column })
}

// records reads the rows of a grid, without the totals at the end.
func (f finder) records(best gridMatch) []Record {
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
		const maxTotalCells = 2 // a row with a value in more columns than these, and in all, is not a total
		isWhole := len(record) == len(best.matches) && len(record) > maxTotalCells
		if isWhole || !candidates.IsTotal(f.doc, row) {
			items = len(all)
		}
	}
	return all[:items]
}

// isRecord reports whether a row has values in at least half of the columns, and in half of those for numbers and dates. The second line of
// a record and most totals have fewer.
func isRecord(r Record, best gridMatch) bool {
	exact, found := 0, 0 // columns of types other than strings, and how many of them have a value
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
