package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// narrow reads tables whose columns are so close together that the page does not show where one
// ends. It counts: if a row has as many numbers as there are headers after the first one, the numbers
// belong to the headers in order.
type narrow struct {
	columns int           // number of cells in the row of headers
	ways    [][]scan.Span // the headers after the first, as cells and as single words
	open    []scan.Span   // words that are headers if a row with as many values follows
}

// minHeaders counts single words, including the header of the column of names.
const minHeaders = 3

// headers records a row of headers.
func (n *narrow) headers(c *pairCollector, row *documents.Block) {
	few := 2 // half of the words must be known
	if len(row.Cells) >= minHeaders {
		few = len(row.Cells) // one known word is enough if the row has separate cells
	}
	words := headerWords(c.doc, scan.Between(row.Start, row.End()), few)
	if len(words) < minHeaders {
		return
	}
	n.columns = len(row.Cells)
	var cells []scan.Span
	for _, cell := range row.Cells[1:] {
		cells = append(cells, scan.CellSpan(cell))
	}
	n.ways = [][]scan.Span{cells, words[1:]}
	if len(cells) == 0 || len(cells) == len(words)-1 {
		n.ways = n.ways[1:]
	}
}

// line records a line of headers, or pairs the numbers of a line below one.
func (n *narrow) line(c *pairCollector, s scan.Span) {
	if words := headerWords(c.doc, s, 2); len(words) >= minHeaders {
		n.columns, n.ways, n.open = 0, [][]scan.Span{words[1:]}, words
		return
	}
	if n.ways != nil && !n.values(c, s) && len(c.doc.NumbersIn(s)) == 0 {
		n.ways = nil
	}
}

// below pairs a row of values with the line of headers directly above it.
func (n *narrow) below(c *pairCollector, row *documents.Block) {
	words := n.open
	n.open = nil
	if len(words) != len(row.Cells) || len(words) == 0 || isLabel(c.doc, scan.CellSpan(row.Cells[0])) {
		return
	}
	for i, cell := range row.Cells {
		c.add(words[i], scan.CellSpan(cell), columnWeight)
	}
}

// headerWords returns the words of a line that has only headers. At least one in "few" of them must be
// a known term.
func headerWords(doc *index.Index, s scan.Span, few int) []scan.Span {
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

// values pairs the numbers of a row with the headers. It reports whether there are as many numbers as
// headers and no other text after the name of the row.
func (n *narrow) values(c *pairCollector, s scan.Span) bool {
	r := c.doc
	found := r.NumbersIn(s)
	if len(found) == 0 {
		return false
	}
	from, skip := s.Start, 0
	if len(found) > 1 && found[0].At.Start == s.Start && found[0].Currency+found[0].Fraction == "" {
		from, skip, found = found[0].At.End, 1, found[1:] // the line number has its own header
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
	for _, headers := range n.ways {
		if len(headers) == len(found)+skip {
			for i, f := range found {
				c.addUnder(headers[i+skip], name, f.At)
			}
			return true
		}
	}
	return false
}

// addUnder adds a value with the header of its column and the name of its row.
func (c *pairCollector) addUnder(header, name, value scan.Span) {
	terms := c.doc.TermsIn(header)
	terms = slices.Concat(terms, lexicon.Without(c.doc.TermsIn(name), terms))
	if len(terms) > 0 && len(terms) <= maxLabelTerms {
		c.note(Pair{Label: terms, LabelAt: header, Value: value, Weight: columnWeight, InGrid: true})
	}
}
