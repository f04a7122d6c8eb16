package pdf

import (
	"strings"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/font"
	"golang.org/x/text/unicode/norm"
)

// face knows what the codes of a string mean and how wide they are.
type face struct {
	composite bool
	bold      bool
	unicode   *cmap // ToUnicode, if there is one
	codes     *cmap // of a composite font with an embedded encoding
	utf16     bool  // the codes of a composite font are UTF-16
	table     [256]string
	widths    map[uint32]float64 // in text space for size 1
	otherwise float64            // the width of what widths lacks
}

// maxFaces bounds what fonts may keep: widths, and the tables of codes counted as some hundred of them.
const maxFaces = 1 << 19

// font reads a font, or remembers it.
func (f *file) font(object any) *face {
	number := id(object)
	if known, ok := f.fonts[number]; ok && number != 0 {
		return known
	}
	dict := f.dict(object)
	if dict == nil {
		f.need(object)
		return nil
	}
	const cost = 2000 // operators' worth: a font that is no object of its own is made each time it is used
	f.work -= cost
	made := f.newFont(dict)
	if f.faces += 400 + len(made.widths); f.faces > maxFaces {
		clear(f.fonts)
		f.faces = 400 + len(made.widths)
	}
	f.fonts[number] = made
	return made
}

func (f *file) newFont(dict dict) *face {
	base := f.name(dict["BaseFont"])
	made := &face{bold: isBold(base), widths: map[uint32]float64{}}
	f.need(dict["ToUnicode"], dict["Encoding"], dict["DescendantFonts"])
	if sd := f.stream(dict["ToUnicode"]); sd != nil {
		if data, err := f.decode(sd); err == nil {
			f.work -= len(data) / 8
			made.unicode = f.cmap(data)
		}
	}
	if f.name(dict["Subtype"]) == "Type0" {
		f.readComposite(made, dict)
		return made
	}
	f.readEncoding(made, dict, base)
	f.readWidths(made, dict, base)
	return made
}

func isBold(base string) bool {
	base = strings.ToLower(base)
	return strings.Contains(base, "bold") || strings.Contains(base, "black") || strings.Contains(base, "heavy")
}

// readEncoding fills the table of a simple font: a base encoding, changed by Differences.
func (f *file) readEncoding(made *face, dict dict, base string) {
	named, differences := f.name(dict["Encoding"]), array(nil)
	if own := f.dict(dict["Encoding"]); own != nil {
		named, differences = f.name(own["BaseEncoding"]), f.array(own["Differences"])
	}
	if named == "" {
		named = f.builtIn(dict, base)
	}
	made.table = encoding(named)
	c := 0
	for _, entry := range differences {
		switch entry := f.resolve(entry).(type) {
		case float64:
			c = int(entry)
		case atom:
			if c >= 0 && c < 256 {
				made.table[c] = f.glyphs.text(string(entry))
			}
			c++
		}
	}
}

// builtIn guesses the encoding of a font that names none.
func (f *file) builtIn(dict dict, base string) string {
	switch {
	case strings.Contains(base, "Symbol") && !strings.Contains(base, "OpenSymbol"):
		return "Symbol"
	case f.name(dict["Subtype"]) == "TrueType":
		return "WinAnsiEncoding"
	}
	return "StandardEncoding"
}

// readWidths reads the widths of a simple font. A standard font may leave them out.
func (f *file) readWidths(made *face, dict dict, base string) {
	unit := 0.001
	if own := f.array(dict["FontMatrix"]); len(own) == 6 && f.name(dict["Subtype"]) == "Type3" {
		unit = f.number(own[0], unit)
	}
	descriptor := f.dict(dict["FontDescriptor"])
	made.otherwise = f.number(descriptor["MissingWidth"], 0) * unit
	widths := f.array(dict["Widths"])
	first := int(f.number(dict["FirstChar"], 0))
	for i, w := range widths[:min(len(widths), 256)] {
		if c := first + i; c >= 0 && c < 256 {
			made.widths[uint32(c)] = f.number(w, 0) * unit
		}
	}
	if len(widths) == 0 {
		f.standardWidths(made, base)
	}
}

func (f *file) standardWidths(made *face, base string) {
	made.otherwise = 0.5
	core := coreFont(base)
	codes := map[string]rune{}
	for c, character := range encoding("WinAnsiEncoding") {
		codes[character] = rune(c) // what the library calls a rune is a code of this encoding
	}
	for c, character := range &made.table {
		if core == "Symbol" || core == "ZapfDingbats" {
			codes[character] = rune(c)
		}
		known, ok := codes[character]
		if !ok && character != "" {
			known, _ = utf8.DecodeRuneInString(norm.NFD.String(character)) // as wide as its base letter
		}
		if w, err := font.CharWidth(core, known); err == nil && w > 0 && known < 256 {
			made.widths[uint32(c)] = float64(w) / 1000
		}
	}
}

// coreFont is the standard font that is most like the one named.
func coreFont(base string) string {
	if font.IsCoreFont(base) {
		return base
	}
	slanted := strings.Contains(base, "Italic") || strings.Contains(base, "Oblique")
	family, styles := "Helvetica", [4]string{"", "-Bold", "-Oblique", "-BoldOblique"}
	switch {
	case strings.Contains(base, "Courier") || strings.Contains(base, "Mono"):
		family = "Courier"
	case strings.Contains(base, "Times") || strings.Contains(base, "Serif"):
		family, styles = "Times", [4]string{"-Roman", "-Bold", "-Italic", "-BoldItalic"}
	}
	style := 0
	if isBold(base) {
		style++
	}
	if slanted {
		style += 2
	}
	return family + styles[style]
}

// readComposite reads a Type0 font: codes, the glyphs that they mean, and the widths of those.
func (f *file) readComposite(made *face, dict dict) {
	made.composite, made.otherwise = true, 1
	if sd := f.stream(dict["Encoding"]); sd != nil {
		if data, err := f.decode(sd); err == nil {
			made.codes = f.cmap(data)
		}
	}
	named := f.name(dict["Encoding"])
	made.utf16 = strings.HasPrefix(named, "Uni") && (strings.Contains(named, "UCS2") || strings.Contains(named, "UTF16"))
	descendants := f.array(dict["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	f.need(descendants[0])
	child := f.dict(descendants[0])
	made.bold = made.bold || isBold(f.name(child["BaseFont"]))
	made.otherwise = f.number(child["DW"], 1000) / 1000
	f.readGlyphWidths(made, f.array(child["W"]))
}

// readGlyphWidths reads the array W: "first [w w w]" or "first last w".
func (f *file) readGlyphWidths(made *face, w array) {
	for i := 0; i+1 < len(w); {
		first := uint32(max(f.number(w[i], 0), 0))
		if list, ok := f.resolve(w[i+1]).(array); ok {
			for j, width := range list {
				made.widths[first+uint32(j)] = f.number(width, 0) / 1000
			}
			i += 2
			continue
		}
		if i+2 >= len(w) {
			return
		}
		last := uint32(min(max(f.number(w[i+1], 0), 0), 1<<16))
		for g := first; g <= last && f.work > 0; g++ {
			f.work--
			made.widths[g] = f.number(w[i+2], 0) / 1000
		}
		i += 3
	}
}

// cut takes the first code off a string.
func (n *face) cut(raw []byte) (uint32, int) {
	switch {
	case !n.composite:
		return uint32(raw[0]), 1
	case n.codes != nil:
		return n.codes.cut(raw)
	}
	length := min(2, len(raw))
	return code(raw[:length]), length
}

func (n *face) width(c uint32) float64 {
	if n.codes != nil {
		if g, ok := n.codes.glyph(c); ok {
			c = g
		}
	}
	if w, ok := n.widths[c]; ok {
		return w
	}
	return n.otherwise
}

func (n *face) text(c uint32) string {
	if n.unicode != nil {
		if found := n.unicode.text(c); found != "" {
			return found
		}
	}
	switch {
	case !n.composite && c < 256:
		return n.table[c]
	case n.utf16:
		return string(rune(c))
	}
	return ""
}
