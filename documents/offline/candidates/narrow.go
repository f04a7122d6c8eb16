package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// narrow reads tables whose columns are so close together that the page does not show where one
// ends. It counts: if a row has as many numbers as there are heads after the first one, the numbers
// belong to the heads in order.
type narrow struct {
	columns int           // number of cells in the row of heads
	ways    [][]scan.Span // the heads after the first, as cells and as single words
	open    []scan.Span   // words that are heads if a row with as many values follows
}

// minHeads counts single words, including the head of the column of names.
const minHeads = 3

// heads records a row of heads.
func (n *narrow) heads(c *pairCollector, row *documents.Block) {
	few := 2 // half of the words must be known
	if len(row.Cells) >= minHeads {
		few = len(row.Cells) // one known word is enough if the row has separate cells
	}
	words := headWords(c.doc, scan.Between(row.Start, row.End()), few)
	if len(words) < minHeads {
		return
	}
	n.columns = len(row.Cells)
	var cells []scan.Span
	for _, cell := range row.Cells[1:] {
		cells = append(cells, cellSpan(cell))
	}
	n.ways = [][]scan.Span{cells, words[1:]}
	if len(cells) == 0 || len(cells) == len(words)-1 {
		n.ways = n.ways[1:]
	}
}

// line records a line of heads, or pairs the numbers of a line below one.
func (n *narrow) line(c *pairCollector, s scan.Span) {
	if words := headWords(c.doc, s, 2); len(words) >= minHeads {
		n.columns, n.ways, n.open = 0, [][]scan.Span{words[1:]}, words
		return
	}
	if n.ways != nil && !n.values(c, s) && len(c.doc.NumbersIn(s)) == 0 {
		n.ways = nil
	}
}

// below pairs a row of values with the line of heads directly above it.
func (n *narrow) below(c *pairCollector, row *documents.Block) {
	words := n.open
	n.open = nil
	if len(words) != len(row.Cells) || len(words) == 0 || isLabel(c.doc, cellSpan(row.Cells[0])) {
		return
	}
	for i, cell := range row.Cells {
		c.add(words[i], cellSpan(cell), columnWeight)
	}
}

// headWords returns the words of a line that has only heads. At least one in "few" of them must be
// a known term.
func headWords(doc *index.Index, s scan.Span, few int) []scan.Span {
	if s.Len() > 2*maxLabelBytes || len(doc.DatesIn(s)) > 0 || len(doc.NumbersIn(s)) > 0 {
		return nil
	}
	var words []scan.Span
	known := 0
	for _, m := range doc.MentionsIn(s) {
		if len(words) > 0 && words[len(words)-1] == m.At {
			continue
		}
		if m.Filler && !lexicon.IsTerm(m.Term) {
			return nil
		}
		if lexicon.IsTerm(m.Term) {
			known++
		}
		words = append(words, m.At)
	}
	if known == 0 || few*known < len(words) {
		return nil
	}
	return words
}

// values pairs the numbers of a row with the heads. It reports whether there are as many numbers as
// heads and no other text after the name of the row.
func (n *narrow) values(c *pairCollector, s scan.Span) bool {
	r := c.doc
	found := r.NumbersIn(s)
	if len(found) == 0 {
		return false
	}
	from, skip := s.Start, 0
	if len(found) > 1 && found[0].At.Start == s.Start && found[0].Currency+found[0].Fraction == "" {
		from, skip, found = found[0].At.End, 1, found[1:] // the line number has its own head
	}
	name := scan.TrimSpace(r.Text, scan.Between(from, found[0].At.Start))
	if len(r.MentionsIn(name)) == 0 || name.Len() > maxLabelBytes || len(r.DatesIn(s)) > 0 {
		return false
	}
	for i := range found[1:] {
		if scan.HasWord(r.Text[found[i].At.End:found[i+1].At.Start]) {
			return false
		}
	}
	for _, heads := range n.ways {
		if len(heads) == len(found)+skip {
			for i, f := range found {
				c.addUnder(heads[i+skip], name, f.At)
			}
			return true
		}
	}
	return false
}

// addUnder adds a value with the head of its column and the name of its row.
func (c *pairCollector) addUnder(head, name, value scan.Span) {
	terms := c.doc.TermsIn(head)
	terms = slices.Concat(terms, lexicon.Without(c.doc.TermsIn(name), terms))
	if len(terms) > 0 && len(terms) <= maxLabelTerms {
		c.note(Pair{Label: terms, LabelAt: head, Value: value, Weight: columnWeight, InGrid: true})
	}
}
