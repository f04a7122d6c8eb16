package offline

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"portside/documents"
)

// block notes the pairs and sentences of a block of prose, lines or words placed on a page.
func (c *pairCollector) block(i int) {
	b := &c.reading.blocks[i]
	whole := span{b.Start, b.End()}
	if b.Kind == documents.Heading {
		c.heading = c.reading.terms(whole)
	}
	c.isTitle = b.Kind == documents.Heading
	if !c.columnsOfLines(i) {
		c.lines(whole)
	}
	c.isTitle = false
	for _, line := range lineSpans(b) {
		if c.reading.watch.ended() {
			return
		}
		c.narrow.line(c, line)
	}
	c.sentences(b.Text, b.Start)
	last := whole
	if n := strings.LastIndexByte(b.Text, '\n'); n >= 0 {
		last.start += n + 1
	}
	isTitle := i == 0 && b.Kind == documents.Heading
	if b.Kind != documents.ListItem && !isTitle && c.opensValue(last) {
		c.neighbours(i, last)
	}
}

// opensValue reports that a line is a label and nothing else.
func (c *pairCollector) opensValue(line span) bool {
	const mostOpen = 48
	text := c.reading.text[line.start:line.end]
	if line.end-line.start > mostOpen || !c.reading.isLabel(line) {
		return false
	}
	if strings.HasSuffix(text, ":") {
		return true
	}
	amounts := slices.ContainsFunc(c.reading.figuresIn(line), func(f figure) bool { return !f.percent })
	return !amounts && !strings.ContainsAny(withoutShort(text), ".:;!?")
}

// withoutShort takes off the point of what is written short at the end of a label, such as no., Nr. and n.º.
func withoutShort(label string) string {
	last := label[strings.LastIndexByte(label, ' ')+1:]
	if theLexicon().means(fold(strings.Trim(last, ".º°:")), "NUMBER") || strings.HasSuffix(last, "nr.") {
		return strings.TrimSuffix(label, last)
	}
	return label
}

// neighbours pairs a label with what stands right of it on the page, and below it.
func (c *pairCollector) neighbours(i int, label span) {
	blocks := c.reading.blocks
	if side := sideOf(blocks, i); side >= 0 {
		c.add(label, firstLine(&blocks[side]), bySide)
	}
	if blocks[i].Box != (documents.Box{}) {
		if under := underOf(blocks, i); under >= 0 {
			c.add(label, firstLine(&blocks[under]), below)
		}
		return
	}
	next := i + 1
	if next >= len(blocks) || blocks[next].Kind == documents.Row || blocks[next].Kind == documents.Field {
		return
	}
	value := firstLine(&blocks[next])
	if blocks[next].Kind == documents.ListItem {
		value = listFrom(blocks, next)
	}
	if !strings.Contains(c.reading.text[value.start:value.end], ": ") || blocks[next].Kind == documents.ListItem {
		c.add(label, value, below)
	}
}

// columnsOfLines pairs labels that stand in a block below each other with the values in the block beside it, line by line.
func (c *pairCollector) columnsOfLines(i int) bool {
	blocks := c.reading.blocks
	side := sideOf(blocks, i)
	if side < 0 || !strings.Contains(blocks[i].Text, "\n") {
		return false
	}
	labels, values := lineSpans(&blocks[i]), lineSpans(&blocks[side])
	if slices.ContainsFunc(labels, func(s span) bool { return !c.opensValue(s) || !c.reading.isOnlyLabel(s) }) {
		return false
	}
	if len(labels) == len(values) {
		for n := range labels {
			c.add(labels[n], values[n], bySide)
		}
	}
	return true
}

func lineSpans(b *documents.Block) []span {
	var all []span
	at := b.Start
	for line := range strings.Lines(b.Text) {
		all = append(all, span{at, at + len(strings.TrimSuffix(line, "\n"))})
		at += len(line)
	}
	return all
}

// listFrom is the stretch of the list items that follow each other.
func listFrom(blocks []documents.Block, i int) span {
	s := span{blocks[i].Start, blocks[i].End()}
	last := min(len(blocks), i+reach)
	for i++; i < last && blocks[i].Kind == documents.ListItem; i++ {
		s.end = blocks[i].End()
	}
	return s
}

func firstLine(b *documents.Block) span {
	line, _, _ := strings.Cut(b.Text, "\n")
	return span{b.Start, b.Start + len(line)}
}

const reach = 60 // blocks before and after that are looked at on a page

// sideOf finds the nearest block to the right on the same line, or -1.
func sideOf(blocks []documents.Block, i int) int {
	best, gap := -1, math.Inf(1)
	own := blocks[i].Box
	for j := max(0, i-reach); j < min(len(blocks), i+reach) && own != (documents.Box{}); j++ {
		b := blocks[j].Box
		level := math.Min(own.Bottom, b.Bottom) - math.Max(own.Top, b.Top)
		if j == i || blocks[j].Page != blocks[i].Page || level < (own.Bottom-own.Top)/2 || b.Left < own.Right {
			continue
		}
		if b.Left-own.Right < gap {
			best, gap = j, b.Left-own.Right
		}
	}
	return best
}

// underOf finds the nearest block below that begins at the same left, or -1.
func underOf(blocks []documents.Block, i int) int {
	const sameLeft, lines = 12.0, 3.0
	best, gap := -1, math.Inf(1)
	own := blocks[i].Box
	for j := max(0, i-reach); j < min(len(blocks), i+reach); j++ {
		b := blocks[j].Box
		distance := b.Top - own.Bottom
		if j == i || blocks[j].Page != blocks[i].Page || math.Abs(b.Left-own.Left) > sameLeft || distance < -1 {
			continue
		}
		if distance < gap && distance < lines*(own.Bottom-own.Top) {
			best, gap = j, distance
		}
	}
	return best
}

// lines notes the pairs within the lines of a stretch.
func (c *pairCollector) lines(s span) {
	text := c.reading.text
	for at := s.start; at < s.end && !c.reading.watch.ended(); {
		end := s.end
		if n := strings.IndexByte(text[at:s.end], '\n'); n >= 0 {
			end = at + n
		}
		c.segments(span{at, end})
		if next := end + 1; next < s.end && c.opensValue(span{at, end}) {
			c.add(span{at, end}, c.lineAt(next, s.end), below)
		}
		at = end + 1
	}
}

func (c *pairCollector) lineAt(at, end int) span {
	if n := strings.IndexByte(c.reading.text[at:end], '\n'); n >= 0 {
		end = at + n
	}
	return span{at, end}
}

// segments splits a line where a form puts one thing beside another.
func (c *pairCollector) segments(line span) {
	at := line.start
	for i := line.start; i < line.end && !c.reading.watch.ended(); {
		r, size := utf8.DecodeRuneInString(c.reading.text[i:line.end])
		if r == '|' || r == '·' || r == '•' || r == '\t' {
			c.segment(span{at, i})
			at = i + size
		}
		i += size
	}
	c.segment(span{at, line.end})
}

// segment notes "label: value" and, in a short line, a label with its value after it.
func (c *pairCollector) segment(s span) {
	s = c.reading.trim(s)
	cuts := c.cuts(s)
	for i, cut := range cuts {
		if c.reading.watch.ended() {
			return
		}
		label := span{s.start, cut.start}
		if i > 0 {
			label.start = c.labelStart(cuts[i-1].end, cut.start)
		}
		value := span{cut.end, s.end}
		if i+1 < len(cuts) {
			value.end = c.labelStart(cut.end, cuts[i+1].start)
		}
		if i == 0 && label.end-label.start > mostLabelBytes {
			label.start = c.labelStart(s.start, cut.start)
		}
		c.add(label, value, c.weightOf(cut))
	}
	if len(cuts) == 0 {
		c.bareDate(s)
	}
	const mostLine = 110
	if len(cuts) == 0 && s.end-s.start <= mostLine {
		c.leading(s)
	}
}

// weightOf is how surely what separates a label from a value does so: in a heading, a dash may join anything.
func (c *pairCollector) weightOf(cut span) float64 {
	if c.isTitle && !strings.Contains(c.reading.text[cut.start:cut.end], ":") {
		return byTitle
	}
	return byColon
}

// cuts finds what separates labels from values in a line.
func (c *pairCollector) cuts(s span) []span {
	var found []span
	text := c.reading.text[s.start:s.end]
	for i := 0; i < len(text); i++ {
		end := i
		switch {
		case text[i] == ':' && i > 0 && (i+1 == len(text) || text[i+1] == ' '):
			end = i + 1
		case strings.HasPrefix(text[i:], "...") || strings.HasPrefix(text[i:], "___"):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " ._"))
		case strings.HasPrefix(text[i:], "…"):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " .…"))
		case len(found) == 0 && c.isDash(s.start, i, text):
			end = i + len(text[i:]) - len(strings.TrimLeft(text[i:], " =–—-"))
		}
		if end > i {
			found = append(found, span{s.start + i, s.start + end})
			i = end - 1
		}
	}
	return found
}

// isDash reports a dash or an equals sign with spaces around it, after what may be a label. What has a number is something
// itself: "Order PO-7781 - change of delivery".
func (c *pairCollector) isDash(start, i int, text string) bool {
	for _, dash := range []string{" = ", " – ", " — ", " - "} {
		if strings.HasPrefix(text[i:], dash) {
			before := span{start, start + i}
			return c.reading.isLabel(before) && !strings.ContainsAny(text[:i], "0123456789")
		}
	}
	return false
}

// labelStart goes back from a colon over the words of a label that follows another value in the same line.
func (c *pairCollector) labelStart(from, to int) int {
	const most = 4
	words := c.reading.within(span{from, to})
	start := to
	for n := len(words) - 1; n >= 0 && len(words)-n <= most; n-- {
		m := words[n]
		known := isTerm(m.term) || m.small
		if !known && start < to || strings.ContainsAny(c.reading.text[min(m.at.end, start):start], ",;.") && start < to {
			break
		}
		start = m.at.start
	}
	return max(from, start)
}

// leading notes a line that begins with a label, with nothing between it and its value.
func (c *pairCollector) leading(s span) {
	end := s.start
	for _, m := range c.reading.within(s) {
		gap := c.reading.text[end:max(end, m.at.start)]
		if m.at.start > end && strings.Trim(gap, " .'’/()-") != "" || !isTerm(m.term) && !m.small {
			break
		}
		end = max(end, m.at.end)
	}
	rest := afterVerb(strings.TrimLeft(c.reading.text[end:s.end], " .:)"))
	if end > s.start && rest != "" && !isSmallTail(c.reading.text[s.start:end]) {
		c.add(span{s.start, end}, span{s.end - len(rest), s.end}, byLine)
	}
}

func isSmallTail(text string) bool { return isSmall(fold(text)) }

// verbs join a label with its value in a sentence.
var verbs = []string{
	"is", "are", "amounts to", "es de", "es", "será de", "asciende a", "é de", "é", "est de", "est", "s'élève à", "beträgt",
	"ist", "è di", "è", "ammonta a",
	"bedraagt", "is", "är", "uppgår till", "wynosi", "to", "jest", "este de", "este",
}

func afterVerb(text string) string {
	for _, v := range verbs {
		if rest, ok := cutWord(text, v); ok {
			return strings.TrimLeft(rest, " ")
		}
	}
	return text
}

// bareDate notes a line with nothing but a day, or a place and a day, as letters begin: its label is that it is the date.
func (c *pairCollector) bareDate(s span) {
	const mostPlace = 24
	dates := c.reading.datesIn(s)
	if len(dates) != 1 || dates[0].at.end != s.end || dates[0].at.start-s.start > mostPlace {
		return
	}
	place := strings.TrimRight(c.reading.text[s.start:dates[0].at.start], " ")
	words := wordsOf(place)
	bare := len(words) == 0 || len(words) == 1 && isSmall(words[0].text)
	if i := strings.IndexByte(place, ','); bare || i > 0 && i >= len(place)-len(", den") {
		c.note(pair{label: []string{"DATE"}, labelAt: dates[0].at, value: dates[0].at, weight: byBareDate})
	}
}
