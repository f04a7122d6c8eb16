package summary

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/language"
	"portside/documents/offline/scan"
)

const (
	maxSentences     = 40_000
	maxSentenceBytes = 64 << 10
)

// material is the content of a document from which a summary is made.
type material struct {
	lang      answers.Lang
	sentences []sentence
	headings  []string // headings of the sections; the first is the title
	words     int      // number of words in sentences
	tables    tables
	isPart    bool // the document has more sentences
	watch     *scan.Watch
}

// sentence is a sentence, a list item, or a line that is not a sentence.
type sentence struct {
	text    string // as in the document, with spaces for line breaks
	words   int
	section int
	order   int  // in the document
	block   int  // number of the block; captions up to a pause are one block
	first   bool // of its block
	item    bool // of a list
	whole   bool // ends like a sentence
	skipped bool // in a section of sources, licenses or thanks
	terms   []term
}

// collector collects the material of a document.
type collector struct {
	material
	split    *language.Splitter
	running  map[string]bool
	blocks   int
	captions captions
	skipped  int // level of the heading of a section of sources, licenses or thanks; otherwise 0
}

// collect collects the material of a document.
func collect(ctx context.Context, d *documents.Document, lang answers.Lang) (*material, error) {
	w := scan.NewWatch(ctx)
	c := &collector{split: language.NewSplitter(lang, w), running: runningLines(d)}
	c.lang, c.watch = lang, w
	c.headings = []string{d.Title}
	for i := range d.Blocks {
		if err := c.watch.Check(); err != nil {
			return nil, err
		}
		c.take(d, &d.Blocks[i])
	}
	c.endCaptions()
	return &c.material, c.watch.Check()
}

func (c *collector) take(d *documents.Document, b *documents.Block) {
	if b.Kind != documents.Caption {
		c.endCaptions()
	}
	switch {
	case c.running[masked(b.Text)]:
	case b.Kind == documents.Heading || isSkippedSection(b.Text):
		c.heading(b)
	case b.Kind == documents.Row:
		c.tables.row(b)
	case b.Kind == documents.Field:
		c.field(d, b)
	case b.Kind == documents.Caption:
		c.caption(b)
	default:
		c.prose(b.Text, b.Kind == documents.ListItem)
	}
}

// heading begins a section. Sections below a skipped one are skipped too.
func (c *collector) heading(b *documents.Block) {
	const lowest = 100
	c.headings = append(c.headings, b.Text)
	switch {
	case isSkippedSection(b.Text) && b.Kind == documents.Heading:
		c.skipped = max(b.Level, 1)
	case isSkippedSection(b.Text):
		c.skipped = lowest
	case b.Level <= c.skipped:
		c.skipped = 0
	}
}

// prose adds the sentences of a text.
func (c *collector) prose(text string, item bool) {
	c.blocks++
	for i, s := range c.split.Split(text) {
		if c.watch.Stopped() {
			return
		}
		if s.Len() > maxSentenceBytes {
			s, c.isPart = scan.Shorten(text, s, maxSentenceBytes), true
		}
		for _, part := range clauses(s.In(text)) {
			c.add(part, i == 0, item)
		}
	}
}

func (c *collector) add(text string, first, item bool) {
	if len(c.sentences) >= maxSentences {
		c.isPart = true
		return
	}
	text = citation().ReplaceAllString(oneLine(text), "$1$3")
	words := wordCount(text)
	c.words += words
	c.sentences = append(c.sentences, sentence{
		text: text, words: words, section: len(c.headings) - 1, block: c.blocks, first: first,
		item: item || language.IsListItem(text), whole: language.EndsSentence(text) || strings.HasSuffix(text, ";"),
		skipped: c.skipped > 0,
	})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// maxWordBytes is the length up to which a word counts as one. A longer one counts as several.
const maxWordBytes = 40

func wordCount(text string) int {
	words := 0
	for word := range strings.FieldsSeq(text) {
		words++
		if len(word) > maxWordBytes {
			words += utf8.RuneCountInString(word) / maxWordBytes
		}
	}
	return words
}

// beginning returns the first words of a text.
func beginning(text string, words int) string {
	var cut []string
	for word := range strings.FieldsSeq(text) {
		if words -= wordCount(word); words < 0 {
			word = string([]rune(word)[:maxWordBytes-1])
		}
		cut = append(cut, word)
		if words <= 0 {
			break
		}
	}
	return strings.Join(cut, " ")
}

// clauses splits a sentence that is too long for a summary at its semicolons.
func clauses(text string) []string {
	const tooLong, enough = 45, 6 // words
	if wordCount(text) <= tooLong {
		return []string{text}
	}
	var parts []string
	for part := range strings.SplitAfterSeq(text, "; ") {
		if last := len(parts) - 1; last >= 0 && wordCount(parts[last]) < enough {
			parts[last] += part
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// field adds a value that is prose, as JSON may have, as prose. The subject of a mail is a heading.
func (c *collector) field(d *documents.Document, b *documents.Block) {
	const prose = 12 // words
	if len(b.Cells) < 2 {
		return
	}
	name, value := b.Cells[0].Text, b.Cells[1].Text
	if d.Format == documents.Mail && strings.EqualFold(name, "subject") {
		c.headings[0] += " " + value
	}
	if wordCount(value) >= prose && d.Format != documents.Mail {
		c.prose(value, false)
		return
	}
	c.tables.words += wordCount(b.Text)
	c.tables.add(name + ": " + value)
}

// captions collects the words of a recording, because a sentence continues over many captions.
type captions struct {
	lines []string
	words int
	until float64
}

// caption adds a caption. A pause ends the collected text. Players that scroll repeat the last line
// in the next caption, so repeated lines are skipped.
func (c *collector) caption(b *documents.Block) {
	const pauseSeconds, maxWords = 2.0, 600
	text := oneLine(b.Text)
	noise := strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") // [Applause]
	if b.Time.From-c.captions.until > pauseSeconds || c.captions.words > maxWords {
		c.endCaptions()
	}
	c.captions.until = b.Time.To
	if last := len(c.captions.lines) - 1; noise || (last >= 0 && c.captions.lines[last] == text) {
		return
	}
	c.captions.lines = append(c.captions.lines, text)
	c.captions.words += wordCount(text)
}

// endCaptions splits the collected text into sentences. Captions without punctuation are taken a
// few at a time.
func (c *collector) endCaptions() {
	const readable = 40 // words
	lines, words := c.captions.lines, c.captions.words
	c.captions = captions{}
	text := strings.Join(lines, " ")
	if text == "" {
		return
	}
	if marks := strings.Count(text, ". ") + strings.Count(text, "? ") + 1; words/marks <= readable {
		c.prose(text, false)
		return
	}
	c.blocks++
	for len(lines) > 0 {
		taken := linesOf(lines, readable/2)
		c.add(strings.Join(lines[:taken], " "), false, false)
		lines = lines[taken:]
	}
}

// linesOf returns how many of the first lines have the given number of words.
func linesOf(lines []string, words int) int {
	for i, line := range lines {
		if words -= wordCount(line); words <= 0 {
			return i + 1
		}
	}
	return len(lines)
}

// runningLines returns the headers and footers: short lines that are repeated on several pages.
// Page numbers are ignored.
func runningLines(d *documents.Document) map[string]bool {
	const maxBytes, minPages = 160, 3
	pages, last := map[string]int{}, map[string]int{}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if len(b.Text) > maxBytes || b.Page == 0 || b.Kind == documents.Row {
			continue
		}
		if line := masked(b.Text); last[line] != b.Page {
			last[line] = b.Page
			pages[line]++
		}
	}
	running := map[string]bool{}
	for line, count := range pages {
		if count >= minPages {
			running[line] = true
		}
	}
	return running
}

// masked replaces all digits by zeros.
func masked(text string) string {
	const maxBytes = 160
	if len(text) > maxBytes {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, text)
}

// capitalized returns a text with its first letter in upper case.
func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
