package changes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
)

// word is a word, a number or a punctuation mark.
type word struct {
	key        string // its normal form, equal for words that count as the same
	block      int
	start, end int // in the text of the block
	isText     bool
}

// text is the words of a document in their order.
type text struct {
	blocks  []documents.Block
	words   []word
	ids     []rune    // of the normal forms of the words
	match   []int     // for each word, the word of the other document that it equals, or -1
	phrases furniture // of the other document
	isSeen  []bool    // for each block, whether one of its words has a match
}

// newText returns the words of the blocks that are not ignored, and whether it left out words above the limit.
func newText(d *documents.Document, skip ignored, ids map[string]rune) (t *text, isCut bool) {
	t = &text{blocks: d.Blocks, phrases: skip.phrases}
	for i, b := range d.Blocks {
		if skip.blocks[i] {
			continue
		}
		if len(t.words) > MaxWords {
			t.words, isCut = t.words[:MaxWords], true
			break
		}
		from := len(t.words)
		t.words = appendWords(t.words, i, b.Text)
		t.words = append(t.words[:from], skip.phrases.cutFrom(t.words[from:])...)
	}
	for i, w := range t.words {
		if skip.zeros {
			w.key = withoutZeros(w.key)
			t.words[i].key = w.key
		}
		id, isKnown := ids[w.key]
		if !isKnown {
			id = rune(len(ids))
			ids[w.key] = id
		}
		t.ids = append(t.ids, id)
		t.match = append(t.match, unmatched)
	}
	return t, isCut
}

// appendWords appends the words of a block.
func appendWords(words []word, block int, s string) []word {
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		end := at + size
		switch {
		case unicode.IsSpace(r) || isInvisible(r):
		case isWordRune(r):
			end = at + wordLength(s[at:])
			words = append(words, word{keyOf(s[at:end]), block, at, end, true})
		default:
			if n := fillerLength(s, at, r); n > 0 {
				end = at + n
				break
			}
			words = append(words, word{markOf(r), block, at, end, unicode.IsSymbol(r) || r == '%' || r == '§'})
		}
		at = end
	}
	return words
}

// fillers are marks that draw lines, and bullets in front of list items.
const fillers = "_-–—=~*.·•●○▪■□◦‣⁃"

// fillerLength returns the length of the line to fill in, the line below a heading or the bullet at a position, or 0.
// These are no words: a run of one mark, or a mark between spaces.
func fillerLength(s string, at int, mark rune) int {
	const minRun = 3
	if !strings.ContainsRune(fillers, mark) {
		return 0
	}
	end := at + runLength(s[at:], mark)
	next, _ := utf8.DecodeRuneInString(s[end:])
	last, _ := utf8.DecodeLastRuneInString(s[:at])
	isAlone := (at == 0 || unicode.IsSpace(last)) && (end == len(s) || unicode.IsSpace(next))
	if isAlone || end-at >= minRun*max(utf8.RuneLen(mark), 1) {
		return end - at
	}
	return 0
}

func isInvisible(r rune) bool { return r == '\u00ad' || unicode.Is(unicode.Cf, r) }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' }

// wordLength returns the length of the word at the beginning of a text. Apostrophes within words and separators within
// numbers are parts of them.
func wordLength(s string) int {
	var last rune
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+max(utf8.RuneLen(r), 1):])
		switch {
		case isWordRune(r) || isInvisible(r):
		case isApostrophe(r) && unicode.IsLetter(last) && unicode.IsLetter(next):
		case (r == '.' || r == ',') && unicode.IsDigit(last) && unicode.IsDigit(next):
		default:
			return i
		}
		last = r
	}
	return len(s)
}

// runLength returns the length of the run of one mark at the beginning of a text.
func runLength(s string, mark rune) int {
	return len(s) - len(strings.TrimLeft(s, string(mark)))
}

// keyOf returns the normal form of a word: compatible characters such as ligatures are replaced.
func keyOf(s string) string {
	isPlain := true
	for i := range len(s) {
		isPlain = isPlain && s[i] < utf8.RuneSelf
	}
	if isPlain {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case isInvisible(r):
			return -1
		case isApostrophe(r):
			return '\''
		}
		return r
	}, norm.NFKC.String(s))
}

// markOf returns the normal form of a punctuation mark.
func markOf(r rune) string {
	switch {
	case isApostrophe(r) || unicode.Is(unicode.Pi, r) || unicode.Is(unicode.Pf, r) || strings.ContainsRune("\"„‚`´″′", r):
		return `"`
	case unicode.Is(unicode.Pd, r) || r == '−':
		return "-"
	}
	return norm.NFKC.String(string(r))
}

// span is a range of words, without to.
type span struct{ from, to int }

// piece is the part of a span in one block.
type piece struct {
	block   int
	text    string
	isWhole bool // whether no word of the block is in the other document
}

// pieces divides a span by blocks.
func (t *text) pieces(s span) (all []piece) {
	for i := s.from; i < s.to; {
		end := i
		for end < s.to && t.words[end].block == t.words[i].block {
			end++
		}
		b := t.words[i].block
		all = append(all, piece{b, t.blocks[b].Text[t.words[i].start:t.words[end-1].end], !t.isSeen[b]})
		i = end
	}
	return all
}

// hasPart reports whether a span has a piece of a block whose other words are in the other document.
func (t *text) hasPart(s span) bool {
	for _, p := range t.pieces(s) {
		if !p.isWhole {
			return true
		}
	}
	return false
}

// blockAt returns the block of the word before a position or of the word after it.
func (t *text) blockAt(at int, isAfter bool) int {
	if !isAfter || at == len(t.words) {
		at = max(at-1, 0)
	}
	return t.words[at].block
}

// beginsBlock reports whether a word is the first of its block.
func (t *text) beginsBlock(at int) bool { return at == 0 || t.words[at-1].block != t.words[at].block }
