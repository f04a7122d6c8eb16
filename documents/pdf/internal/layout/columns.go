package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
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
			if end-first > max(2, best.score) { // a score is at most the number of rows
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
// labels.
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
	if lines >= 4 && areProse || lines >= 3 && labels.lines*3 < lines {
		return lines
	}
	return 0
}

// side has statistics of the text on one side of a gutter.
type side struct {
	lines, words   int
	wordsOfLetters int
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
