package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	maxCutDepth = 12 // cuts within cuts
	maxGutters  = 32 // candidates for each cut
)

// segment cuts a page into regions in reading order: the part above the columns, the columns from left
// to right, the part below. The columns of a table are not cut, because their cells are short and their
// rows are side by side. Its only error is the error of the context.
func segment(ctx context.Context, words []word, depth int) ([][]word, error) {
	if depth >= maxCutDepth {
		return [][]word{words}, nil
	}
	rows := joinRows(words)
	g, err := bestGutter(ctx, rows)
	if err != nil || g.score == 0 {
		return [][]word{words}, err
	}
	above, below := wordsOf(rows[:g.first]), wordsOf(rows[g.end:])
	left, right := splitRows(rows[g.first:g.end], g.x)
	var regions [][]word
	for _, part := range [][]word{above, left, right, below} {
		if len(part) == 0 {
			continue
		}
		partRegions, err := segment(ctx, part, depth+1)
		if err != nil {
			return nil, err
		}
		regions = append(regions, partRegions...)
	}
	return regions, nil
}

func wordsOf(rows []row) []word {
	var all []word
	for _, r := range rows {
		all = append(all, r.words...)
	}
	return all
}

func splitRows(rows []row, x float64) (left, right []word) {
	for _, r := range rows {
		before, after := r.splitAt(x)
		left, right = append(left, before...), append(right, after...)
	}
	return left, right
}

// gutter is the space between two columns, at x beside the rows from first to end. Its score is the
// number of lines beside it, or 0 if it does not separate columns.
type gutter struct {
	x          float64
	first, end int
	score      int
}

// bestGutter returns the gutter with the highest score.
func bestGutter(ctx context.Context, rows []row) (gutter, error) {
	best := gutter{}
	for _, x := range gutterCandidates(rows) {
		if err := ctx.Err(); err != nil {
			return best, fmt.Errorf("find the columns of a page: %w", err)
		}
		for first := 0; first < len(rows); {
			end := first
			for end < len(rows) && rows[end].isClearAt(x) {
				end++
			}
			if end-first > max(1, best.score) { // a score is at most the number of rows
				g := gutter{x: x, first: first, end: end}.trim(rows)
				if g.score = g.rate(rows); g.score > best.score {
					best = g
				}
			}
			first = end + 1
		}
	}
	return best, nil
}

// gutterCandidates returns the places just left of where several lines begin, the most frequent
// first.
func gutterCandidates(rows []row) []float64 {
	const gridPoints = 2.0
	counts := map[int]int{} // by place on the grid
	for _, r := range rows {
		right := math.Inf(-1)
		for _, w := range r.words {
			if w.left-right > 0.7*r.size {
				counts[int(math.Round((w.left-0.35*r.size)/gridPoints))]++
			}
			right = max(right, w.right)
		}
	}
	places := make([]int, 0, len(counts))
	for place, n := range counts {
		if n >= 2 {
			places = append(places, place)
		}
	}
	slices.SortFunc(places, func(a, b int) int {
		if n := counts[b] - counts[a]; n != 0 {
			return n
		}
		return a - b
	})
	var candidates []float64
	for _, place := range places[:min(len(places), maxGutters)] {
		candidates = append(candidates, float64(place)*gridPoints)
	}
	return candidates
}

// trim removes distant first and last rows that are on one side only, such as headers, footers and
// page numbers.
func (g gutter) trim(rows []row) gutter {
	const minDistance, minRows = 2.5, 2
	for g.end-g.first > minRows {
		first, next := rows[g.first], rows[g.first+1]
		if !first.isOneSided(g.x) || next.baseline-first.baseline <= minDistance*first.size {
			break
		}
		g.first++
	}
	for g.end-g.first > minRows {
		last, previous := rows[g.end-1], rows[g.end-2]
		if !last.isOneSided(g.x) || last.baseline-previous.baseline <= minDistance*last.size {
			break
		}
		g.end--
	}
	return g
}

// rate returns the score of a gutter. A gutter separates columns if both sides are prose, or if the
// lines of both sides are not side by side. It does not if the lines that are side by side begin with
// labels, or if the right side has only numbers, which belong to the lines beside them. Two or three lines
// are columns of prose only if their sentences continue, no gap is as narrow as one between words, and no line is close.
func (g gutter) rate(rows []row) int {
	left, right, labels := newSide(), newSide(), newSide()
	for _, r := range rows[g.first:g.end] {
		before, after := r.splitAt(g.x)
		left.add(before, r.size)
		right.add(after, r.size)
		if len(after) > 0 {
			labels.add(before, r.size)
		}
	}
	lines := min(left.lines, right.lines)
	areProse := left.isProse() && right.isProse() && labels.isProse()
	areSentences := left.isContinued() && right.isContinued() && g.isWide(rows) && g.isApart(rows)
	areApart := labels.lines*3 < lines && right.numbers < right.lines
	if areProse && (lines >= 4 || lines >= 2 && areSentences) || lines >= 3 && areApart {
		return lines
	}
	return 0
}

// isWide reports whether the gap is as wide as between cells in all rows that have words on both sides.
func (g gutter) isWide(rows []row) bool {
	return !slices.ContainsFunc(rows[g.first:g.end], func(r row) bool {
		before, after := r.splitAt(g.x)
		return len(before) > 0 && len(after) > 0 && after[0].left-rightEdge(before) < minCellGap*r.size
	})
}

// isApart reports whether the rows above and below are farther away than the next line of a text, unlike those of a
// table.
func (g gutter) isApart(rows []row) bool {
	isFar := func(i int) bool { return rows[i].baseline-rows[i-1].baseline > maxLineDistance*rows[i].size }
	return (g.first == 0 || isFar(g.first)) && (g.end == len(rows) || isFar(g.end))
}

// side has statistics of the text on one side of a gutter.
type side struct {
	lines, words   int
	wordsOfLetters int
	continued      int         // lines that begin with a small letter
	numbers        int         // lines that are only an amount, a quantity or a date
	gapEdgeCounts  map[int]int // where wide gaps begin and end, on a grid
	gaps           [][2]int    // both edges of each wide gap
}

func newSide() side { return side{gapEdgeCounts: map[int]int{}} }

// add adds the words of a line.
func (s *side) add(words []word, size float64) {
	const gridPoints = 3
	const rightEdgeOffset = 1 << 20 // keeps the right edges apart from the left ones
	if len(words) == 0 {
		return
	}
	s.lines++
	s.words += len(words)
	if first, _ := utf8.DecodeRuneInString(words[0].text); unicode.IsLower(first) {
		s.continued++
	}
	if areNumbers(words) {
		s.numbers++
	}
	right := math.Inf(1)
	for _, w := range words {
		if w.left-right > size {
			gap := [2]int{int(right / gridPoints), int(w.left/gridPoints) + rightEdgeOffset}
			s.gapEdgeCounts[gap[0]]++
			s.gapEdgeCounts[gap[1]]++
			s.gaps = append(s.gaps, gap)
		}
		right = w.right
		if w.hasLetters {
			s.wordsOfLetters++
		}
	}
}

// areNumbers reports whether words are an amount, a quantity or a date.
func areNumbers(words []word) bool {
	const maxCurrency = 3 // bytes
	return !slices.ContainsFunc(words, func(w word) bool {
		return w.hasLetters && len(w.text) > maxCurrency && !isNumber(w.text)
	})
}

// isContinued reports whether each line but the first continues a sentence.
func (s *side) isContinued() bool { return s.lines >= 2 && s.continued == s.lines-1 }

// isProse reports whether a line has several words on average, most of them with letters. Aligned gaps
// cut a line into cells, which count as lines; gaps of justified text are not aligned.
func (s *side) isProse() bool {
	cells := s.lines
	for _, gap := range s.gaps {
		if 4*max(s.gapEdgeCounts[gap[0]], s.gapEdgeCounts[gap[1]]) > s.lines {
			cells++
		}
	}
	return s.words >= 3*cells && 10*s.wordsOfLetters >= 6*s.words
}
