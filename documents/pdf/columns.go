package pdf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
)

// maxCuts bounds how often a page is cut; maxGutters how many places are tried for each cut.
const (
	maxCuts    = 12
	maxGutters = 32
)

// segment cuts a page into regions, in reading order: what is above columns, the columns from left to right, what is below.
// The cells of a table are no columns: they are short, and their lines stand beside each other. Its only error is the context's.
func segment(ctx context.Context, pieces []piece, depth int) ([][]piece, error) {
	if depth >= maxCuts {
		return [][]piece{pieces}, nil
	}
	rows := rowsOf(pieces)
	cut, err := bestCut(ctx, rows)
	if err != nil || cut.score == 0 {
		return [][]piece{pieces}, err
	}
	above, below := flatten(rows[:cut.first]), flatten(rows[cut.end:])
	left, right := split(rows[cut.first:cut.end], cut.x)
	var regions [][]piece
	for _, part := range [][]piece{above, left, right, below} {
		if len(part) > 0 {
			cut, err := segment(ctx, part, depth+1)
			if err != nil {
				return nil, err
			}
			regions = append(regions, cut...)
		}
	}
	return regions, nil
}

func flatten(rows []row) []piece {
	var all []piece
	for _, r := range rows {
		all = append(all, r.pieces...)
	}
	return all
}

func split(rows []row, x float64) (left, right []piece) {
	for _, r := range rows {
		before, after := r.at(x)
		left, right = append(left, before...), append(right, after...)
	}
	return left, right
}

// at are the words that begin left of x, and the others.
func (r *row) at(x float64) (left, right []piece) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].left >= x })
	return r.pieces[:i], r.pieces[i:]
}

// cut is a gutter at x between the rows from first to end.
type cut struct {
	x          float64
	first, end int
	score      int
}

// bestCut returns the gutter with the most lines beside it, or one without a score.
func bestCut(ctx context.Context, rows []row) (cut, error) {
	best := cut{}
	for _, x := range gutters(rows) {
		if err := ctx.Err(); err != nil {
			return best, fmt.Errorf("cut a page: %w", err)
		}
		for first := 0; first < len(rows); {
			end := first
			for end < len(rows) && rows[end].clear(x) {
				end++
			}
			if end-first > max(2, best.score) { // a score is at most the lines
				if c := judge(rows, trim(rows, cut{x: x, first: first, end: end})); c.score > best.score {
					best = c
				}
			}
			first = end + 1
		}
	}
	return best, nil
}

// gutters are places just left of where several lines begin, the most frequent first.
func gutters(rows []row) []float64 {
	const grid = 2.0
	counts := map[int]int{}
	for _, r := range rows {
		right := math.Inf(-1)
		for _, p := range r.pieces {
			if p.left-right > 0.7*r.size {
				counts[int(math.Round((p.left-0.35*r.size)/grid))]++
			}
			right = max(right, p.right)
		}
	}
	places := make([]int, 0, len(counts))
	for at, n := range counts {
		if n >= 2 {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b int) int {
		if n := counts[b] - counts[a]; n != 0 {
			return n
		}
		return a - b
	})
	var xs []float64
	for _, at := range places[:min(len(places), maxGutters)] {
		xs = append(xs, float64(at)*grid)
	}
	return xs
}

// clear reports whether no word of the row crosses the gutter.
func (r *row) clear(x float64) bool {
	before, _ := r.at(x)
	return !slices.ContainsFunc(before, func(p piece) bool { return p.right > x-0.25*r.size })
}

// sides reports whether the row has words left and right of x.
func (r *row) sides(x float64) (left, right bool) {
	before, after := r.at(x)
	return len(before) > 0, len(after) > 0
}

// trim leaves out lines far above and below that are on one side only: headers, footers, numbers of pages.
func trim(rows []row, c cut) cut {
	const far = 2.5
	lone := func(i int) bool {
		left, right := rows[i].sides(c.x)
		return left != right
	}
	for c.end-c.first > 2 && lone(c.first) && rows[c.first+1].base-rows[c.first].base > far*rows[c.first].size {
		c.first++
	}
	for c.end-c.first > 2 && lone(c.end-1) && rows[c.end-1].base-rows[c.end-2].base > far*rows[c.end-1].size {
		c.end--
	}
	return c
}

// side counts what is on one side of a gutter.
type side struct {
	lines, words, letters int
	edges                 map[int]int // where wide gaps begin and end, on a grid
	gaps                  [][2]int
}

// add counts the words of a line that are on this side, if there are any.
func (s *side) add(words []piece, size float64) {
	const grid = 3
	if len(words) == 0 {
		return
	}
	s.lines++
	s.words += len(words)
	right := math.Inf(1)
	for _, p := range words {
		if p.left-right > size {
			gap := [2]int{int(right / grid), int(p.left/grid) + 1<<20}
			s.edges[gap[0]]++
			s.edges[gap[1]]++
			s.gaps = append(s.gaps, gap)
		}
		right = p.right
		if p.letters {
			s.letters++
		}
	}
}

// prose reports whether there are several words to a line, most of them with letters. Gaps that stand below each other cut a
// line in cells; those of justified text stand anywhere.
func (s *side) prose() bool {
	cells := s.lines
	for _, gap := range s.gaps {
		if 4*max(s.edges[gap[0]], s.edges[gap[1]]) > s.lines {
			cells++
		}
	}
	return s.words >= 3*cells && 10*s.letters >= 6*s.words
}

// judge scores a gutter: that of columns of text has prose on both sides, or lines that do not stand beside each other. Where what
// stands beside lines are labels, below other text, it is no gutter.
func judge(rows []row, c cut) cut {
	left, right, label := side{edges: map[int]int{}}, side{edges: map[int]int{}}, side{edges: map[int]int{}}
	for _, r := range rows[c.first:c.end] {
		before, after := r.at(c.x)
		left.add(before, r.size)
		right.add(after, r.size)
		if len(after) > 0 {
			label.add(before, r.size)
		}
	}
	fewer := min(left.lines, right.lines)
	if fewer >= 4 && left.prose() && right.prose() && label.prose() || fewer >= 3 && label.lines*3 < fewer {
		c.score = fewer
	}
	return c
}
