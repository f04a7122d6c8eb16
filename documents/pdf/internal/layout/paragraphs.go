package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
)

// maxParagraphLines bounds a paragraph.
const maxParagraphLines = 1000

// regionBlocks returns the blocks of a region.
func regionBlocks(lines []line) []Block {
	const minWidth = 11 // em; narrower text, such as an address, has line breaks of the author
	right := 0.0
	for i := range lines {
		lines[i] = joinBullet(lines[i])
		box := lines[i].box()
		right = max(right, box.Right, box.Left+minWidth*lines[i].size)
	}
	for i := 1; i < len(lines); i++ {
		lines[i] = joinJustified(lines[i], lines[i-1], right)
	}
	var blocks []Block
	for start := 0; start < len(lines); {
		if rows, taken := leadingTable(lines[start:]); taken > 0 {
			blocks = append(blocks, rowBlocks(rows)...)
			start += taken
			continue
		}
		end := start + 1
		for end < len(lines) && end-start < maxParagraphLines && continuesParagraph(lines, end) {
			end++
		}
		blocks = append(blocks, paragraph(lines[start:end], right))
		start = end
	}
	return blocks
}

// joinBullet joins a bullet with the text far to its right.
func joinBullet(l line) line {
	if len(l.cells) != 2 || markerBytes(l.cells[0].text+" x") == 0 {
		return l
	}
	return l.joinTwoCells(l.cells[1].isBold)
}

// joinJustified joins the two words of a justified line, which ends where the line above ends.
func joinJustified(l, above line, right float64) line {
	const slack = 1 // points
	if len(l.cells) != 2 || len(above.cells) != 1 || strings.Contains(l.cells[0].text+l.cells[1].text, " ") {
		return l
	}
	box, boxAbove := l.box(), above.box()
	isFar := l.baseline-above.baseline > maxLineDistance*l.size
	isShort := right-box.Right > slack || right-boxAbove.Right > slack
	if isFar || isShort || math.Abs(box.Left-boxAbove.Left) > slack {
		return l
	}
	return l.joinTwoCells(l.cells[0].isBold && l.cells[1].isBold)
}

// joinTwoCells returns a line of two cells as a line of one cell.
func (l line) joinTwoCells(isBold bool) line {
	first, second := l.cells[0], l.cells[1]
	l.cells = []cell{{
		text: first.text + " " + second.text, box: l.box(), isBold: isBold, words: slices.Concat(first.words, second.words),
	}}
	return l
}

// Thresholds for lines of one paragraph, in em.
const (
	maxLineDistance   = 1.75 // between baselines
	distanceTolerance = 0.25
	minSizeRatio      = 0.88 // of the smaller to the larger line
)

// continuesParagraph reports whether a line belongs to the paragraph of the line above.
func continuesParagraph(lines []line, i int) bool {
	if len(lines[i].cells) != 1 {
		return false
	}
	above, l := &lines[i-1], &lines[i]
	em := max(above.size, l.size)
	distance := l.baseline - above.baseline
	if distance > maxLineDistance*em || min(above.size, l.size) < minSizeRatio*em ||
		markerBytes(l.cells[0].text) > 0 || above.cells[0].isBold != l.cells[0].isBold {
		return false
	}
	// Once the usual distance is known, a slightly larger one separates paragraphs.
	if i >= 2 && len(lines[i-2].cells) == 1 {
		before := above.baseline - lines[i-2].baseline
		if before < maxLineDistance*em && distance > before+distanceTolerance*em {
			return false
		}
	}
	if i+1 < len(lines) && lines[i+1].size > minSizeRatio*em &&
		lines[i+1].baseline-l.baseline < distance-distanceTolerance*em {
		return false
	}
	return !isFirstLineIndent(*above, *l, em)
}

// isFirstLineIndent reports whether a line is indented as the first line of a paragraph.
func isFirstLineIndent(above, l line, em float64) bool {
	indent := l.cells[0].box.Left - above.cells[0].box.Left
	return indent > em && indent < 4*em && endsSentence(above.cells[0].text) && markerBytes(above.cells[0].text) == 0
}

func endsSentence(text string) bool {
	return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?")
}

// paragraph joins lines to a paragraph or a list item. If a line has room for the next word, its author
// broke it there, so the line break is kept.
func paragraph(lines []line, right float64) Block {
	const emPerCharacter = 0.6
	first := lines[0]
	b := Block{
		kind: documents.Paragraph, text: first.cells[0].text, box: first.box(), size: first.size, isBold: true,
		lines: len(lines), words: slices.Clone(first.cells[0].words),
	}
	for i, l := range lines {
		b.isBold = b.isBold && l.cells[0].isBold
		b.size = max(b.size, l.size)
		if i == 0 {
			continue
		}
		word, _, _ := strings.Cut(l.cells[0].text, " ")
		wordWidth := float64(utf8.RuneCountInString(word)+2) * emPerCharacter * l.size
		if lines[i-1].cells[0].box.Right+wordWidth < right {
			b.text += "\n" + l.cells[0].text
		} else {
			b.text = joinText(b.text, l.cells[0].text)
		}
		b.box = b.box.Union(l.box())
		b.words = append(b.words, l.cells[0].words...)
	}
	if n := markerBytes(b.text); n > 0 {
		b.kind = documents.ListItem
		if r, _ := utf8.DecodeRuneInString(b.text); strings.ContainsRune(bullets, r) {
			b.text = b.text[n:]
		}
	}
	return b
}

// joinText joins two lines, and the two parts of a hyphenated word.
func joinText(above, below string) string {
	stem, isHyphenated := cutHyphen(above)
	before, _ := utf8.DecodeLastRuneInString(stem)
	next, _ := utf8.DecodeRuneInString(below)
	switch {
	case !isHyphenated || !unicode.IsLetter(before) && !unicode.IsDigit(before):
		return above + " " + below
	case unicode.IsLower(next) && unicode.IsLetter(before):
		return stem + below
	case unicode.IsLetter(next) || unicode.IsDigit(next):
		return above + below
	}
	return above + " " + below
}

func cutHyphen(text string) (stem string, found bool) {
	for _, hyphen := range []string{"-", "\u2010", "\u00ad"} {
		if stem, found = strings.CutSuffix(text, hyphen); found {
			return stem, true
		}
	}
	return text, false
}

const bullets = "•◦▪▫‣⁃●○■□–—-*·➢➤✓→\uf0b7\uf0a7\uf06e\uf0d8"

// markerBytes returns the length of the bullet or number at the beginning of a list item, with the space
// behind it. It returns 0 for other text.
func markerBytes(text string) int {
	const maxDigits = 3
	r, n := utf8.DecodeRuneInString(text)
	if strings.ContainsRune(bullets, r) && strings.HasPrefix(text[n:], " ") {
		return n + 1
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 && n == 1 && unicode.IsLower(r) && strings.HasPrefix(text[1:], ") ") {
		return 3
	}
	if digits == 0 || digits > maxDigits || digits+2 > len(text) {
		return 0
	}
	if (text[digits] == '.' || text[digits] == ')') && text[digits+1] == ' ' {
		return digits + 2
	}
	return 0
}
