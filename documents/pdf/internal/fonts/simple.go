package fonts

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portside/documents/pdf/internal/syntax"
)

// readEncoding reads the encoding of a simple font: a base encoding, changed by Differences. Without a base encoding, it
// is the one of the font program, which is read only if the text needs it.
func (l *Loader) readEncoding(f *Font, dict syntax.Dict, fontName string) {
	objects := l.file.Objects
	name, differences := objects.Name(dict["Encoding"]), syntax.Array(nil)
	if encoding := objects.Dict(dict["Encoding"]); encoding != nil {
		name, differences = objects.Name(encoding["BaseEncoding"]), objects.Array(encoding["Differences"])
	}
	if name == "" {
		name = guessEncoding(objects.Name(dict["Subtype"]), fontName)
		if f.toUnicode == nil || f.toUnicode.hasDoubts() {
			f.table = l.builtInEncoding(objects.Dict(dict["FontDescriptor"]))
		}
	}
	if f.table == nil {
		table := namedEncoding(name)
		f.table = &table
	}
	c := 0
	for _, element := range differences {
		switch element := objects.Resolve(element).(type) {
		case float64:
			c = int(element)
		case syntax.Name:
			if c >= 0 && c < 256 {
				f.table[c] = l.glyphNames.text(string(element))
			}
			c++
		}
	}
}

// guessEncoding guesses the encoding that is built into a font program.
func guessEncoding(subtype, fontName string) string {
	switch {
	case strings.Contains(fontName, "Symbol") && !strings.Contains(fontName, "OpenSymbol"):
		return "Symbol"
	case subtype == "TrueType":
		return "WinAnsiEncoding"
	}
	return "StandardEncoding"
}

// readWidths reads the widths of a simple font. A standard font may omit them.
func (l *Loader) readWidths(f *Font, dict syntax.Dict, fontName string) {
	objects := l.file.Objects
	unit := 0.001
	if matrix := objects.Array(dict["FontMatrix"]); len(matrix) == 6 && objects.Name(dict["Subtype"]) == "Type3" {
		unit = objects.Number(matrix[0], unit)
	}
	descriptor := objects.Dict(dict["FontDescriptor"])
	f.defaultWidth = objects.Number(descriptor["MissingWidth"], 0) * unit
	widths := objects.Array(dict["Widths"])
	first := objects.Int(dict["FirstChar"], 0)
	for i, w := range widths[:min(len(widths), 256)] {
		if c := first + i; c >= 0 && c < 256 {
			f.widths[uint32(c)] = objects.Number(w, 0) * unit
		}
	}
	if len(widths) == 0 {
		f.setStandardWidths(fontName)
	}
}

// setStandardWidths sets the widths of the standard font that is most similar. An accented letter that
// the font lacks is as wide as its base letter.
func (f *Font) setStandardWidths(fontName string) {
	f.defaultWidth = 0.5
	standardName := similarStandardFont(fontName)
	standard := standardWidths[standardName]
	codes := map[string]rune{}
	for c, character := range namedEncoding("WinAnsiEncoding") {
		codes[character] = rune(c)
	}
	for c, character := range f.table {
		if standardName == "Symbol" || standardName == "ZapfDingbats" {
			codes[character] = rune(c)
		}
		known, ok := codes[character]
		if !ok && character != "" {
			known, _ = utf8.DecodeRuneInString(norm.NFD.String(character))
		}
		if known < 256 && standard[known] > 0 {
			f.widths[uint32(c)] = float64(standard[known]) / 1000
		}
	}
}

// similarStandardFont returns the name of the standard font that is most similar to a font.
func similarStandardFont(fontName string) string {
	if standardWidths[fontName] != nil {
		return fontName
	}
	family, styles := "Helvetica", [4]string{"", "-Bold", "-Oblique", "-BoldOblique"}
	switch {
	case strings.Contains(fontName, "Courier") || strings.Contains(fontName, "Mono"):
		family = "Courier"
	case strings.Contains(fontName, "Times") || strings.Contains(fontName, "Serif"):
		family, styles = "Times", [4]string{"-Roman", "-Bold", "-Italic", "-BoldItalic"}
	}
	style := 0
	if isBold(fontName) {
		style++
	}
	if strings.Contains(fontName, "Italic") || strings.Contains(fontName, "Oblique") {
		style += 2
	}
	return family + styles[style]
}
