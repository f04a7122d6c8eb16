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

// Record has the values of one row, by the names of the list's columns.
type Record map[string]ranking.Answer

// Find returns the records of the table that matches best, or nil if no table matches. It prefers the tables that the
// positions of words show, and reads the tables of blocks only if none of those matches. A list with one column may also
// stand below or beside a label. If the context ends, Find returns early; the caller checks the watch of the index.
func Find(doc *index.Index, set *candidates.Set, read *values.Reader, t answers.Table) []Record {
	f := finder{doc, read, columnsOf(doc, t)}
	best := f.best(candidates.LayoutGrids(doc))
	if best.matches == nil {
		best = f.best(candidates.Grids(doc))
	}
	records := f.records(best)
	if len(f.columns) == 1 {
		if l := f.bestList(set); l.score > best.score {
			records = l.records(f.columns[0].name())
		}
	}
	return records[:min(len(records), t.MaxRows)]
}

// column is a column of the list, which is a question about each row.
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

// best returns the best match among the grids.
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

// headerMatch says that a header of a table names a column of the list.
type headerMatch struct {
	column column
	header candidates.Header
	score  float64
	bytes  int // of text below the header; if two headers match a column of text equally well, the one with more text wins
}

// gridMatch says which headers of a grid name the columns of the list.
type gridMatch struct {
	grid    candidates.Grid
	matches []headerMatch
	score   float64 // the sum of the scores of the matches
}

func (m gridMatch) isBetter(other gridMatch) bool {
	if m.score != other.score {
		return m.score > other.score
	}
	return len(m.grid.Rows) > len(other.grid.Rows)
}

// matchGrid gives each column at most one header. The match is empty if fewer than half of the columns have a header,
// or only one of several.
func (f finder) matchGrid(grid candidates.Grid) gridMatch {
	found := gridMatch{grid: grid, matches: assign(f.candidates(grid))}
	const minMatches = 2
	if n := len(found.matches); 2*n < len(f.columns) || n < min(minMatches, len(f.columns)) {
		return gridMatch{}
	}
	for _, m := range found.matches {
		found.score += m.score
	}
	return found
}

// maxHeaders is how many headers of a table are compared, from the left.
const maxHeaders = 100

// candidates returns the pairs of columns and headers that match, the best first.
func (f finder) candidates(grid candidates.Grid) []headerMatch {
	var all []headerMatch
	headerColumns := slices.Sorted(maps.Keys(grid.Headers))
	known, isKnown := findProduct(f.doc, grid)
	for _, c := range f.columns {
		for _, headerColumn := range headerColumns[:min(len(headerColumns), maxHeaders)] {
			if f.doc.Watch.Stopped() {
				return nil
			}
			header := grid.Headers[headerColumn]
			score := f.score(c, header)
			if isKnown {
				score = known.adjust(score, c.role, headerColumn)
			}
			if score >= ranking.MinScore && f.hasType(grid, c, header) {
				all = append(all, headerMatch{c, header, score, textBytes(grid, c, headerColumn)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b headerMatch) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case a.bytes != b.bytes:
			return b.bytes - a.bytes
		}
		return a.header.Column - b.header.Column
	})
	return all
}

// score returns how well the words of a header name a column.
func (f finder) score(c column, header candidates.Header) float64 {
	pair := candidates.Pair{Label: header.Terms, LabelAt: scan.Between(header.Start, header.Start+len(header.Text)),
		Weight: 1}
	score := ranking.MatchLabel(c.question, &pair, f.doc.Topic)
	if strings.EqualFold(header.Text, c.name()) { // the same word is a better match than a synonym
		score += ranking.RepeatBonus
	}
	return c.role.headerScore(score, header)
}

// textBytes returns how many bytes of text the first rows have below a header. It returns 0 if the column does not ask
// for text.
func textBytes(grid candidates.Grid, c column, headerColumn int) (bytes int) {
	const maxRead = 20 // rows
	if !isText(c.question) {
		return 0
	}
	for i := range grid.Rows[:min(len(grid.Rows), maxRead)] {
		if cell, isFilled := cellIn(&grid.Rows[i], headerColumn); isFilled {
			bytes += len(cell.Text)
		}
	}
	return bytes
}

// hasType reports whether at least half of the first cells below a header have the type of a column.
func (f finder) hasType(grid candidates.Grid, c column, header candidates.Header) bool {
	const maxRead = 100 // rows
	filled, typed := 0, 0
	for i := range grid.Rows[:min(len(grid.Rows), maxRead)] {
		cell, isFilled := cellIn(&grid.Rows[i], header.Column)
		if !isFilled {
			continue
		}
		filled++
		if _, isTyped := f.value(headerMatch{column: c, header: header, score: 1}, scan.CellSpan(cell)); isTyped {
			typed++
		}
	}
	return typed > 0 && 2*typed >= filled
}

// assign gives each column the best header that no better match has taken. A column that gets no header this way takes
// the header of another column if that column also matches a free header.
func assign(all []headerMatch) []headerMatch {
	var chosen []headerMatch
	for _, m := range all {
		if !hasColumn(chosen, m) && !hasHeader(chosen, m) {
			chosen = append(chosen, m)
		}
	}
	for _, m := range all {
		if hasColumn(chosen, m) {
			continue
		}
		i := slices.IndexFunc(chosen, func(other headerMatch) bool { return other.header.Column == m.header.Column })
		second := slices.IndexFunc(all, func(other headerMatch) bool { return other.column == chosen[i].column && !hasHeader(chosen, other) })
		if second >= 0 {
			chosen[i] = all[second]
			chosen = append(chosen, m)
		}
	}
	return chosen
}

func hasColumn(chosen []headerMatch, m headerMatch) bool {
	return slices.ContainsFunc(chosen, func(other headerMatch) bool { return other.column == m.column })
}

func hasHeader(chosen []headerMatch, m headerMatch) bool {
	return slices.ContainsFunc(chosen, func(other headerMatch) bool { return other.header.Column == m.header.Column })
}

// records reads the rows of a grid, without the totals at the end.
func (f finder) records(best gridMatch) []Record {
	var all []Record
	kept := 0 // records up to the last one that is not a total
	for i := range best.grid.Rows {
		if f.doc.Watch.Stopped() {
			return nil
		}
		row := &best.grid.Rows[i]
		record := Record{}
		for _, m := range best.matches {
			if cell, isFilled := cellIn(row, m.header.Column); isFilled {
				if value, isTyped := f.value(m, scan.CellSpan(cell)); isTyped {
					record[m.column.name()] = value
				}
			}
		}
		if !isRecord(record, best) {
			continue
		}
		all = append(all, record)
		if len(best.matches) == 1 && candidates.IsTotal(f.doc, row) {
			return all[:kept] // one column does not show where the totals end
		}
		const maxTotalCells = 2
		isComplete := len(record) == len(best.matches) && len(record) > maxTotalCells
		if isComplete || !candidates.IsTotal(f.doc, row) { // a complete record may begin with a word for a sum
			kept = len(all)
		}
	}
	return all[:kept]
}

// isRecord reports whether a row has values in at least half of all columns, and in at least half of the columns of
// numbers and dates. The second line of a record has fewer values, and so have most totals.
func isRecord(r Record, best gridMatch) bool {
	typed, found := 0, 0 // columns of types other than strings, and how many of them have a value
	for _, m := range best.matches {
		if m.column.question.Variable.Type == answers.String {
			continue
		}
		typed++
		if _, isFound := r[m.column.name()]; isFound {
			found++
		}
	}
	return len(r) > 0 && 2*len(r) >= len(best.matches) && 2*found >= typed
}
