package layout

import (
	"math"
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
	j := wordJoiner{seen: map[string][]word{}}
	for _, g := range glyphs {
		x, y := d.rotate(g.X, g.Y)
		dx, _ := d.rotate(g.DX, g.DY)
		if strings.TrimSpace(g.Text) == "" {
			j.finish()
			continue
		}
		j.add(word{
			text: drawingOrder(g.Text), left: x, right: x + max(dx, 0), baseline: y, size: g.Size, isBold: g.IsBold,
			doubt:      g.Doubt,
			startsLine: g.StartsLine,
		})
	}
	j.finish()
	return j.words
}

// wordJoiner joins glyphs to words.
type wordJoiner struct {
	text    strings.Builder // of the current word
	current word
	words   []word
	seen    map[string][]word // by text
}

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
	const maxShift, maxOverlap = 0.25, 0.4
	em := max(before.size, glyph.size)
	gap := glyph.left - before.right
	return math.Abs(glyph.baseline-before.baseline) < maxShift*em && gap < minSpace*em && gap > -maxOverlap*em
}

// finish adds the current word. It drops a word that is in the same place already, because some programs
// print text twice to make it bold.
func (j *wordJoiner) finish() {
	const maxCompared, maxShift = 16, 0.1
	if j.text.Len() == 0 {
		return
	}
	j.current.text = normalize(j.text.String())
	j.current.direction = directionOfText(j.current.text)
	j.current.hasLetters = strings.ContainsFunc(j.current.text, unicode.IsLetter)
	j.text.Reset()
	same := j.seen[j.current.text]
	for _, w := range same[max(0, len(same)-maxCompared):] {
		shift := max(math.Abs(w.left-j.current.left), math.Abs(w.baseline-j.current.baseline))
		if shift < maxShift*w.size {
			return
		}
	}
	j.seen[j.current.text] = append(same, j.current)
	j.words = append(j.words, j.current)
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
