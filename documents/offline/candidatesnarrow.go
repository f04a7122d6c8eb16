package offline

import (
	"slices"

	"portside/documents"
)

// narrow follows tables whose columns stand so close that a page, or a text without its tabs, does not show where one ends:
// their rows are read by counting. As many numbers as there are heads after the first belong to them in order.
type narrow struct {
	columns int      // cells of the row of heads
	ways    [][]span // the heads after the first, as cells and as single words
	open    []span   // words of a line that are heads if a row of as many values follows
}

const leastHeads = 3 // of single words, with the one over the names

// heads notes a row of heads.
func (n *narrow) heads(c *pairCollector, row *documents.Block) {
	few := 2 // of the words have to be known as heads: half
	if len(row.Cells) >= leastHeads {
		few = len(row.Cells) // one of a row with cells of its own
	}
	words := c.headWords(span{row.Start, row.End()}, few)
	if len(words) < leastHeads {
		return
	}
	n.columns = len(row.Cells)
	var cells []span
	for _, cell := range row.Cells[1:] {
		cells = append(cells, cellSpan(cell))
	}
	n.ways = [][]span{cells, words[1:]}
	if len(cells) == 0 || len(cells) == len(words)-1 {
		n.ways = n.ways[1:]
	}
}

// line notes a line of heads, or the numbers of a line below one.
func (n *narrow) line(c *pairCollector, s span) {
	if words := c.headWords(s, 2); len(words) >= leastHeads {
		n.columns, n.ways, n.open = 0, [][]span{words[1:]}, words
		return
	}
	if n.ways != nil && !n.values(c, s) && len(c.reading.figuresIn(s)) == 0 {
		n.ways = nil
	}
}

// below pairs a row of values with the line of heads right above it.
func (n *narrow) below(c *pairCollector, row *documents.Block) {
	words := n.open
	n.open = nil
	if len(words) != len(row.Cells) || len(words) == 0 || c.reading.isLabel(cellSpan(row.Cells[0])) {
		return
	}
	for i, cell := range row.Cells {
		c.add(words[i], cellSpan(cell), byColumn)
	}
}

// headWords are the words of a line that has nothing but heads, of which one in so many is known.
func (c *pairCollector) headWords(s span, few int) []span {
	r := c.reading
	if s.end-s.start > 2*mostLabelBytes || len(r.datesIn(s)) > 0 || len(r.figuresIn(s)) > 0 {
		return nil
	}
	var words []span
	known := 0
	for _, m := range r.within(s) {
		if len(words) > 0 && words[len(words)-1] == m.at {
			continue
		}
		if m.small && !isTerm(m.term) {
			return nil
		}
		if isTerm(m.term) {
			known++
		}
		words = append(words, m.at)
	}
	if known == 0 || few*known < len(words) {
		return nil
	}
	return words
}

// values pairs the numbers of a row with the heads, if there are as many of them and nothing else behind the row's name.
func (n *narrow) values(c *pairCollector, s span) bool {
	r := c.reading
	figures := r.figuresIn(s)
	if len(figures) == 0 {
		return false
	}
	from, skip := s.start, 0
	if len(figures) > 1 && figures[0].at.start == s.start && figures[0].currency+figures[0].fraction == "" {
		from, skip, figures = figures[0].at.end, 1, figures[1:] // the number of the line has a head of its own
	}
	name := r.trim(span{from, figures[0].at.start})
	if len(r.within(name)) == 0 || name.end-name.start > mostLabelBytes || len(r.datesIn(s)) > 0 {
		return false
	}
	for i := range figures[1:] {
		if hasWord(r.text[figures[i].at.end:figures[i+1].at.start]) {
			return false
		}
	}
	for _, heads := range n.ways {
		if len(heads) == len(figures)+skip {
			for i, f := range figures {
				c.addUnder(heads[i+skip], name, f.at)
			}
			return true
		}
	}
	return false
}

// addUnder notes a value with the head of its column and the name of its row.
func (c *pairCollector) addUnder(head, name, value span) {
	terms := c.reading.terms(head)
	terms = slices.Concat(terms, without(c.reading.terms(name), terms))
	if len(terms) > 0 && len(terms) <= mostLabelWords {
		c.note(pair{label: terms, labelAt: head, value: value, weight: byColumn, grid: true})
	}
}
