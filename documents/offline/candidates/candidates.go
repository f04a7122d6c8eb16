package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// pair is a label and the value that stands with it.
type Pair struct {
	Label      []string
	LabelAt    scan.Span
	Value      scan.Span
	Weight     float64  // how surely the two belong together
	Heading    []string // terms of the heading above
	InGrid     bool     // the label is a row's and a column's
	IsSentDate bool     // it says when a mail was sent
}

// How surely a label and a value belong together, by the way they stand.
const (
	fieldWeight          = 1.0
	totalRowWeight       = 0.98
	ambiguousTotalWeight = 0.8
	colonWeight          = 0.98
	CellWeight           = 0.96
	columnWeight         = 0.94
	sideWeight           = 0.93
	lineWeight           = 0.9
	belowWeight          = 0.88
	bareDateWeight       = 0.81
	titleWeight          = 0.7
)

const (
	maxLabelBytes = 70
	maxLabelTerms = 9
)

// collect walks over the blocks once and notes every pair and sentence.
func Collect(r *index.Index) *Set {
	set := &Set{Boxes: boxLines(r)}
	c := pairCollector{doc: r, set: set, splitter: language.NewSplitter(r.Lang, r.Watch)}
	for i := 0; i < len(r.Blocks) && r.Watch.Check() == nil; i++ {
		b := &r.Blocks[i]
		switch b.Kind {
		case documents.Row:
			end := i + 1
			for end < len(r.Blocks) && r.Blocks[end].Kind == documents.Row && r.Blocks[end].Table == b.Table {
				end++
			}
			c.table(r.Blocks[i:end])
			i = end - 1
		case documents.Field:
			c.cells(b, fieldWeight)
		default:
			c.block(i)
		}
	}
	return set
}

// candidateSet is what a document offers as answers.
type Set struct {
	Pairs     []Pair
	Sentences []scan.Span
	Boxes     []CheckBox
	Truncated bool
}

// pairCollector holds what the blocks above mean for those below.
type pairCollector struct {
	doc      *index.Index
	set      *Set
	splitter *language.Splitter
	heading  []string
	narrow   narrow
	isTitle  bool // what is walked over is a heading, or the subject of a mail
}

func (c *pairCollector) add(label, value scan.Span, weight float64) {
	value = scan.Shorten(c.doc.Text, scan.TrimSpace(c.doc.Text, value), scan.MaxStretch)
	if value.End <= value.Start || label.End-label.Start > maxLabelBytes {
		return
	}
	terms := c.doc.TermsIn(label)
	if len(terms) == 0 || len(terms) > maxLabelTerms {
		return
	}
	sent := c.doc.Doc.Format == documents.Mail && weight == fieldWeight && slices.Contains(terms, "DATE")
	c.note(Pair{Label: terms, LabelAt: label, Value: value, Weight: weight, IsSentDate: sent})
}

// note adds a pair below the heading, while there is room.
func (c *pairCollector) note(p Pair) {
	if len(c.set.Pairs) >= MaxPairs {
		c.set.Truncated = true
		return
	}
	p.Heading = c.heading
	c.set.Pairs = append(c.set.Pairs, p)
}

// sentences notes those of a text that begins at an offset; none without words, and a very long one in parts.
func (c *pairCollector) sentences(text string, at int) {
	r := c.doc
	for _, s := range c.splitter.Split(text) {
		for _, part := range scan.SplitLong(r.Text, scan.Span{Start: at + s.Start, End: at + s.End}) {
			if len(r.MentionsIn(part)) > 0 {
				c.set.Sentences = append(c.set.Sentences, part)
			}
		}
	}
}

func cellSpan(c documents.Cell) scan.Span {
	return scan.Span{Start: c.Start, End: c.Start + len(c.Text)}
}

// cells notes each cell as the label of the next one that is not empty.
func (c *pairCollector) cells(b *documents.Block, weight float64) {
	filled := slices.DeleteFunc(slices.Clone(b.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
	c.isTitle = b.Kind == documents.Field && len(filled) > 0 && slices.Contains(c.doc.TermsIn(cellSpan(filled[0])), "SUBJECT")
	defer func() { c.isTitle = false }()
	for i, cell := range filled {
		if c.doc.Watch.Stopped() {
			return
		}
		c.lines(cellSpan(cell))
		if i+1 < len(filled) && isLabel(c.doc, cellSpan(cell)) {
			c.beside(filled[i:], weight)
		}
	}
	if len(filled) > 0 {
		last := filled[len(filled)-1]
		c.sentences(last.Text, last.Start)
	}
}

// beside notes a cell as the label of the next one. Of several values in a row without heads, the first and the last may be
// meant, and neither for sure.
func (c *pairCollector) beside(cells []documents.Cell, weight float64) {
	label := cellSpan(cells[0])
	const many = 3
	if len(cells) >= many && isValue(c.doc, cellSpan(cells[1])) && isValue(c.doc, cellSpan(cells[2])) &&
		!isLabel(c.doc, cellSpan(cells[2])) {
		c.add(label, cellSpan(cells[1]), ambiguousTotalWeight)
		c.add(label, cellSpan(cells[len(cells)-1]), ambiguousTotalWeight)
		return
	}
	c.add(label, cellSpan(cells[1]), weight)
}

// isLabel reports that a stretch says what something is, not something itself.
func isLabel(r *index.Index, s scan.Span) bool {
	if s.End-s.Start > maxLabelBytes || len(r.DatesIn(s)) > 0 {
		return false
	}
	for _, f := range r.NumbersIn(s) {
		if !f.Percent && f.Currency != "" {
			return false
		}
	}
	return slices.ContainsFunc(r.MentionsIn(s), func(m lexicon.Mention) bool { return !scan.IsDigit(m.Term[0]) })
}

const MaxPairs = 40_000

// isValue reports that a cell has a number or a day.
func isValue(r *index.Index, s scan.Span) bool {
	return len(r.NumbersIn(s)) > 0 || len(r.DatesIn(s)) > 0
}

func isHead(r *index.Index, s scan.Span) bool {
	const most = 40
	if s.End-s.Start > most || len(r.DatesIn(s)) > 0 {
		return false
	}
	for _, f := range r.NumbersIn(s) {
		if f.Currency != "" || f.Fraction != "" {
			return false
		}
	}
	return len(r.MentionsIn(s)) > 0
}
