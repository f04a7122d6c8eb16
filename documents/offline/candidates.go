package offline

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
)

// reading is a document prepared for looking things up: where it says what, and what stands beside what.
type reading struct {
	doc       *documents.Document
	text      string
	lang      answers.Lang
	mentions  []mention
	figures   []figure
	dates     []dated
	voidDays  []dated
	ranges    []bounds
	pairs     []pair
	sentences []span
	topic     []string // terms of the title and the first lines
	said      []string // every term once, in order of the alphabet
	boxed     []boxLine
	blocks    []documents.Block // that are searched
	isPart    bool              // there is more than is searched
	watch     *watch
}

// pair is a label and the value that stands with it.
type pair struct {
	label   []string
	labelAt span
	value   span
	weight  float64  // how surely the two belong together
	context []string // terms of the heading above
	grid    bool     // the label is a row's and a column's
	sent    bool     // it says when a mail was sent
}

// How surely a label and a value belong together, by the way they stand.
const (
	byField        = 1.0
	byTotalRow     = 0.98
	oneTotalOfMany = 0.8
	byColon        = 0.98
	byCells        = 0.96
	byColumn       = 0.94
	bySide         = 0.93
	byLine         = 0.9
	below          = 0.88
	byBareDate     = 0.81
	byTitle        = 0.7
)

const (
	mostLabelBytes = 70
	mostLabelWords = 9
)

// newReading prepares a document. A long one takes seconds, hence the context.
func newReading(ctx context.Context, d *documents.Document) (*reading, error) {
	r := &reading{doc: d, text: d.Text(), lang: languageOf(d.Text()), watch: &watch{ctx: ctx}}
	r.mention()
	if err := r.watch.look(); err != nil {
		return nil, err
	}
	r.isPart = strings.TrimSpace(d.Text()[len(r.text):]) != ""
	r.blocks = beginningOf(d.Blocks, len(r.text))
	days := readDays(r.watch, r.text, r.lang)
	r.dates, r.voidDays = days.found, days.void
	r.figures = outside(outside(readFigures(r.watch, r.text, r.lang), days.found), days.void)
	r.markCounted()
	r.ranges = r.rangesIn()
	r.topic = r.topicTerms()
	r.said = r.allTerms()
	r.boxed = r.boxLines()
	if err := r.watch.look(); err != nil {
		return nil, err
	}
	r.collect()
	return r, r.watch.look()
}

// mention notes what the words mean, some thousands at a time, and ends the text where there are more than are searched. No
// form runs over a break, so a stretch ends at one, or in a text without any, between two words.
func (r *reading) mention() {
	const stretch, longest = 4_000, 4_200
	words := wordReader{text: r.text[:searchedBytes(r.text)]}
	r.text = words.text
	for left := mostWords; words.at < len(words.text) && r.watch.look() == nil; {
		part := words.read(min(stretch, left), min(longest, left))
		if left -= len(part); left == 0 {
			words.text = words.text[:words.at]
			r.text = words.text
		}
		for _, m := range theLexicon().mentions(part) {
			if !isCodeHead(r.text[m.at.end:]) {
				r.mentions = append(r.mentions, m)
			}
		}
	}
}

// searchedBytes is how much of a text is searched at most, in whole characters.
func searchedBytes(text string) int {
	n := min(len(text), mostSearched)
	for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// outside leaves out the numbers that are parts of dates.
func outside(figures []figure, dates []dated) []figure {
	kept := figures[:0]
	i := 0
	for _, f := range figures {
		for i < len(dates) && dates[i].at.end <= f.at.start {
			i++
		}
		if i == len(dates) || f.at.end <= dates[i].at.start {
			kept = append(kept, f)
		}
	}
	return kept
}

func (r *reading) topicTerms() []string {
	const lines, most = 4, 200
	terms := labelTerms(theLexicon().mentions(wordsOf(r.doc.Title)))
	for i := range r.blocks[:min(lines, len(r.blocks))] {
		b := &r.blocks[i]
		if len(b.Text) <= most && (i == 0 || b.Kind == documents.Heading) {
			terms = append(terms, r.terms(span{b.Start, b.End()})...)
		}
	}
	return terms
}

func (r *reading) allTerms() []string {
	known := map[string]bool{}
	for _, m := range r.mentions {
		if r.watch.ended() {
			return nil
		}
		known[m.term] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// touching are the terms of the document that meet any of those wanted, with the one for days, which a label has by itself.
// Whatever has none of them is no answer, which saves looking at it closely.
func (r *reading) touching(wanted []string) map[string]bool {
	touched := map[string]bool{"DATE": containsTerm(wanted, "DATE")}
	for _, t := range r.said {
		if r.watch.ended() {
			return touched
		}
		if containsTerm(wanted, t) {
			touched[t] = true
		}
	}
	return touched
}

func touchesAny(touched map[string]bool, terms []string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return touched[t] })
}

func (r *reading) mentionsAny(touched map[string]bool, s span) bool {
	return slices.ContainsFunc(r.within(s), func(m mention) bool { return touched[m.term] })
}

// fitted leaves out what is meant for other kinds of documents, and of a description the words that the document never uses:
// they cannot tell one place of it from another.
func (r *reading) fitted(q *query) *query {
	const absent = 0.97
	if q.plain != nil {
		r.fitted(q.plain)
	}
	q.patterns = slices.DeleteFunc(q.patterns, func(p pattern) bool { return !p.isAbout(r.topic) })
	for i := range q.patterns {
		p := &q.patterns[i]
		if !p.loose {
			continue
		}
		var kept []string
		for _, t := range p.terms {
			if isTerm(t) || containsTerm(r.said, t) {
				kept = append(kept, t)
				continue
			}
			p.weight *= absent
		}
		p.terms = kept
		if len(without(kept, generic)) == 0 {
			p.weight = 0
		}
	}
	var wanted []string
	for _, p := range q.patterns {
		wanted = append(wanted, p.terms...)
	}
	slices.Sort(wanted)
	q.touched = r.touching(slices.Compact(wanted))
	return q
}

// within returns the mentions that lie in a stretch.
func (r *reading) within(s span) []mention {
	from := sort.Search(len(r.mentions), func(i int) bool { return r.mentions[i].at.start >= s.start })
	size := sort.Search(len(r.mentions)-from, func(i int) bool { return r.mentions[from+i].at.end > s.end })
	return r.mentions[from : from+size]
}

func (r *reading) terms(s span) []string { return labelTerms(r.within(s)) }

func (r *reading) figuresIn(s span) []figure {
	from := sort.Search(len(r.figures), func(i int) bool { return r.figures[i].at.start >= s.start })
	size := sort.Search(len(r.figures)-from, func(i int) bool { return r.figures[from+i].at.end > s.end })
	return r.figures[from : from+size]
}

func (r *reading) datesIn(s span) []dated {
	from := sort.Search(len(r.dates), func(i int) bool { return r.dates[i].at.start >= s.start })
	size := sort.Search(len(r.dates)-from, func(i int) bool { return r.dates[from+i].at.end > s.end })
	return r.dates[from : from+size]
}

// collect walks over the blocks once and notes every pair and sentence.
func (r *reading) collect() {
	c := pairCollector{reading: r, splitter: newSplitter(r.lang)}
	c.splitter.watch = r.watch
	for i := 0; i < len(r.blocks) && r.watch.look() == nil; i++ {
		b := &r.blocks[i]
		switch b.Kind {
		case documents.Row:
			end := i + 1
			for end < len(r.blocks) && r.blocks[end].Kind == documents.Row && r.blocks[end].Table == b.Table {
				end++
			}
			c.table(r.blocks[i:end])
			i = end - 1
		case documents.Field:
			c.cells(b, byField)
		default:
			c.block(i)
		}
	}
}

// pairCollector holds what the blocks above mean for those below.
type pairCollector struct {
	reading  *reading
	splitter *splitter
	heading  []string
	narrow   narrow
	isTitle  bool // what is walked over is a heading, or the subject of a mail
}

func (c *pairCollector) add(label, value span, weight float64) {
	value = firstStretch(c.reading.text, c.reading.trim(value), mostStretch)
	if value.end <= value.start || label.end-label.start > mostLabelBytes {
		return
	}
	terms := c.reading.terms(label)
	if len(terms) == 0 || len(terms) > mostLabelWords {
		return
	}
	sent := c.reading.doc.Format == documents.Mail && weight == byField && slices.Contains(terms, "DATE")
	c.note(pair{label: terms, labelAt: label, value: value, weight: weight, sent: sent})
}

// note adds a pair below the heading, while there is room.
func (c *pairCollector) note(p pair) {
	r := c.reading
	if len(r.pairs) >= mostPairs {
		r.isPart = true
		return
	}
	p.context = c.heading
	r.pairs = append(r.pairs, p)
}

// sentences notes those of a text that begins at an offset; none without words, and a very long one in parts.
func (c *pairCollector) sentences(text string, at int) {
	r := c.reading
	for _, s := range c.splitter.split(text) {
		for _, part := range stretches(r.text, span{at + s.start, at + s.end}) {
			if len(r.within(part)) > 0 {
				r.sentences = append(r.sentences, part)
			}
		}
	}
}

// trim takes spaces, tabs and line breaks off both ends.
func (r *reading) trim(s span) span {
	const blank = " \t\n"
	for s.start < s.end && strings.IndexByte(blank, r.text[s.start]) >= 0 {
		s.start++
	}
	for s.end > s.start && strings.IndexByte(blank, r.text[s.end-1]) >= 0 {
		s.end--
	}
	return s
}

func cellSpan(c documents.Cell) span { return span{c.Start, c.Start + len(c.Text)} }

// cells notes each cell as the label of the next one that is not empty.
func (c *pairCollector) cells(b *documents.Block, weight float64) {
	filled := slices.DeleteFunc(slices.Clone(b.Cells), func(cell documents.Cell) bool { return cell.Text == "" })
	c.isTitle = b.Kind == documents.Field && len(filled) > 0 && slices.Contains(c.reading.terms(cellSpan(filled[0])), "SUBJECT")
	defer func() { c.isTitle = false }()
	for i, cell := range filled {
		if c.reading.watch.ended() {
			return
		}
		c.lines(cellSpan(cell))
		if i+1 < len(filled) && c.reading.isLabel(cellSpan(cell)) {
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
	if len(cells) >= many && c.reading.isValue(cellSpan(cells[1])) && c.reading.isValue(cellSpan(cells[2])) &&
		!c.reading.isLabel(cellSpan(cells[2])) {
		c.add(label, cellSpan(cells[1]), oneTotalOfMany)
		c.add(label, cellSpan(cells[len(cells)-1]), oneTotalOfMany)
		return
	}
	c.add(label, cellSpan(cells[1]), weight)
}

// isLabel reports that a stretch says what something is, not something itself.
func (r *reading) isLabel(s span) bool {
	if s.end-s.start > mostLabelBytes || len(r.datesIn(s)) > 0 {
		return false
	}
	for _, f := range r.figuresIn(s) {
		if !f.percent && f.currency != "" {
			return false
		}
	}
	return slices.ContainsFunc(r.within(s), func(m mention) bool { return !isDigit(m.term[0]) })
}

// languageOf is the language of a text, or the likeliest of the ten where it cannot be told for sure: numbers and negations
// have to be read in some language.
func languageOf(text string) answers.Lang {
	if lang := detectLanguage(text); lang != "" {
		return lang
	}
	const most = 4000
	best, votes := answers.Lang("en"), 0
	words := strings.Fields(strings.ToLower(text[:min(len(text), most)]))
	for _, lang := range answers.Langs() {
		n := 0
		for _, w := range words {
			if stopWords()[lang][w] {
				n++
			}
		}
		if n > votes {
			best, votes = lang, n
		}
	}
	return best
}

// isCodeHead reports that the letters before a text begin a number: the PO of PO-55817 is no order.
func isCodeHead(rest string) bool {
	return len(rest) > 1 && strings.IndexByte("-/", rest[0]) >= 0 && isDigit(rest[1])
}
