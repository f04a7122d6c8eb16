package layout

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"portside/documents"
)

// PDF files have the glyphs of Hebrew and Arabic from left to right, so the last letter of a word comes first. A page
// that is mostly in these scripts is laid out in its mirror image. So the rules for words, columns, cells, indents and
// margins hold for it, too. The letters of a word and the words of the other direction are put in reading order by a
// short form of the Unicode Bidirectional Algorithm (UAX #9). The algorithm turns reading order into drawing order, and
// drawing order back into reading order.

// readingFrame has the reading direction of a page.
type readingFrame struct {
	isRightToLeft bool
	width         float64 // of the page up to the end of its text
}

// newReadingFrame returns the frame of a page with these words, which are still in the order of drawing.
func newReadingFrame(words []word) readingFrame {
	var f readingFrame
	balance := 0
	for _, w := range words {
		f.width = max(f.width, w.right)
		switch w.direction {
		case rightToLeft:
			balance++
		case leftToRight:
			balance--
		}
	}
	f.isRightToLeft = balance > 0
	return f
}

// enter puts the words in the frame: their letters are in reading order, and words that are read from right to left are
// mirrored if the page is.
func (f readingFrame) enter(words []word) {
	for i := range words {
		w := &words[i]
		w.text = f.readingOrder(w.text)
		w.isOpposite = w.direction == leftToRight && f.isRightToLeft || w.direction == rightToLeft && !f.isRightToLeft
		if f.isRightToLeft {
			w.left, w.right = f.width-w.right, f.width-w.left
		}
	}
}

// leave returns a box of the frame as a box of the page.
func (f readingFrame) leave(b documents.Box) documents.Box {
	if f.isRightToLeft {
		b.Left, b.Right = f.width-b.Right, f.width-b.Left
	}
	return b
}

// textDirection is the direction in which a text is read.
type textDirection int

const (
	neutral textDirection = iota // has no letters
	leftToRight
	rightToLeft
)

// directionOfText returns the direction of most letters.
func directionOfText(text string) textDirection {
	if isASCII(text) {
		if strings.ContainsFunc(text, isASCIILetter) {
			return leftToRight
		}
		return neutral
	}
	balance, letters := 0, 0
	for _, r := range text {
		switch directionOfRune(r) {
		case rightToLeft:
			balance, letters = balance+1, letters+1
		case leftToRight:
			balance, letters = balance-1, letters+1
		}
	}
	switch {
	case letters == 0:
		return neutral
	case balance > 0:
		return rightToLeft
	}
	return leftToRight
}

func isASCIILetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// directionOfRune returns the direction of a letter, or of a mark, which belongs to the letters beside it.
func directionOfRune(r rune) textDirection {
	const firstRightToLeft = 0x0590
	if r < firstRightToLeft {
		p, _ := bidi.LookupRune(r)
		if p.Class() == bidi.L {
			return leftToRight
		}
		return neutral
	}
	switch p, _ := bidi.LookupRune(r); p.Class() {
	case bidi.R, bidi.AL:
		return rightToLeft
	case bidi.L:
		return leftToRight
	}
	return neutral
}

// readingOrder returns a word that is in the order of drawing in the order of reading. Letters that have forms for the
// beginning, the middle and the end of a word become the usual ones.
func (f readingFrame) readingOrder(text string) string {
	direction := directionOfText(text)
	if direction == neutral || direction == leftToRight && !f.isRightToLeft && !hasRightToLeft(text) {
		return text
	}
	return norm.NFKC.String(f.reorder(text))
}

// reorder turns the order of drawing into the order of reading, and back.
func (f readingFrame) reorder(text string) string {
	runes := []rune(text)
	levels := f.levels(runes)
	for level := 2; level > 0; level-- {
		reverseRuns(runes, levels, level)
	}
	return string(runes)
}

func hasRightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return directionOfRune(r) == rightToLeft })
}

// levels returns the embedding level of each rune: even for text from left to right, odd for text from right to left.
func (f readingFrame) levels(runes []rune) []int {
	base := leftToRight
	if f.isRightToLeft {
		base = rightToLeft
	}
	directions := make([]textDirection, len(runes))
	for i, r := range runes {
		if directions[i] = directionOfRune(r); directions[i] == neutral && isInNumber(runes, i) {
			directions[i] = leftToRight
		}
	}
	levels := make([]int, len(runes))
	for start := 0; start < len(runes); {
		end := start + 1
		for end < len(runes) && directions[end] == directions[start] {
			end++
		}
		direction := directions[start]
		if direction == neutral { // as on both sides, or as the page
			direction = base
			if start > 0 && end < len(runes) && directions[start-1] == directions[end] {
				direction = directions[end]
			}
		}
		level := 1
		if direction == leftToRight {
			level = 2
			if base == leftToRight {
				level = 0
			}
		}
		for i := start; i < end; i++ {
			levels[i] = level
		}
		start = end
	}
	return levels
}

// isInNumber reports whether a rune is a digit, or a single mark between two digits, as in 1,020.00 and 2026-17.
func isInNumber(runes []rune, i int) bool {
	isDigit := func(i int) bool {
		if i < 0 || i >= len(runes) {
			return false
		}
		p, _ := bidi.LookupRune(runes[i])
		return p.Class() == bidi.EN || p.Class() == bidi.AN
	}
	return isDigit(i) || isDigit(i-1) && isDigit(i+1)
}

// reverseRuns reverses each longest run of runes at the level or above (rule L2 of UAX #9). Brackets need no
// mirroring, because programs store them as they were typed.
func reverseRuns(runes []rune, levels []int, level int) {
	for start := 0; start < len(runes); start++ {
		if levels[start] < level {
			continue
		}
		end := start
		for end < len(runes) && levels[end] >= level {
			end++
		}
		slices.Reverse(runes[start:end])
		slices.Reverse(levels[start:end])
		start = end
	}
}

// drawingOrder returns the text of a glyph in the order of drawing. A glyph can have several letters, as a ligature of
// Arabic and a word of a scan have, which are in the order of reading.
func drawingOrder(text string) string {
	if isASCII(text) || len(text) < 4 || !hasRightToLeft(text) {
		return text
	}
	return readingFrame{isRightToLeft: true}.reorder(text)
}

// piece is a word of a cell, and whether a space is in front of it.
type piece struct {
	word
	isSpaced bool
}

// reverseOpposite puts successive words of the other direction in reading order, with the words without letters between
// them.
func reverseOpposite(pieces []piece) {
	for start := 0; start < len(pieces); start++ {
		if !pieces[start].isOpposite {
			continue
		}
		last := start
		for i := start + 1; i < len(pieces) && (pieces[i].isOpposite || pieces[i].direction == neutral); i++ {
			if pieces[i].isOpposite {
				last = i
			}
		}
		reversePieces(pieces[start : last+1])
		start = last
	}
}

// reversePieces reverses the words. The spaces between them stay between the same words.
func reversePieces(pieces []piece) {
	first := pieces[0].isSpaced
	for i := range len(pieces) - 1 {
		pieces[i].isSpaced = pieces[i+1].isSpaced
	}
	slices.Reverse(pieces)
	pieces[0].isSpaced = first
}
