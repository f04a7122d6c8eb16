package fonts

import (
	"slices"
	"sort"
	"unicode/utf16"

	"portside/documents/pdf/internal/syntax"
)

// maxMappings bounds the entries of one CMap. A font has at most 65,536 glyphs.
const maxMappings = 1 << 17

// maxCodeSpaces bounds the code space ranges of one CMap.
const maxCodeSpaces = 256

// cmap maps the character codes of a string to text (a ToUnicode CMap) or to CIDs (the encoding of a
// composite font). It keeps ranges as ranges: expanding them would let a few bytes fill the memory.
type cmap struct {
	codeSpaces []codeSpace
	texts      []textRange
	cids       []cidRange
}

// codeSpace is a code space range: the codes of a length whose every byte lies between the bytes of
// low and high.
type codeSpace struct {
	low, high uint32
	length    int // in bytes
}

// textRange maps the codes from low to high to text. The last character increases with the code.
type textRange struct {
	low, high uint32
	text      []rune
}

// cidRange maps the codes from low to high to the CIDs from first on.
type cidRange struct{ low, high, first uint32 }

// parseCMap parses a CMap, and skips operators that it does not know.
func parseCMap(data []byte) *cmap {
	m := &cmap{}
	lex := &syntax.Lexer{Data: data}
	for m.size() < maxMappings {
		t := lex.Next()
		switch {
		case t.Kind == syntax.EndToken:
			m.sort()
			return m
		case t.Kind != syntax.KeywordToken:
		case t.Is("begincodespacerange"):
			m.parseCodeSpaces(lex)
		case t.Is("beginbfchar"):
			m.parseTextChars(lex)
		case t.Is("beginbfrange"):
			m.parseTextRanges(lex)
		case t.Is("begincidchar"):
			m.parseCIDs(lex, 1)
		case t.Is("begincidrange"):
			m.parseCIDs(lex, 2)
		}
	}
	m.sort()
	return m
}

// size returns the number of entries.
func (m *cmap) size() int { return len(m.texts) + len(m.cids) + len(m.codeSpaces) }

// sort prepares lookups. It is stable, and a lookup takes the last of equal ranges, as readers do that
// fill a table.
func (m *cmap) sort() {
	slices.SortStableFunc(m.texts, func(a, b textRange) int { return int(int64(a.low) - int64(b.low)) })
	slices.SortStableFunc(m.cids, func(a, b cidRange) int { return int(int64(a.low) - int64(b.low)) })
}

func (m *cmap) parseCodeSpaces(lex *syntax.Lexer) {
	for len(m.codeSpaces) < maxCodeSpaces {
		low, high := lex.Next(), lex.Next()
		isRange := low.Kind == syntax.StringToken && high.Kind == syntax.StringToken
		if !isRange || len(low.Bytes) == 0 || len(low.Bytes) > 4 {
			return
		}
		m.codeSpaces = append(m.codeSpaces, codeSpace{code(low.Bytes), code(high.Bytes), len(low.Bytes)})
	}
}

func (m *cmap) parseTextChars(lex *syntax.Lexer) {
	for len(m.texts) < maxMappings {
		from := lex.Next()
		if from.Kind != syntax.StringToken {
			return
		}
		if to := lex.Next(); to.Kind == syntax.StringToken {
			c := code(from.Bytes)
			m.texts = append(m.texts, textRange{c, c, decodeUTF16(to.Bytes)})
		}
	}
}

func (m *cmap) parseTextRanges(lex *syntax.Lexer) {
	for len(m.texts) < maxMappings {
		low := lex.Next()
		if low.Kind != syntax.StringToken {
			return
		}
		high, to := lex.Next(), lex.Next()
		switch to.Kind {
		case syntax.StringToken:
			m.texts = append(m.texts, textRange{code(low.Bytes), code(high.Bytes), decodeUTF16(to.Bytes)})
		case syntax.OpenToken:
			m.parseTextList(lex, code(low.Bytes))
		}
	}
}

// parseTextList parses an array with a text for each code of a range.
func (m *cmap) parseTextList(lex *syntax.Lexer, from uint32) {
	for len(m.texts) < maxMappings {
		to := lex.Next()
		if to.Kind != syntax.StringToken {
			return
		}
		m.texts = append(m.texts, textRange{from, from, decodeUTF16(to.Bytes)})
		from++
	}
}

// parseCIDs parses the entries of cidchar, which have one code, or of cidrange, which have two.
func (m *cmap) parseCIDs(lex *syntax.Lexer, codes int) {
	for len(m.cids) < maxMappings {
		low := lex.Next()
		if low.Kind != syntax.StringToken {
			return
		}
		high := low
		if codes == 2 {
			high = lex.Next()
		}
		first := uint32(max(lex.Next().Value, 0))
		m.cids = append(m.cids, cidRange{code(low.Bytes), code(high.Bytes), first})
	}
}

// code returns the number that at most four bytes stand for.
func code(raw []byte) uint32 {
	value := uint32(0)
	for _, c := range raw[:min(len(raw), 4)] {
		value = value<<8 | uint32(c)
	}
	return value
}

// decodeUTF16 decodes the text of a code. It is bounded, because no glyph stands for more than a few
// words.
func decodeUTF16(raw []byte) []rune {
	const maxUnits = 64
	if len(raw) == 1 {
		return []rune{rune(raw[0])}
	}
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw) && len(units) < maxUnits; i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return utf16.Decode(units)
}

// text returns the text of a code, or "".
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

// hasDoubts reports whether the map has a doubtful character.
func (m *cmap) hasDoubts() bool {
	return slices.ContainsFunc(m.texts, func(t textRange) bool { return len(t.text) > 0 && isDoubtful(t.text[0]) })
}

// cid returns the CID of a code.
func (m *cmap) cid(c uint32) (uint32, bool) {
	i := sort.Search(len(m.cids), func(i int) bool { return m.cids[i].low > c }) - 1
	if i < 0 || c > m.cids[i].high {
		return 0, false
	}
	return m.cids[i].first + c - m.cids[i].low, true
}

// nextCode returns the first code of a string, and its length in bytes, which is at least 1.
func (m *cmap) nextCode(raw []byte) (uint32, int) {
	for length := 1; length <= min(4, len(raw)); length++ {
		c := code(raw[:length])
		for _, s := range m.codeSpaces {
			if s.length == length && s.contains(c) {
				return c, length
			}
		}
	}
	length := min(2, len(raw))
	if len(m.codeSpaces) > 0 {
		length = min(m.codeSpaces[0].length, len(raw))
	}
	return code(raw[:length]), length
}

// contains compares byte by byte: a code space range is a box and not an interval.
func (s codeSpace) contains(c uint32) bool {
	for shift := 0; shift < 8*s.length; shift += 8 {
		if b := c >> shift & 0xff; b < s.low>>shift&0xff || b > s.high>>shift&0xff {
			return false
		}
	}
	return true
}
