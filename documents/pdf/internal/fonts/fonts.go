// Package fonts reads what text extraction needs of a font (ISO 32000-1, 9.6 to 9.10): how its codes
// split, what text they stand for, and how wide their glyphs are.
//
// The text of a code comes from the ToUnicode CMap or, without one, from the encoding: a predefined
// one or the one of a Type 1 font program, changed by the glyph names in Differences. The entries of all
// CMaps of a document are bounded, as is the memory for fonts.
package fonts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

const (
	// maxFontEntries bounds the widths in memory; each font counts for 400 more.
	maxFontEntries = 1 << 19
	entriesPerFont = 400
	// maxDocumentMappings bounds the entries of all CMaps of a document: a stream of a few bytes may
	// decode to many entries, and thousands of fonts may share the stream.
	maxDocumentMappings = 1 << 18
)

// Font is a font. Lengths are in text space for size 1.
type Font struct {
	IsBold bool

	isComposite  bool
	toUnicode    *cmap              // nil without a map to Unicode
	encoding     *cmap              // of a composite font with an embedded CMap
	national     *national          // of a composite font with a predefined encoding
	hasLatinCIDs bool               // the first CIDs are the ASCII characters
	table        *encodingTable     // of a simple font
	widths       map[uint32]float64 // by code of a simple font, by CID of a composite one
	defaultWidth float64
}

// Loader reads the fonts of a document.
type Loader struct {
	file       *xref.File
	cache      *budget.Cache[*Font]
	mappings   int // the entries of the CMaps so far
	glyphNames glyphNames
}

// NewLoader returns a Loader for the fonts of a file.
func NewLoader(f *xref.File) *Loader {
	return &Loader{file: f, cache: budget.NewCache[*Font](maxFontEntries), glyphNames: newGlyphNames()}
}

// Load returns a font by its object in the resources. It returns nil for a missing font.
func (l *Loader) Load(object any) *Font {
	number := syntax.ObjectNumber(object)
	if known, ok := l.cache.Get(number); ok && number != 0 {
		return known
	}
	dict := l.file.Objects.Dict(object)
	if dict == nil {
		l.file.Expect(object)
		return nil
	}
	const workPerFont = 2000 // a font without an object number is read each time it is used
	l.file.Budget.SpendWork(workPerFont)
	font := l.read(dict)
	l.cache.Put(number, font, entriesPerFont+len(font.widths))
	return font
}

func (l *Loader) read(dict syntax.Dict) *Font {
	name := l.file.Objects.Name(dict["BaseFont"])
	font := &Font{IsBold: isBold(name), widths: map[uint32]float64{}}
	l.file.Expect(dict["ToUnicode"], dict["Encoding"], dict["DescendantFonts"])
	if s := l.file.Objects.Stream(dict["ToUnicode"]); s != nil {
		if data, err := l.file.Decoder.Decode(s); err == nil {
			l.file.Budget.SpendWork(len(data) / 8)
			font.toUnicode = l.parseCMap(data)
		}
	}
	if l.file.Objects.Name(dict["Subtype"]) == "Type0" {
		l.readComposite(font, dict)
		return font
	}
	l.readEncoding(font, dict, name)
	l.readWidths(font, dict, name)
	return font
}

// parseCMap parses a CMap. It returns an empty one if the document has too many entries already.
func (l *Loader) parseCMap(data []byte) *cmap {
	if l.mappings > maxDocumentMappings {
		return &cmap{}
	}
	m := parseCMap(data)
	l.mappings += m.size()
	return m
}

func isBold(fontName string) bool {
	fontName = strings.ToLower(fontName)
	return strings.Contains(fontName, "bold") || strings.Contains(fontName, "black") ||
		strings.Contains(fontName, "heavy")
}

// NextCode returns the first code of a string that is not empty, and its length in bytes, which is at
// least 1.
func (f *Font) NextCode(raw []byte) (uint32, int) {
	switch {
	case !f.isComposite:
		return uint32(raw[0]), 1
	case f.encoding != nil:
		return f.encoding.nextCode(raw)
	case f.national != nil:
		return f.national.nextCode(raw)
	}
	length := min(2, len(raw))
	return code(raw[:length]), length
}

// Width returns the width of a code's glyph.
func (f *Font) Width(c uint32) float64 {
	if f.national != nil {
		return nationalWidth(c, f.widths, f.defaultWidth)
	}
	if f.encoding != nil {
		if cid, ok := f.encoding.cid(c); ok {
			c = cid
		}
	}
	if w, ok := f.widths[c]; ok {
		return w
	}
	return f.defaultWidth
}

// isWrong reports whether the font maps a code to an arrow or to no character at all although the glyph has the name of a
// ligature or of a mathematical sign. Some programs write such a map for the fonts of TeX, which have ligatures where
// others have arrows.
func (f *Font) isWrong(c uint32, text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	if !isDoubtful(first) || f.isComposite || c >= 256 {
		return false
	}
	name := f.table[c]
	named, size := utf8.DecodeRuneInString(name)
	return size < len(name) || unicode.Is(unicode.Sm, named) && !isDoubtful(named)
}

// isDoubtful reports whether a character is an arrow or none that has a meaning.
func isDoubtful(r rune) bool {
	return r >= '\u2190' && r <= '\u21ff' || unicode.IsControl(r) || unicode.Is(unicode.Co, r) || r == utf8.RuneError
}

// Text returns the text of a code, or "" if it is unknown.
func (f *Font) Text(c uint32) string {
	if f.toUnicode != nil {
		if found := f.toUnicode.text(c); found != "" && !f.isWrong(c, found) {
			return found
		}
	}
	switch {
	case !f.isComposite && c < 256:
		return f.table[c]
	case f.national != nil:
		return f.national.text(c)
	case f.hasLatinCIDs && c >= latinCID(' ') && c <= latinCID('~'):
		return string(rune(c - latinCID(' ') + ' '))
	}
	return ""
}
