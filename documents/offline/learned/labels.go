package learned

import (
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// place is where a label stands, seen from the value.
type place int

// The places.
const (
	inline   place = iota // before the value in its line or sentence
	near                  // the last words before the value, after any other value
	left                  // the next piece to the left
	leftmost              // the name of the row: see rowLabel
	over                  // the next piece above, at most 30 points away
	head                  // the next piece above without a value; in a table with headers, the header of the column
	heading               // the heading over the block
	after                 // the words after the value
	cross                 // the name of the row and the headers of the column, together
	places
)

// label is the words at one place.
type label []lexicon.Mention

// maxLabelWords bounds the words of a label. The nearest ones count.
const maxLabelWords = 14

// labels returns the labels of a candidate.
func (r *Reader) labels(c *candidate) [places]label {
	all := r.pieceLabels(c.piece)
	p := &r.layout.pieces[c.piece]
	at := c.answer.At
	all[inline] = r.words(scan.Between(r.sentenceStart(p, at.Start), at.Start))
	const nearWords, afterWords, afterBytes = 5, 5, 60
	nearest := r.words(scan.Between(r.lastValueEnd(p.at.Start, at.Start), at.Start))
	all[near] = nearest[max(0, len(nearest)-nearWords):]
	following := r.words(scan.Between(at.End, max(at.End, min(p.at.End, at.End+afterBytes))))
	all[after] = following[:min(len(following), afterWords)]
	return all
}

// sentenceStart returns where the sentence or the cell begins that contains an offset in a piece.
func (r *Reader) sentenceStart(p *piece, at int) int {
	const maxBytes = 160
	if p.isCell {
		return p.at.Start
	}
	text := r.ix.Text
	from := scan.RuneStart(text, max(r.ix.Blocks[p.block].Start, at-maxBytes), at)
	if i := strings.LastIndex(text[from:at], ". "); i >= 0 {
		from += i + len(". ")
	}
	return from
}

// lastValueEnd returns the end of the last date or number of a span, or its start.
func (r *Reader) lastValueEnd(start, end int) int {
	s := scan.Between(start, end)
	for _, d := range r.ix.DatesIn(s) {
		start = max(start, d.At.End)
	}
	for _, n := range r.ix.NumbersIn(s) {
		start = max(start, n.At.End)
	}
	return start
}

// pieceLabels returns the labels that all values of a piece have in common. It computes them once.
func (r *Reader) pieceLabels(i int) [places]label {
	if known, ok := r.known[i]; ok {
		return known
	}
	var all [places]label
	p := &r.layout.pieces[i]
	if lefts := r.layout.left(i); len(lefts) > 0 {
		all[left] = r.words(r.layout.pieces[lefts[0]].at)
	}
	all[leftmost] = r.rowLabel(i)
	const maxGap = 30 // points
	aboves := r.layout.above(i)
	if len(aboves) > 0 && p.box.Top-r.layout.pieces[aboves[0]].box.Bottom < maxGap {
		all[over] = r.words(r.layout.pieces[aboves[0]].at)
	}
	const maxHeads = 3 // rows of a head
	var heads label
	found := 0
	for _, j := range aboves {
		s := r.layout.pieces[j].at
		if found > 0 && r.ix.HasValue(s) || found == maxHeads {
			break
		}
		if r.ix.HasValue(s) {
			continue
		}
		if found++; found == 1 {
			all[head] = r.words(s)
		}
		heads = append(heads, r.words(s)...)
	}
	if at, ok := r.gridPlaceOf(i); ok {
		heads = r.headsIn(at)
		all[head] = heads
	}
	if len(all[leftmost]) > 0 && len(heads) > 0 {
		all[cross] = slices.Concat(all[leftmost], heads)
	}
	all[heading] = r.heading(p.block)
	r.known[i] = all
	return all
}

// heading returns the nearest heading, or text that ends with a colon, among the 12 blocks before a block or its table.
func (r *Reader) heading(block int) label {
	const maxBlocks = 12
	for ; block > 0 && r.isInOneTable(block-1, block); block-- {
	}
	for i := block - 1; i >= max(0, block-maxBlocks); i-- {
		if b := &r.ix.Blocks[i]; b.Kind == documents.Heading || strings.HasSuffix(b.Text, ":") {
			return r.words(scan.Between(b.Start, b.End()))
		}
	}
	return nil
}

// words returns the last words of a span.
func (r *Reader) words(s scan.Span) label {
	all := r.ix.MentionsIn(s)
	return all[max(0, len(all)-maxLabelWords):]
}

// match is how well a label fits a question.
type match struct {
	recall    float64 // share of the words of the question that the label has
	precision float64 // share of the words of the label that the question explains
	excluded  bool    // a word gives the label another meaning
	words     int
}

func (m match) score() float64 { return m.recall * m.precision }

// fit compares a label with a question. It returns the match of the wording that fits best.
func (r *Reader) fit(q *questions.Question, l label) match {
	terms := lexicon.LabelTerms(l)
	best := match{words: len(terms)}
	if !lexicon.AnyIn(q.Relevant, terms) {
		best.excluded = slices.ContainsFunc(terms, func(t string) bool { return slices.Contains(q.Excluded, t) })
		return best
	}
	for i := range q.Patterns {
		m := match{words: len(terms)}
		m.recall = q.Patterns[i].Weight * r.recall(q, q.Patterns[i].Terms, terms)
		m.precision, m.excluded = r.precision(q, q.Patterns[i].Terms, terms)
		if m.score() > best.score() {
			best = m
		}
	}
	return best
}

// recall returns the share of the wanted terms that a label has. Terms that many labels have, such as DATE, count less,
// and so do those that only the title of the document has.
func (r *Reader) recall(q *questions.Question, wanted, terms []string) float64 {
	const genericWeight, topicShare, genericShare = 0.3, 0.8, 0.3
	have, all, specific, isSpecific := 0.0, 0.0, 0, false
	for _, t := range wanted {
		weight := 1.0
		if slices.Contains(q.Optional, t) || slices.Contains(lexicon.GenericTerms, t) {
			weight = genericWeight
		}
		isSpecific = isSpecific || weight == 1
		all += weight
		switch {
		case lexicon.Contains(terms, t):
			have += weight
			specific += int(weight)
		case t == "DOCUMENT" || lexicon.Contains(r.ix.Topic, t):
			have += topicShare * weight
		}
	}
	if all == 0 {
		return 0
	}
	if isSpecific && specific == 0 {
		have *= genericShare
	}
	return have / all
}

// precision returns the share of the terms of a label that the question explains, and whether one gives it another
// meaning.
func (r *Reader) precision(q *questions.Question, wanted, terms []string) (share float64, excluded bool) {
	const describedShare = 0.8
	explained, words := 0.0, 0.0
	for _, t := range terms {
		if scan.IsDigit(t[0]) {
			continue
		}
		words++
		switch {
		case lexicon.Contains(wanted, t) || slices.Contains(q.Optional, t) || lexicon.IsNeutral(t):
			explained++
		case slices.Contains(q.DescriptionTerms, t) || lexicon.Contains(r.ix.Topic, t):
			explained += describedShare
		}
		excluded = excluded || slices.Contains(q.Excluded, t) && !lexicon.Contains(wanted, t)
	}
	if words == 0 {
		return 0, excluded
	}
	return explained / words, excluded
}
