package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
	"portside/documents/pdf/internal/content"
)

// minSpace is the smallest gap between words, in em.
const minSpace = 0.16

// word is a word, or a part of one. Its coordinates are rotated so that the text is horizontal.
type word struct {
	text        string
	left, right float64
	baseline    float64
	size        float64
	isBold      bool
	hasLetters  bool
	doubt       float32
	startsLine  bool // as in content.Glyph
	direction   textDirection
	isOpposite  bool // is read in the direction opposite to the page's
}

// box returns the box of a word. PDF does not store the height of letters, so the box has the
// proportions of common fonts.
func (w word) box() documents.Box {
	return documents.Box{Left: w.left, Top: w.baseline - 0.8*w.size, Right: w.right, Bottom: w.baseline + 0.2*w.size}
}

// joinWords joins glyphs that follow each other without a gap.
func joinWords(glyphs []content.Glyph, d direction) []word {
	j := wordJoiner{seen: map[place][]int{}}
	var last word
	for _, g := range glyphs {
		if isSpace(g.Text) {
			j.finish()
			continue
		}
		x, y := d.rotate(g.X, g.Y)
		dx, _ := d.rotate(g.DX, g.DY)
		next := word{
			text: drawingOrder(g.Text), left: x, right: x + max(dx, 0), baseline: y, size: g.Size, isBold: g.IsBold,
			doubt:      g.Doubt,
			startsLine: g.StartsLine,
		}
		if !next.repeats(last) {
			j.add(next)
			last = next
		}
	}
	j.finish()
	return j.words
}

// isSpace reports whether the text of a glyph is white space. Some fonts map the space to several characters, of which
// some are invisible.
func isSpace(text string) bool {
	if len(text) == 1 {
		return text[0] == ' ' || strings.TrimSpace(text) == ""
	}
	return documents.Clean(text) == "" && strings.ContainsFunc(text, unicode.IsSpace)
}

// maxShift is how far from a text its second copy may be, in em. Some programs print a text twice to make it bold or to
// give it a shadow.
const maxShift = 0.2

// repeats reports whether a word is the same as another one, in almost the same place. Equal letters that follow each
// other, as in "ll", are a whole width apart.
func (w word) repeats(other word) bool {
	return w.text == other.text && math.Abs(w.left-other.left) < w.maxShiftX() &&
		math.Abs(w.baseline-other.baseline) < maxShift*w.size
}

func (w word) maxShiftX() float64 { return min(maxShift*w.size, (w.right-w.left)/2) }

// wordJoiner joins glyphs to words.
type wordJoiner struct {
	text    strings.Builder // of the current word
	current word
	words   []word
	seen    map[place][]int // the indexes of words by text and place
}

// place is a square on the page, with the text of a word in it.
type place struct {
	text string
	x, y int
}

// placeSize is the side of the square of a place, in points.
const placeSize = 8.0

func (j *wordJoiner) add(glyph word) {
	if j.text.Len() > 0 && !continuesWord(j.current, glyph) {
		j.finish()
	}
	if j.text.Len() == 0 {
		j.current = glyph
	}
	j.text.WriteString(glyph.text)
	j.current.right = max(j.current.right, glyph.right)
	j.current.size = max(j.current.size, glyph.size)
	j.current.isBold = j.current.isBold && glyph.isBold
	j.current.doubt = max(j.current.doubt, glyph.doubt)
}

func continuesWord(before, glyph word) bool {
	const maxRise, maxOverlap = 0.25, 0.4
	em := max(before.size, glyph.size)
	gap := glyph.left - before.right
	return math.Abs(glyph.baseline-before.baseline) < maxRise*em && gap < minSpace*em && gap > -maxOverlap*em
}

// finish adds the current word, unless the same word is in almost the same place.
func (j *wordJoiner) finish() {
	if j.text.Len() == 0 {
		return
	}
	j.current.text = normalize(j.text.String())
	j.text.Reset()
	if j.isRepeated() {
		return
	}
	j.current.direction = directionOfText(j.current.text)
	j.current.hasLetters = strings.ContainsFunc(j.current.text, unicode.IsLetter)
	at := placeOf(j.current, 0, 0)
	j.seen[at] = append(j.seen[at], len(j.words))
	j.words = append(j.words, j.current)
}

// isRepeated reports whether a word with the text of the current one is in almost the same place.
func (j *wordJoiner) isRepeated() bool {
	w := j.current
	shiftX, shiftY := max(w.maxShiftX(), maxShift*w.size/2), maxShift*w.size
	first, last := placeOf(w, -shiftX, -shiftY), placeOf(w, shiftX, shiftY)
	first.x, first.y = max(first.x, last.x-1), max(first.y, last.y-1) // bounds the squares of huge letters
	for at := first; at.x <= last.x; at.x++ {
		for at.y = first.y; at.y <= last.y; at.y++ {
			if slices.ContainsFunc(j.seen[at], func(i int) bool {
				return math.Abs(j.words[i].left-w.left) < shiftX && math.Abs(j.words[i].baseline-w.baseline) < shiftY
			}) {
				return true
			}
		}
	}
	return false
}

// placeOf returns the place of a word that is moved by x and y.
func placeOf(w word, x, y float64) place {
	return place{w.text, int(math.Floor((w.left + x) / placeSize)), int(math.Floor((w.baseline + y) / placeSize))}
}

// normalize composes letters and accents, and splits ligatures.
func normalize(text string) string {
	if isASCII(text) {
		return text
	}
	ligatures := strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")
	return norm.NFC.String(ligatures.Replace(text))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
