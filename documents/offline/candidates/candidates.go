package candidates

import (
	"slices"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// MaxPairs limits the pairs of one document.
const MaxPairs = 40_000

// Pair is a label and the value that stands with it.
type Pair struct {
	Label      []string // terms
	LabelAt    scan.Span
	Value      scan.Span
	Weight     float64  // how surely label and value belong together
	Heading    []string // terms of the heading above
	InGrid     bool     // the label combines the names of a row and a column
	IsSentDate bool     // the value is the date on which a mail was sent
}

// Set is what a document offers as answers.
type Set struct {
	Pairs     []Pair
	Sentences []scan.Span
	Boxes     []CheckBox
	Truncated bool // the document has more pairs
}

// The weights of pairs: how surely a label and a value belong together, by their layout.
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

// Collect walks over the blocks of a document once and collects its pairs, sentences and check
// boxes. If the context ends, it returns early with a part of them; the caller checks the watch.
func Collect(doc *index.Index) *Set {
	set := &Set{Boxes: boxLines(doc)}
	c := pairCollector{doc: doc, set: set, splitter: language.NewSplitter(doc.Lang, doc.Watch)}
	for i := 0; i < len(doc.Blocks) && doc.Watch.Check() == nil; i++ {
		b := &doc.Blocks[i]
		switch b.Kind {
		case documents.Row:
			end := i + 1
			for end < len(doc.Blocks) && doc.Blocks[end].Kind == documents.Row && doc.Blocks[end].Table == b.Table {
				end++
			}
			c.table(doc.Blocks[i:end])
			i = end - 1
		case documents.Field:
			c.cells(b, fieldWeight)
		default:
			c.block(i)
		}
	}
	return set
}

// pairCollector holds what the blocks above mean for the blocks below.
type pairCollector struct {
	doc      *index.Index
	set      *Set
	splitter *language.Splitter
	heading  []string
	narrow   narrow
	isTitle  bool // the current text is a heading or the subject of a mail
}

// add adds a pair, unless the value is empty, the label is too long or the label has no terms.
func (c *pairCollector) add(label, value scan.Span, weight float64) {
	value = scan.Shorten(c.doc.Text, scan.TrimSpace(c.doc.Text, value), scan.MaxStretch)
	if value.IsEmpty() || label.Len() > maxLabelBytes {
		return
	}
	terms := c.doc.TermsIn(label)
	if len(terms) == 0 || len(terms) > maxLabelTerms {
		return
	}
	sent := c.doc.Source.Format == documents.Mail && weight == fieldWeight && slices.Contains(terms, "DATE")
	c.note(Pair{Label: terms, LabelAt: label, Value: value, Weight: weight, IsSentDate: sent})
}

// note adds a pair below the current heading, up to MaxPairs.
func (c *pairCollector) note(p Pair) {
	if len(c.set.Pairs) >= MaxPairs {
		c.set.Truncated = true
		return
	}
	p.Heading = c.heading
	c.set.Pairs = append(c.set.Pairs, p)
}

// sentences adds the sentences of a text that begins at an offset. It leaves out sentences without
// words and splits very long ones.
func (c *pairCollector) sentences(text string, at int) {
	for _, s := range c.splitter.Split(text) {
		for _, part := range scan.SplitLong(c.doc.Text, scan.Between(at+s.Start, at+s.End)) {
			if len(c.doc.MentionsIn(part)) > 0 {
				c.set.Sentences = append(c.set.Sentences, part)
			}
		}
	}
}

// filledCells returns the cells of a row that are not empty.
func filledCells(row *documents.Block) []documents.Cell {
	return slices.DeleteFunc(slices.Clone(row.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
}

// cells pairs each cell that is not empty with the next one.
func (c *pairCollector) cells(b *documents.Block, weight float64) {
	filled := filledCells(b)
	c.isTitle = b.Kind == documents.Field && len(filled) > 0 &&
		slices.Contains(c.doc.TermsIn(scan.CellSpan(filled[0])), "SUBJECT")
	defer func() { c.isTitle = false }()
	for i, cell := range filled {
		if c.doc.Watch.Stopped() {
			return
		}
		c.lines(scan.CellSpan(cell))
		if i+1 < len(filled) && isLabel(c.doc, scan.CellSpan(cell)) {
			c.beside(filled[i:], weight)
		}
	}
	if len(filled) > 0 {
		last := filled[len(filled)-1]
		c.sentences(last.Text, last.Start)
	}
}

// beside pairs the first cell with the next one. If several values follow and no headers say what
// they are, the first and the last value are equally likely.
func (c *pairCollector) beside(cells []documents.Cell, weight float64) {
	label := scan.CellSpan(cells[0])
	const severalValues = 3
	if len(cells) >= severalValues && c.doc.HasValue(scan.CellSpan(cells[1])) && c.doc.HasValue(scan.CellSpan(cells[2])) &&
		!isLabel(c.doc, scan.CellSpan(cells[2])) {
		c.add(label, scan.CellSpan(cells[1]), ambiguousTotalWeight)
		c.add(label, scan.CellSpan(cells[len(cells)-1]), ambiguousTotalWeight)
		return
	}
	c.add(label, scan.CellSpan(cells[1]), weight)
}

// isLabel reports whether a span may be a label: it is short and has no date and no amount.
func isLabel(doc *index.Index, s scan.Span) bool {
	if s.Len() > maxLabelBytes || len(doc.DatesIn(s)) > 0 {
		return false
	}
	for _, f := range doc.NumbersIn(s) {
		if !f.Percent && f.Currency != "" {
			return false
		}
	}
	return slices.ContainsFunc(doc.MentionsIn(s), func(m lexicon.Mention) bool { return !scan.IsDigit(m.Term[0]) })
}

// isHeader reports whether a span may be the header of a column.
func isHeader(doc *index.Index, s scan.Span) bool {
	const maxHeaderBytes = 40
	if s.Len() > maxHeaderBytes || len(doc.DatesIn(s)) > 0 {
		return false
	}
	for _, f := range doc.NumbersIn(s) {
		if f.Currency != "" || f.Fraction != "" {
			return false
		}
	}
	return len(doc.MentionsIn(s)) > 0
}
