package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
)

// block is a block of a page before the document's sizes are known.
type block struct {
	kind  documents.BlockKind
	text  string
	cells []documents.Cell
	box   documents.Box
	em    float64
	bold  bool
	lines int
	first bool // of a Row: it begins a table
}

func (b *block) size() int {
	n := len(b.text)
	for _, c := range b.cells {
		n += len(c.Text) + 1
	}
	return n
}

// maxLines bounds a paragraph.
const maxLines = 1000

// blocksOf makes the blocks of a region.
func blocksOf(lines []line) []block {
	const narrowest = 11 // em of a column of text; what is narrower, an address say, has the breaks that its author made
	right := 0.0
	for i := range lines {
		lines[i] = joinBullet(lines[i])
		box := lines[i].box()
		right = max(right, box.Right, box.Left+narrowest*lines[i].size)
	}
	for i := 1; i < len(lines); i++ {
		lines[i] = joinStretched(lines[i], lines[i-1], right)
	}
	var blocks []block
	for at := 0; at < len(lines); {
		if rows, taken := tableAt(lines[at:]); taken > 0 {
			blocks = append(blocks, rowBlocks(rows)...)
			at += taken
			continue
		}
		end := at + 1
		for end < len(lines) && end-at < maxLines && len(lines[end].cells) == 1 && sameParagraph(lines, end) {
			end++
		}
		blocks = append(blocks, paragraph(lines[at:end], right))
		at = end
	}
	return blocks
}

// joinBullet makes one cell of a bullet and what stands far to its right.
func joinBullet(l line) line {
	if len(l.cells) != 2 || marker(l.cells[0].text+" x") == 0 {
		return l
	}
	l.cells = []cell{{l.cells[0].text + " " + l.cells[1].text, union(l.cells[0].box, l.cells[1].box), l.cells[1].bold}}
	return l
}

// joinStretched makes one cell of a justified line of two words, which ends where the line of text above it does.
func joinStretched(l, above line, right float64) line {
	if len(l.cells) != 2 || len(above.cells) != 1 || strings.Contains(l.cells[0].text+l.cells[1].text, " ") {
		return l
	}
	const slack = 1
	box, over := l.box(), above.box()
	if l.base-above.base > 1.75*l.size || right-box.Right > slack || right-over.Right > slack || math.Abs(box.Left-over.Left) > slack {
		return l
	}
	l.cells = []cell{{l.cells[0].text + " " + l.cells[1].text, box, l.cells[0].bold && l.cells[1].bold}}
	return l
}

// sameParagraph reports whether the line goes on with the paragraph of the line above.
func sameParagraph(lines []line, at int) bool {
	above, l := &lines[at-1], &lines[at]
	em := max(above.size, l.size)
	pitch := l.base - above.base
	if pitch > 1.75*em || min(above.size, l.size) < 0.88*em || marker(l.cells[0].text) > 0 || above.cells[0].bold != l.cells[0].bold {
		return false
	}
	if at >= 2 && len(lines[at-2].cells) == 1 {
		// Paragraphs may be told by a little more space, once the usual distance is known.
		before := above.base - lines[at-2].base
		if before < 1.75*em && pitch > before+0.25*em {
			return false
		}
	}
	if at+1 < len(lines) && lines[at+1].base-l.base < pitch-0.25*em && lines[at+1].size > 0.88*em {
		return false
	}
	indent := l.cells[0].box.Left - above.cells[0].box.Left
	return !(indent > em && indent < 4*em && endsSentence(above.cells[0].text) && marker(above.cells[0].text) == 0)
}

func endsSentence(text string) bool {
	return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?")
}

// paragraph joins lines. A line that would have had room for the next word was ended by the author.
func paragraph(lines []line, right float64) block {
	first := lines[0]
	b := block{kind: documents.Paragraph, text: first.cells[0].text, box: first.box(), em: first.size, bold: true, lines: len(lines)}
	for i, l := range lines {
		b.bold = b.bold && l.cells[0].bold
		b.em = max(b.em, l.size)
		if i == 0 {
			continue
		}
		word, _, _ := strings.Cut(l.cells[0].text, " ")
		needed := float64(utf8.RuneCountInString(word)+2) * 0.6 * l.size
		if lines[i-1].cells[0].box.Right+needed < right {
			b.text += "\n" + l.cells[0].text
		} else {
			b.text = joinText(b.text, l.cells[0].text)
		}
		b.box = union(b.box, l.box())
	}
	if n := marker(b.text); n > 0 {
		b.kind = documents.ListItem
		if r, _ := utf8.DecodeRuneInString(b.text); strings.ContainsRune(bullets, r) {
			b.text = b.text[n:]
		}
	}
	return b
}

// joinText joins two lines, and the two parts of a hyphenated word.
func joinText(above, below string) string {
	stem, hyphenated := strings.CutSuffix(above, "-")
	if !hyphenated {
		stem, hyphenated = strings.CutSuffix(above, "\u2010")
	}
	if !hyphenated {
		stem, hyphenated = strings.CutSuffix(above, "\u00ad")
	}
	before, _ := utf8.DecodeLastRuneInString(stem)
	next, _ := utf8.DecodeRuneInString(below)
	switch {
	case !hyphenated || !unicode.IsLetter(before) && !unicode.IsDigit(before):
		return above + " " + below
	case unicode.IsLower(next) && unicode.IsLetter(before):
		return stem + below
	case unicode.IsLetter(next) || unicode.IsDigit(next):
		return above + below
	}
	return above + " " + below
}

const bullets = "•◦▪▫‣⁃●○■□–—-*·➢➤✓→\uf0b7\uf0a7\uf06e\uf0d8"

// marker is how long the bullet or number is that the text of a list item begins with, or 0.
func marker(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if strings.ContainsRune(bullets, r) && strings.HasPrefix(text[n:], " ") {
		return n + 1
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 && n == 1 && unicode.IsLower(r) && strings.HasPrefix(text[1:], ") ") {
		return 3
	}
	if digits == 0 || digits > 3 || digits+2 > len(text) {
		return 0
	}
	if (text[digits] == '.' || text[digits] == ')') && text[digits+1] == ' ' {
		return digits + 2
	}
	return 0
}
