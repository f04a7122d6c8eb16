package pdf

import (
	"slices"
	"sort"
	"unicode/utf16"
)

// maxMappings bounds the entries of one CMap. A font has at most 65,536 glyphs.
const maxMappings = 1 << 17

// cmap maps the codes of a string to text (a ToUnicode CMap) or to glyphs (the encoding of a composite font). Ranges stay
// ranges: expanding them is what a bomb waits for.
type cmap struct {
	spaces []codeSpace
	texts  []textRange
	glyphs []glyphRange
}

type codeSpace struct {
	low, high uint32
	length    int
}

// textRange maps the codes from low to high to text whose last character goes up with the code.
type textRange struct {
	low, high uint32
	text      []rune
}

type glyphRange struct{ low, high, first uint32 }

// maxMapped bounds the entries of all CMaps of a file: a stream of some bytes may unpack to many, and thousands of fonts share it.
const maxMapped = 1 << 18

// cmap reads a CMap, or none of it where the file has too many.
func (f *file) cmap(data []byte) *cmap {
	if f.mapped > maxMapped {
		return &cmap{}
	}
	m := parseCMap(data)
	f.mapped += len(m.texts) + len(m.glyphs) + len(m.spaces)
	return m
}

// parseCMap reads what it can; what it cannot, it leaves out.
func parseCMap(data []byte) *cmap {
	m := &cmap{}
	lex := &lexer{data: data}
	for len(m.texts)+len(m.glyphs)+len(m.spaces) < maxMappings {
		t := lex.next()
		switch {
		case t.kind == atEnd:
			m.sort()
			return m
		case t.kind != word:
		case t.is("begincodespacerange"):
			m.readSpaces(lex)
		case t.is("beginbfchar"):
			m.readChars(lex)
		case t.is("beginbfrange"):
			m.readRanges(lex)
		case t.is("begincidchar"):
			m.readGlyphs(lex, 1)
		case t.is("begincidrange"):
			m.readGlyphs(lex, 2)
		}
	}
	m.sort()
	return m
}

func (m *cmap) sort() {
	// Stable, and the last of equals wins on lookup, as in readers that fill a table.
	slices.SortStableFunc(m.texts, func(a, b textRange) int { return int(int64(a.low) - int64(b.low)) })
	slices.SortStableFunc(m.glyphs, func(a, b glyphRange) int { return int(int64(a.low) - int64(b.low)) })
}

func (m *cmap) readSpaces(lex *lexer) {
	for len(m.spaces) < 256 {
		low, high := lex.next(), lex.next()
		if low.kind != text || high.kind != text || len(low.bytes) == 0 || len(low.bytes) > 4 {
			return
		}
		m.spaces = append(m.spaces, codeSpace{code(low.bytes), code(high.bytes), len(low.bytes)})
	}
}

func (m *cmap) readChars(lex *lexer) {
	for len(m.texts) < maxMappings {
		from := lex.next()
		if from.kind != text {
			return
		}
		if to := lex.next(); to.kind == text {
			c := code(from.bytes)
			m.texts = append(m.texts, textRange{c, c, utf16Text(to.bytes)})
		}
	}
}

func (m *cmap) readRanges(lex *lexer) {
	for len(m.texts) < maxMappings {
		low := lex.next()
		if low.kind != text {
			return
		}
		high, to := lex.next(), lex.next()
		switch to.kind {
		case text:
			m.texts = append(m.texts, textRange{code(low.bytes), code(high.bytes), utf16Text(to.bytes)})
		case open:
			m.readList(lex, code(low.bytes))
		}
	}
}

func (m *cmap) readList(lex *lexer, from uint32) {
	for len(m.texts) < maxMappings {
		to := lex.next()
		if to.kind != text {
			return
		}
		m.texts = append(m.texts, textRange{from, from, utf16Text(to.bytes)})
		from++
	}
}

// readGlyphs reads cidchar (one code) and cidrange (two).
func (m *cmap) readGlyphs(lex *lexer, codes int) {
	for len(m.glyphs) < maxMappings {
		low := lex.next()
		if low.kind != text {
			return
		}
		high := low
		if codes == 2 {
			high = lex.next()
		}
		first := lex.next()
		m.glyphs = append(m.glyphs, glyphRange{code(low.bytes), code(high.bytes), uint32(max(first.value, 0))})
	}
}

func code(raw []byte) uint32 {
	value := uint32(0)
	for _, c := range raw[:min(len(raw), 4)] {
		value = value<<8 | uint32(c)
	}
	return value
}

func utf16Text(raw []byte) []rune {
	if len(raw) == 1 {
		return []rune{rune(raw[0])}
	}
	const longest = 64 // a glyph that stands for more than a few words is an attack
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw) && len(units) < longest; i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return utf16.Decode(units)
}

// text returns what the code stands for, or nothing.
func (m *cmap) text(c uint32) string {
	i := sort.Search(len(m.texts), func(i int) bool { return m.texts[i].low > c }) - 1
	if i < 0 || c > m.texts[i].high || len(m.texts[i].text) == 0 {
		return ""
	}
	found := m.texts[i]
	if c == found.low {
		return string(found.text)
	}
	last := len(found.text) - 1
	return string(found.text[:last]) + string(found.text[last]+rune(c-found.low))
}

// glyph returns the glyph of a code.
func (m *cmap) glyph(c uint32) (uint32, bool) {
	i := sort.Search(len(m.glyphs), func(i int) bool { return m.glyphs[i].low > c }) - 1
	if i < 0 || c > m.glyphs[i].high {
		return 0, false
	}
	return m.glyphs[i].first + c - m.glyphs[i].low, true
}

// cut takes the first code off a string and returns its length too.
func (m *cmap) cut(raw []byte) (uint32, int) {
	for length := 1; length <= min(4, len(raw)); length++ {
		c := code(raw[:length])
		for _, s := range m.spaces {
			if s.length == length && within(c, s) {
				return c, length
			}
		}
	}
	length := min(2, len(raw))
	if len(m.spaces) > 0 {
		length = min(m.spaces[0].length, len(raw))
	}
	return code(raw[:length]), length
}

// within compares byte by byte, as a code space is a box and no interval.
func within(c uint32, s codeSpace) bool {
	for shift := 0; shift < 8*s.length; shift += 8 {
		if b := c >> shift & 0xff; b < s.low>>shift&0xff || b > s.high>>shift&0xff {
			return false
		}
	}
	return true
}
