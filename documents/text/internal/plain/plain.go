// Package plain reads texts without markup: prose, tables, values separated by commas, and subtitles.
package plain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/lazyregexp"
	"portside/documents/text/internal/page"
)

// Read reads plain text, or subtitles.
func Read(to page.Page, data []byte) error {
	text := charset.Decode(data, "")
	if isSubtitles(text) {
		return subtitles(to, text)
	}
	return Text(to, text)
}

// Text reads the pages of a text.
func Text(to page.Page, text string) error {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "").Replace(text)
	pages := strings.Split(strings.TrimRight(text, "\f \n\t"), "\f")
	r := textReader{to: to, width: wrapWidth(text)}
	for _, content := range pages {
		if len(pages) > 1 && !to.Into.Page() {
			return nil
		}
		if err := r.page(content); err != nil {
			return err
		}
	}
	return nil
}

// textReader reads one plain text.
type textReader struct {
	to      page.Page
	width   int   // at which its lines were broken; 0 if they were not
	indents []int // of the open list items
}

// Lines that are longer than maxWrap are whole paragraphs. Texts that wrap below minWrap have breaks that the author
// wants.
const (
	minWrap = 40
	maxWrap = 120
)

// wrapWidth returns the width at which the text is wrapped, or 0: the length that 95 % of the lines with a next line
// keep to.
func wrapWidth(text string) int {
	const sample = 2000
	var lengths []int
	previous := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line != "" && previous > 0 && len(lengths) < sample {
			lengths = append(lengths, previous)
		}
		previous = utf8.RuneCountInString(line)
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	width := lengths[(len(lengths)*95+99)/100-1]
	if width < minWrap || width > maxWrap {
		return 0
	}
	return width
}

// page reads the lines between blank lines, at most maxLines at a time.
func (r *textReader) page(text string) error {
	const maxLines = 5000
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
		if len(lines) == maxLines || strings.TrimSpace(line) == "" && len(lines) > 0 {
			if err := r.stretch(lines); err != nil {
				return err
			}
			lines = nil
		}
	}
	return r.stretch(lines)
}

// stretch reads lines without a blank line between them.
func (r *textReader) stretch(lines []string) error {
	heading, used := headingOf(lines)
	if used > 0 {
		r.indents = nil
		if err := r.to.Add(heading); err != nil {
			return err
		}
		lines = lines[used:]
	}
	for tried := 0; len(lines) > 0; {
		var rows []documents.Block
		n := 0
		if tried == 0 {
			rows, n = tableOf(lines)
		}
		var err error
		switch {
		case rows != nil:
			err = r.table(rows)
		default:
			tried = max(tried, n) // searching each rest for a table would be quadratic
			n = paragraphEnd(lines, tried)
			err = r.words(lines[:n])
			tried = max(0, tried-n)
		}
		if err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

func (r *textReader) words(lines []string) error {
	if listMark().MatchString(lines[0]) {
		return r.item(lines)
	}
	return r.paragraph(lines)
}

// paragraphEnd returns the first line after line 0 that begins a list item or a table. The first skip lines begin no
// table.
func paragraphEnd(lines []string, skip int) int {
	for i := 1; i < len(lines); i++ {
		if listMark().MatchString(lines[i]) || i >= skip && looksTabular(lines[i]) && i+1 < len(lines) && looksTabular(lines[i+1]) {
			return i
		}
	}
	return len(lines)
}

func (r *textReader) table(rows []documents.Block) error {
	r.indents = nil
	var run page.Table
	for _, row := range rows {
		if err := r.to.Add(run.Next(r.to.Into, row.Cells)); err != nil {
			return err
		}
	}
	return nil
}

// paragraph adds the lines as one block, or each line as a block if lines are as long as paragraphs.
func (r *textReader) paragraph(lines []string) error {
	const together = 100
	r.indents = nil
	for len(lines) > 0 {
		n := min(len(lines), together)
		if r.width == 0 && utf8.RuneCountInString(lines[0]) > maxWrap {
			n = 1
		}
		if err := r.to.Add(documents.Block{Kind: documents.Paragraph, Text: r.join(lines[:n])}); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

// join replaces a line break by a space if the next word would not have fit on the line, and keeps other line breaks.
// If the lines are names with values, each name begins a line.
func (r *textReader) join(lines []string) string {
	var out strings.Builder
	labeled := r.width > 0 && areLabeled(lines)
	for i, line := range lines {
		line = strings.TrimSpace(line)
		out.WriteString(line)
		if i+1 == len(lines) {
			break
		}
		next, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		full := utf8.RuneCountInString(lines[i])+1+utf8.RuneCountInString(next) > r.width
		switch {
		case r.width == 0 || !full || labeled && labelLine().MatchString(lines[i+1]):
			out.WriteByte('\n')
		case !brokenWord().MatchString(line):
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// labelLine begins with a label: a few words with an initial capital, and a colon.
var labelLine = lazyregexp.New(`^\s*[\p{Lu}\p{Lt}\p{Lo}][^\s:;!?]*(?: [^\s:;!?]+){0,4} ?:(?:\s|$)`)

// areLabeled reports whether lines are names with values. A single one may be a sentence with a colon.
func areLabeled(lines []string) bool {
	const minLabels, maxLabel = 2, 200
	found := 0
	for _, line := range lines {
		if labelLine().MatchString(line[:min(len(line), maxLabel)]) {
			found++
		}
	}
	return found >= minLabels
}

var (
	brokenWord = lazyregexp.New(`\pL-$`)
	listMark   = lazyregexp.New(`^\s*(?:[-*+•–·▪◦‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S`)
	bulletMark = lazyregexp.New(`^\s*[-*+•–·▪◦‣]\s+`)
)

// item adds a list item. It keeps a number, because other text may refer to it.
func (r *textReader) item(lines []string) error {
	indent := indentOf(lines[0])
	for len(r.indents) > 0 && r.indents[len(r.indents)-1] > indent {
		r.indents = r.indents[:len(r.indents)-1]
	}
	if (len(r.indents) == 0 || r.indents[len(r.indents)-1] < indent) && len(r.indents) < r.to.Into.Limits.Depth {
		r.indents = append(r.indents, indent)
	}
	text := bulletMark().ReplaceAllString(r.join(lines), "")
	return r.to.Add(documents.Block{Kind: documents.ListItem, Text: text, Level: max(0, len(r.indents)-1)})
}

func indentOf(line string) int {
	const tab = 4
	indent := 0
	for _, r := range line {
		switch r {
		case ' ':
			indent++
		case '\t':
			indent += tab
		default:
			return indent
		}
	}
	return indent
}

var (
	underline     = lazyregexp.New(`^\s*(?:={3,}|-{3,}|~{3,}|\*{3,})$`)
	numberedTitle = lazyregexp.New(`^\s*(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+\p{Lu}[^.;:]*$`)
	maxHeading    = 90 // characters
)

// headingOf returns the heading in the first lines and how many lines it takes: an underlined line, or a single line in
// capitals or with a number.
func headingOf(lines []string) (heading documents.Block, used int) {
	if len(lines) == 0 || utf8.RuneCountInString(lines[0]) > maxHeading {
		return documents.Block{}, 0
	}
	heading = documents.Block{Kind: documents.Heading, Text: lines[0], Level: 1}
	if len(lines) > 1 && underline().MatchString(lines[1]) && !underline().MatchString(lines[0]) && !looksTabular(lines[0]) {
		if !strings.Contains(lines[1], "=") {
			heading.Level = 2
		}
		return heading, 2
	}
	if len(lines) > 1 || looksTabular(lines[0]) {
		return documents.Block{}, 0
	}
	if number := numberedTitle().FindStringSubmatch(lines[0]); number != nil {
		heading.Level = 1 + strings.Count(number[1], ".")
		return heading, 1
	}
	if inCapitals(lines[0]) {
		return heading, 1
	}
	return documents.Block{}, 0
}

// inCapitals reports whether a line is a heading in capitals, rather than an amount or a code with its label.
func inCapitals(line string) bool {
	letters, digits := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLower(r):
			return false
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	line = strings.TrimSpace(line)
	colon := strings.IndexByte(line, ':')
	return letters >= 4 && digits <= letters/2 && (colon < 0 || colon == len(line)-1) && !strings.HasSuffix(line, ".")
}
