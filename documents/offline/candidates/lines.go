package candidates

import (
	"slices"
	"strings"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// block adds the pairs and sentences of a block of prose, of lines, or of words placed on a page.
func (c *pairCollector) block(i int) {
	b := &c.doc.Blocks[i]
	whole := scan.Between(b.Start, b.End())
	if b.Kind == documents.Heading {
		c.heading = c.doc.TermsIn(whole)
	}
	c.isTitle = b.Kind == documents.Heading
	if !c.columnsOfLines(i) {
		c.lines(whole)
	}
	c.isTitle = false
	for _, line := range scan.LineSpans(b) {
		if c.doc.Watch.Stopped() {
			return
		}
		c.narrow.line(c, line)
	}
	c.sentences(b.Text, b.Start)
	last := whole
	if n := strings.LastIndexByte(b.Text, '\n'); n >= 0 {
		last.Start += n + 1
	}
	isTitle := i == 0 && b.Kind == documents.Heading
	if b.Kind != documents.ListItem && !isTitle && isOpenLabel(c.doc, last) {
		c.neighbors(i, last)
	}
}

// isOpenLabel reports whether a line is only a label, so that its value stands beside or below it.
func isOpenLabel(doc *index.Index, line scan.Span) bool {
	const maxBytes = 48
	text := line.In(doc.Text)
	if line.Len() > maxBytes || !isLabel(doc, line) {
		return false
	}
	if strings.HasSuffix(text, ":") {
		return true
	}
	amounts := slices.ContainsFunc(doc.NumbersIn(line), func(f numbers.Number) bool { return !f.Percent })
	return !amounts && !strings.ContainsAny(withoutAbbreviation(text), ".:;!?")
}

// withoutAbbreviation removes an abbreviation such as no., Nr. or n.º from the end of a label.
func withoutAbbreviation(label string) string {
	last := label[strings.LastIndexByte(label, ' ')+1:]
	if lexicon.Business().Means(scan.Fold(strings.Trim(last, ".º°:")), "NUMBER") || strings.HasSuffix(last, "nr.") {
		return strings.TrimSuffix(label, last)
	}
	return label
}

// lines adds the pairs within the lines of a span.
func (c *pairCollector) lines(s scan.Span) {
	text := c.doc.Text
	for at := s.Start; at < s.End && !c.doc.Watch.Stopped(); {
		end := s.End
		if n := strings.IndexByte(text[at:s.End], '\n'); n >= 0 {
			end = at + n
		}
		c.segments(scan.Between(at, end))
		if next := end + 1; next < s.End && isOpenLabel(c.doc, scan.Between(at, end)) {
			c.add(scan.Between(at, end), lineAt(c.doc.Text, next, s.End), belowWeight)
		}
		at = end + 1
	}
}

// lineAt returns the rest of the line at an offset.
func lineAt(text string, at, end int) scan.Span {
	if n := strings.IndexByte(text[at:end], '\n'); n >= 0 {
		end = at + n
	}
	return scan.Between(at, end)
}

// segments splits a line at separators such as "|" and tabs, and adds the pairs of each part.
func (c *pairCollector) segments(line scan.Span) {
	at := line.Start
	for i := line.Start; i < line.End && !c.doc.Watch.Stopped(); {
		r, size := utf8.DecodeRuneInString(c.doc.Text[i:line.End])
		if r == '|' || r == '·' || r == '•' || r == '\t' {
			c.segment(scan.Between(at, i))
			at = i + size
		}
		i += size
	}
	c.segment(scan.Between(at, line.End))
}

// segment adds the pairs of "label: value". In a short line, it also adds a label that the value
// follows without a separator.
func (c *pairCollector) segment(s scan.Span) {
	s = scan.TrimSpace(c.doc.Text, s)
	cuts := findCuts(c.doc, s)
	for i, cut := range cuts {
		if c.doc.Watch.Stopped() {
			return
		}
		label := scan.Between(s.Start, cut.Start)
		if i > 0 {
			label.Start = labelStart(c.doc, cuts[i-1].End, cut.Start)
		}
		value := scan.Between(cut.End, s.End)
		if i+1 < len(cuts) {
			value.End = labelStart(c.doc, cut.End, cuts[i+1].Start)
		}
		if i == 0 && label.Len() > maxLabelBytes {
			label.Start = labelStart(c.doc, s.Start, cut.Start)
		}
		c.add(label, value, c.weightOf(cut))
	}
	if len(cuts) == 0 {
		c.bareDate(s)
	}
	const maxLineBytes = 110
	if len(cuts) == 0 && s.Len() <= maxLineBytes {
		c.leading(s)
	}
}

// weightOf returns the weight of a separator. In a heading, a dash may separate anything.
func (c *pairCollector) weightOf(cut scan.Span) float64 {
	if c.isTitle && !strings.Contains(cut.In(c.doc.Text), ":") {
		return titleWeight
	}
	return colonWeight
}

// findCuts returns what separates labels from values in a line.
func findCuts(doc *index.Index, s scan.Span) []scan.Span {
	var found []scan.Span
	text := s.In(doc.Text)
	for i := 0; i < len(text); i++ {
		end := i
		switch {
		case text[i] == ':' && i > 0 && (i+1 == len(text) || text[i+1] == ' '):
			end = i + 1
		case strings.HasPrefix(text[i:], "...") || strings.HasPrefix(text[i:], "___"):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " ._"))
		case strings.HasPrefix(text[i:], "…"):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " .…"))
		case len(found) == 0 && isDash(doc, s.Start, i, text):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " =–—-"))
		}
		if end > i {
			found = append(found, scan.Between(s.Start+i, s.Start+end))
			i = end - 1
		}
	}
	return found
}

// isDash reports whether a label and then a dash or an equals sign with spaces around it stand at
// offset i. A text with digits is not a label: "Order PO-7781 - change of delivery".
func isDash(doc *index.Index, start, i int, text string) bool {
	for _, dash := range []string{" = ", " – ", " — ", " - "} {
		if strings.HasPrefix(text[i:], dash) {
			before := scan.Between(start, start+i)
			return isLabel(doc, before) && !strings.ContainsAny(text[:i], "0123456789")
		}
	}
	return false
}

// labelStart returns where the label before a colon begins, if another value comes before it in the
// same line.
func labelStart(doc *index.Index, from, to int) int {
	const maxWords = 4
	words := doc.MentionsIn(scan.Between(from, to))
	start := to
	for n := len(words) - 1; n >= 0 && len(words)-n <= maxWords; n-- {
		m := words[n]
		known := lexicon.IsTerm(m.Term) || m.Filler
		if !known && start < to || strings.ContainsAny(doc.Text[min(m.At.End, start):start], ",;.") && start < to {
			break
		}
		start = m.At.Start
	}
	return max(from, start)
}

// leading adds a line that begins with a label and continues with its value without a separator.
func (c *pairCollector) leading(s scan.Span) {
	end := s.Start
	for _, m := range c.doc.MentionsIn(s) {
		gap := c.doc.Text[end:max(end, m.At.Start)]
		if m.At.Start > end && strings.Trim(gap, " .'’/()-") != "" || !lexicon.IsTerm(m.Term) && !m.Filler {
			break
		}
		end = max(end, m.At.End)
	}
	rest := lexicon.SkipVerb(strings.TrimLeft(c.doc.Text[end:s.End], " .:)"))
	if end > s.Start && rest != "" && !isSmallTail(c.doc.Text[s.Start:end]) {
		c.add(scan.Between(s.Start, end), scan.Between(s.End-len(rest), s.End), lineWeight)
	}
}

func isSmallTail(text string) bool { return lexicon.IsFiller(scan.Fold(text)) }

// bareDate adds a line that is only a date, or a place and a date, as at the top of a letter. Its
// label is DATE.
func (c *pairCollector) bareDate(s scan.Span) {
	const maxPlaceBytes = 24
	dates := c.doc.DatesIn(s)
	if len(dates) != 1 || dates[0].At.End != s.End || dates[0].At.Start-s.Start > maxPlaceBytes {
		return
	}
	place := strings.TrimRight(c.doc.Text[s.Start:dates[0].At.Start], " ")
	words := scan.Words(place)
	bare := len(words) == 0 || len(words) == 1 && lexicon.IsFiller(words[0].Text)
	if i := strings.IndexByte(place, ','); bare || i > 0 && i >= len(place)-len(", den") {
		c.note(Pair{Label: []string{"DATE"}, LabelAt: dates[0].At, Value: dates[0].At, Weight: bareDateWeight})
	}
}
