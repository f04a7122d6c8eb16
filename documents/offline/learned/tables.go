package learned

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/candidates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// rowLabel returns the words of the first piece of a line. If that is a value, as in a table whose names of rows are not in
// the first column, it returns those of the next piece to the left, or the words to the right.
func (r *Reader) rowLabel(i int) label {
	lefts := r.layout.left(i)
	for _, j := range slices.Backward(lefts) {
		if s := r.layout.pieces[j].at; !r.isValue(s) {
			return r.words(s)
		}
	}
	p := &r.layout.pieces[i]
	if p.isCell {
		for j := i + 1; j < len(r.layout.pieces) && r.layout.pieces[j].block == p.block; j++ {
			if s := r.layout.pieces[j].at; !r.isValue(s) && len(r.words(s)) > 0 {
				return r.words(s)
			}
		}
	}
	if len(lefts) > 0 {
		return r.words(r.layout.pieces[lefts[len(lefts)-1]].at)
	}
	return nil
}

// gridPlace is the place of a cell in a table with headers.
type gridPlace struct {
	gridRow
	column int
}

// gridPlaceOf returns where a piece is in a table with headers. ok is false if it is a header or not in such a table, and on
// the pages of a PDF, where the rows of a form look like those of a table.
func (r *Reader) gridPlaceOf(i int) (at gridPlace, ok bool) {
	p := &r.layout.pieces[i]
	if !p.isCell || p.isPlaced {
		return gridPlace{}, false
	}
	if r.gridRows == nil {
		r.gridRows = map[int]gridRow{}
		grids := candidates.Grids(r.ix)
		for g := range grids {
			for n := range grids[g].Rows {
				r.gridRows[grids[g].Rows[n].Start] = gridRow{&grids[g], &grids[g].Rows[n]}
			}
		}
	}
	row, ok := r.gridRows[r.ix.Blocks[p.block].Start]
	if !ok {
		return gridPlace{}, false
	}
	for _, cell := range row.row.Cells {
		if _, hasHeader := row.grid.Headers[cell.Column]; hasHeader && cell.Start <= p.at.Start && p.at.Start < cell.Start+len(cell.Text) {
			return gridPlace{row, cell.Column}, true
		}
	}
	return gridPlace{}, false
}

// gridRow is a row of a table with headers.
type gridRow struct {
	grid *candidates.Grid
	row  *documents.Block
}

// headsIn returns the words of the header of a column, after those of the title of its group.
func (r *Reader) headsIn(at gridPlace) label {
	h := at.grid.Headers[at.column]
	return slices.Concat(r.wordsOf(h.Title), r.wordsOf(h.Cell))
}

func (r *Reader) wordsOf(c documents.Cell) label {
	return r.words(scan.Between(c.Start, c.Start+len(c.Text)))
}

// isBodyCell reports whether a piece is a cell with a name of its row and a head of its column.
func (r *Reader) isBodyCell(i int) bool {
	_, ok := r.gridPlaceOf(i)
	return ok && len(r.pieceLabels(i)[cross]) > 0
}

// isOfOtherColumn reports whether a value stands in another column of a table than the one that the question names, or in
// the column of another year.
func (r *Reader) isOfOtherColumn(q *questions.Question, c *candidate) bool {
	at, ok := r.gridPlaceOf(c.piece)
	if !ok {
		return false
	}
	own := at.grid.Headers[at.column]
	years, asked := yearsOf(own.Terms), yearsOf(q.NameTerms)
	if len(years) > 0 && len(asked) > 0 && !lexicon.Overlap(years, asked) {
		return true
	}
	if isNamed(q, own.Text, own.Terms) || lexicon.Overlap(own.Terms, q.NameTerms) {
		return false
	}
	for _, other := range at.grid.Headers {
		if isNamed(q, other.Text, other.Terms) {
			return true
		}
	}
	return false
}

// isNamed reports whether a question has all words or all terms of a header.
func isNamed(q *questions.Question, text string, terms []string) bool {
	if text == "" {
		return false
	}
	return len(terms) > 0 && lexicon.Subset(terms, q.NameTerms) || q.HasWords(text)
}

// raiseCell makes the value of a cell the first answer, if the question names the cell's row, its column, the title of the
// column's group, and nothing else but the heading above. If it names several cells with different values, none is likely.
func (r *Reader) raiseCell(q *questions.Question, ranked []ranking.Answer, found []candidate) []ranking.Answer {
	const doubt = 0.5
	var keys, underHeading []string
	for i := range found {
		key := found[i].answer.Key
		if named, byHeading := r.isNamedCell(q, &found[i]); byHeading {
			underHeading = append(underHeading, key)
		} else if named {
			keys = append(keys, key)
		}
	}
	if len(underHeading) > 0 {
		keys = underHeading
	}
	slices.Sort(keys)
	switch keys = slices.Compact(keys); {
	case len(keys) == 1:
		return raised(ranked, keys[0])
	case len(keys) > 1:
		ranked[0].Score = min(ranked[0].Score, doubt)
	}
	return ranked
}

// isNamedCell reports whether a question names the header of a value's column and another cell of its row, and whether it
// names the heading above, too. The only column beside the names of the rows needs no name.
func (r *Reader) isNamedCell(q *questions.Question, c *candidate) (named, byHeading bool) {
	const nameAndValue = 2 // columns
	at, ok := r.gridPlaceOf(c.piece)
	if !ok || c.answer.At.Len() < r.layout.pieces[c.piece].at.Len() {
		return false, false
	}
	h, above := at.grid.Headers[at.column], lexicon.LabelTerms(r.pieceLabels(c.piece)[heading])
	if !isNamed(q, h.Text, lexicon.LabelTerms(r.wordsOf(h.Cell))) && len(at.grid.Headers) > nameAndValue {
		return false, false
	}
	for _, name := range at.row.Cells {
		terms := lexicon.LabelTerms(r.wordsOf(name))
		explained := slices.Concat(h.Terms, terms, lexicon.GenericTerms)
		if name.Column != at.column && isNamed(q, name.Text, terms) && lexicon.Subset(q.NameTerms, slices.Concat(explained, above)) {
			return true, !lexicon.Subset(q.NameTerms, explained)
		}
	}
	return false, false
}

// doubtRepeated lowers the probability of a value if another table has another value with the same labels, as two sheets of
// a workbook do, and the question does not say which table it means.
func (r *Reader) doubtRepeated(q *questions.Question, ranked []ranking.Answer) {
	const doubt = 0.5
	if len(ranked) == 0 {
		return
	}
	best := r.layout.pieceAt(ranked[0].At.Start)
	for _, other := range ranked[1:] {
		if i := r.layout.pieceAt(other.At.Start); r.haveEqualLabels(best, i) && !r.isUnderAsked(q, best, i) {
			ranked[0].Score = min(ranked[0].Score, doubt)
			return
		}
	}
}

// haveEqualLabels reports whether two pieces are cells of different tables in rows and columns with the same names.
func (r *Reader) haveEqualLabels(i, j int) bool {
	if i < 0 || j < 0 {
		return false
	}
	a, b := &r.layout.pieces[i], &r.layout.pieces[j]
	if !a.isCell || !b.isCell || a.isPlaced || b.isPlaced || r.ix.Blocks[a.block].Table == r.ix.Blocks[b.block].Table {
		return false
	}
	x, y := r.pieceLabels(i), r.pieceLabels(j)
	row := lexicon.LabelTerms(x[leftmost])
	return len(row) > 0 && slices.Equal(row, lexicon.LabelTerms(y[leftmost])) &&
		slices.Equal(lexicon.LabelTerms(x[cross]), lexicon.LabelTerms(y[cross]))
}

// isUnderAsked reports whether the question has more words of the heading over one piece than of the one over another.
func (r *Reader) isUnderAsked(q *questions.Question, i, other int) bool {
	count := func(i int) (n int) {
		for _, t := range lexicon.LabelTerms(r.pieceLabels(i)[heading]) {
			if lexicon.Contains(q.NameTerms, t) || lexicon.Contains(q.DescriptionTerms, t) {
				n++
			}
		}
		return n
	}
	return count(i) > count(other)
}

// yearsOf returns the terms that are years.
func yearsOf(terms []string) []string {
	const digits = 4
	return slices.DeleteFunc(slices.Clone(terms), func(t string) bool {
		return len(t) != digits || scan.SkipDigits(t, 0) != digits || t < "1900" || t > "2099"
	})
}
