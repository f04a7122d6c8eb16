package learned

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/candidates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// rowLabel returns the words of the first piece of a line that is not a value, searched from the left. If all pieces to the
// left of piece i are values, as in a table with the names of its rows in the last column, it searches the cells to the
// right. Otherwise it returns the first piece.
func (r *Reader) rowLabel(i int) label {
	lefts := r.layout.left(i)
	for _, j := range slices.Backward(lefts) {
		if s := r.layout.pieces[j].at; !r.ix.HasValue(s) {
			return r.words(s)
		}
	}
	p := &r.layout.pieces[i]
	if p.isCell {
		for j := i + 1; j < min(len(r.layout.pieces), i+maxCompared) && r.layout.pieces[j].block == p.block; j++ {
			if s := r.layout.pieces[j].at; !r.ix.HasValue(s) && len(r.words(s)) > 0 {
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

// gridRow is a row of a table with headers.
type gridRow struct {
	grid  *candidates.Grid
	block *documents.Block
	name  documents.Cell // the first cell that is not a value; without one, the first cell
}

// gridPlaceOf returns where a piece is in a table with headers. ok is false if it is a header or not in such a table, and on
// the pages of a PDF, where the rows of a form look like those of a table.
func (r *Reader) gridPlaceOf(i int) (at gridPlace, ok bool) {
	p := &r.layout.pieces[i]
	if !p.isCell || p.isPlaced {
		return gridPlace{}, false
	}
	if r.gridRows == nil {
		r.gridRows = r.findGridRows()
	}
	row, ok := r.gridRows[r.ix.Blocks[p.block].Start]
	if !ok {
		return gridPlace{}, false
	}
	cells := row.block.Cells
	n, _ := slices.BinarySearchFunc(cells, p.at.Start+1, func(c documents.Cell, at int) int { return c.Start - at })
	if n == 0 {
		return gridPlace{}, false
	}
	cell := cells[n-1]
	_, ok = row.grid.Headers[cell.Column]
	return gridPlace{row, cell.Column}, ok && p.at.Start < cell.Start+len(cell.Text)
}

// findGridRows returns the rows of all tables with headers, by their offset.
func (r *Reader) findGridRows() map[int]gridRow {
	rows := map[int]gridRow{}
	grids := candidates.Grids(r.ix)
	for g := range grids {
		for n := range grids[g].Rows {
			block := &grids[g].Rows[n]
			isName := func(c documents.Cell) bool {
				at := scan.CellSpan(c)
				return !r.ix.HasValue(at) && len(r.ix.MentionsIn(at)) > 0
			}
			row := gridRow{grid: &grids[g], block: block}
			if i := slices.IndexFunc(block.Cells, isName); len(block.Cells) > 0 {
				row.name = block.Cells[max(i, 0)]
			}
			rows[block.Start] = row
		}
	}
	return rows
}

// headsIn returns the words of the header of a column, after those of the title of its group.
func (r *Reader) headsIn(at gridPlace) label {
	h := at.grid.Headers[at.column]
	return slices.Concat(r.wordsOf(h.Title), r.wordsOf(h.Cell))
}

func (r *Reader) wordsOf(c documents.Cell) label { return r.words(scan.CellSpan(c)) }

// isBodyCell reports whether a piece is a cell with a name of its row and a head of its column.
func (r *Reader) isBodyCell(i int) bool {
	_, ok := r.gridPlaceOf(i)
	return ok && len(r.pieceLabels(i)[cross]) > 0
}

// nameAndValue is the number of columns of a table in which each row has a name and one value.
const nameAndValue = 2

// columnFilter finds values in other columns than the one that a question names.
type columnFilter struct {
	reader *Reader
	asked  *questions.Question
	named  map[*candidates.Grid]bool // whether the question has all words of a header
}

// excludes reports whether a value stands in another column of a table than the one that the question names, or in the column
// of another year. A column whose header has any term of the question is not another column, unless the years differ. If the
// question names the row and something that no header names, all columns are other columns.
func (f columnFilter) excludes(c *candidate) bool {
	at, ok := f.reader.gridPlaceOf(c.piece)
	if !ok {
		return false
	}
	own, q := at.grid.Headers[at.column], f.asked
	years, askedYears := yearsOf(own.Terms), yearsOf(q.NameTerms)
	if len(years) > 0 && len(askedYears) > 0 && !lexicon.Overlap(years, askedYears) {
		return true
	}
	if isNamed(q, own.Text, own.Terms) || lexicon.Overlap(own.Terms, q.NameTerms) {
		return false
	}
	isOtherNamed := remembered(f.named, at.grid, func() bool {
		for _, h := range at.grid.Headers {
			if isNamed(q, h.Text, h.Terms) {
				return true
			}
		}
		return false
	})
	return isOtherNamed || f.asksForUnknownColumn(at)
}

// asksForUnknownColumn reports whether a question names the row of a cell and something else that no header names: the
// calories of a fruit, in a table with the weight and the price.
func (f columnFilter) asksForUnknownColumn(at gridPlace) bool {
	terms := lexicon.LabelTerms(f.reader.wordsOf(at.name))
	if len(at.grid.Headers) <= nameAndValue || at.name.Column == at.column || !isNamed(f.asked, at.name.Text, terms) {
		return false
	}
	return !lexicon.Subset(f.asked.NameTerms, slices.Concat(terms, lexicon.GenericTerms, lexicon.DocumentTerms, sumTerms))
}

// sumTerms may be missing in the header of a column of sums.
var sumTerms = []string{"TOTAL", "GRAND", "SUBTOTAL", "PAY", "PRICE"}

// isNamed reports whether a question has all words or all terms of a header or a name.
func isNamed(q *questions.Question, text string, terms []string) bool {
	return text != "" && (len(terms) > 0 && lexicon.Subset(terms, q.NameTerms) || q.HasWords(text))
}

// raiseCell makes the value of a cell the first answer if the question names the row and the column of the cell, and if the
// value is the whole cell. The question may also name the title of the column's group and the heading above, but nothing
// else. If it names cells with different values, the first answer becomes doubtful.
func (r *Reader) raiseCell(q *questions.Question, ranked []ranking.Answer, found []candidate) []ranking.Answer {
	var keys, underHeading []string
	for i := range found {
		if r.ix.Watch.Stopped() {
			return ranked
		}
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
		ranked[0].Score = min(ranked[0].Score, doubtProbability)
	}
	return ranked
}

// isNamedCell reports whether a question names the header of a value's column and the name of its row, and whether it also
// names the heading above. The only column beside the names of the rows needs no name.
func (r *Reader) isNamedCell(q *questions.Question, c *candidate) (named, byHeading bool) {
	at, ok := r.gridPlaceOf(c.piece)
	if !ok || at.name.Column == at.column || c.answer.At.Len() < r.layout.pieces[c.piece].at.Len() {
		return false, false
	}
	terms := lexicon.LabelTerms(r.wordsOf(at.name))
	h := at.grid.Headers[at.column]
	isColumnNamed := len(at.grid.Headers) <= nameAndValue || isNamed(q, h.Text, lexicon.LabelTerms(r.wordsOf(h.Cell)))
	if !isColumnNamed || !isNamed(q, at.name.Text, terms) {
		return false, false
	}
	explained := slices.Concat(h.Terms, terms, lexicon.GenericTerms)
	above := lexicon.LabelTerms(r.pieceLabels(c.piece)[heading])
	isExplained := lexicon.Subset(q.NameTerms, explained)
	named = lexicon.Subset(q.NameTerms, slices.Concat(explained, above))
	return named, named && !isExplained
}

// doubtRepeated lowers the probability of a value if another table has another value with the same labels, as two sheets of
// a workbook do, and the question does not say which table it means.
func (r *Reader) doubtRepeated(q *questions.Question, ranked []ranking.Answer) []ranking.Answer {
	if len(ranked) == 0 {
		return nil
	}
	best := r.layout.pieceAt(ranked[0].At.Start)
	for _, other := range ranked[1:] {
		if i := r.layout.pieceAt(other.At.Start); r.haveEqualLabels(best, i) && !r.headingDecides(q, best, i) {
			ranked[0].Score = min(ranked[0].Score, doubtProbability)
			break
		}
	}
	return ranked
}

// isInOneTable reports whether two blocks are rows of the same table.
func (r *Reader) isInOneTable(i, j int) bool {
	a, b := &r.ix.Blocks[i], &r.ix.Blocks[j]
	return a.Kind == documents.Row && b.Kind == documents.Row && a.Table == b.Table
}

// haveEqualLabels reports whether two pieces are cells of different tables in rows and columns with the same names.
func (r *Reader) haveEqualLabels(i, j int) bool {
	if i < 0 || j < 0 {
		return false
	}
	a, b := &r.layout.pieces[i], &r.layout.pieces[j]
	if !a.isCell || !b.isCell || a.isPlaced || b.isPlaced || r.isInOneTable(a.block, b.block) {
		return false
	}
	x, y := r.pieceLabels(i), r.pieceLabels(j)
	row := lexicon.LabelTerms(x[leftmost])
	return len(row) > 0 && slices.Equal(row, lexicon.LabelTerms(y[leftmost])) &&
		slices.Equal(lexicon.LabelTerms(x[cross]), lexicon.LabelTerms(y[cross]))
}

// headingDecides reports whether the question has more words of the heading over one piece than of the one over another.
func (r *Reader) headingDecides(q *questions.Question, i, other int) bool {
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
	return slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return !numbers.IsYear(t) })
}
