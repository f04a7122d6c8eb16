package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// script is a non-Latin alphabet, with its character sets of one byte per letter.
type script struct {
	frequent string // the letters that make up most of a text, in lower case
	charmaps []*charmap.Charmap
}

// The frequent letters are the ten to twelve most frequent ones of the languages that use the script.
var scripts = []script{
	{"оеаинтсрвлкі", []*charmap.Charmap{
		charmap.Windows1251, charmap.KOI8U, charmap.CodePage866, charmap.ISO8859_5, charmap.MacintoshCyrillic,
		charmap.CodePage855,
	}},
	{"اليمونرتهبدع", []*charmap.Charmap{charmap.Windows1256, charmap.ISO8859_6}},
	{"αοιετσνηυρςκ", []*charmap.Charmap{charmap.Windows1253, charmap.ISO8859_7}},
	{"יוהלאברתמנשד", []*charmap.Charmap{charmap.Windows1255, charmap.ISO8859_8, charmap.CodePage862}},
}

// maxScriptSample is how much of a text decides about its script, in bytes.
const maxScriptSample = 64 << 10

// ByScript returns the character set of a text that is mostly in another script than the Latin one, or in EBCDIC. It
// returns nil for any other text, and for one whose letters do not decide.
func ByScript(data []byte) encoding.Encoding {
	sample := data[:min(len(data), maxScriptSample)]
	if isEBCDIC(sample) {
		return ebcdic{charmap.CodePage037}
	}
	if !isMostlyHigh(sample) {
		return nil
	}
	const enough = 0.5 // of the letters; in a wrong character set, at most about a third are frequent letters
	var best encoding.Encoding
	bestShare := enough
	for _, s := range scripts {
		for _, c := range s.charmaps {
			if share := frequentShare(sample, c, s.frequent); share > bestShare {
				best, bestShare = c, share
			}
		}
	}
	return best
}

// isMostlyHigh reports whether at least as many letters lie beyond ASCII as within.
func isMostlyHigh(data []byte) bool {
	const fewest = 8
	high, low := 0, 0
	for _, c := range data {
		switch {
		case c >= utf8.RuneSelf:
			high++
		case isLetter(c):
			low++
		}
	}
	return high >= fewest && high >= low
}

// frequentShare returns which share of the bytes beyond ASCII are frequent letters in lower case. A capital behind a
// small letter counts against the character set, because some sets have the same small letters in the same places.
func frequentShare(data []byte, in *charmap.Charmap, frequent string) float64 {
	found, all := 0, 0
	last := ' '
	for _, c := range data {
		r := in.DecodeByte(c)
		if c >= utf8.RuneSelf {
			all++
			switch {
			case strings.ContainsRune(frequent, r):
				found++
			case unicode.IsUpper(r) && unicode.IsLower(last):
				found--
			}
		}
		last = r
	}
	return float64(found) / float64(max(all, 1))
}

// isEBCDIC reports whether the data is a text of a mainframe: nearly all bytes are letters, digits, spaces and common
// punctuation of code page 37, and some are spaces.
func isEBCDIC(data []byte) bool {
	const fewest = 16
	if len(data) < fewest {
		return false
	}
	spaces, usual := 0, 0
	for _, c := range data {
		if c == ' ' || c == '\n' {
			return false // an unused position and a control character
		}
		r := charmap.CodePage037.DecodeByte(c)
		switch {
		case r == ' ':
			spaces++
			usual++
		case r < utf8.RuneSelf && unicode.IsPrint(r), r == '\u0085', r == '\n', r == '\r', r == '\t':
			usual++
		}
	}
	return spaces*20 >= len(data) && usual*20 >= len(data)*19
}

// ebcdic is a code page whose lines end in the control character "next line".
type ebcdic struct{ *charmap.Charmap }

// NewDecoder implements encoding.Encoding.
func (e ebcdic) NewDecoder() *encoding.Decoder {
	return &encoding.Decoder{Transformer: lines{e.Charmap.NewDecoder()}}
}

// lines replaces "next line" by a line break.
type lines struct{ *encoding.Decoder }

// Transform implements transform.Transformer.
func (l lines) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	const nextLine = 0x15
	return l.Decoder.Transform(dst, bytes.ReplaceAll(src, []byte{nextLine}, []byte{0x25}), atEOF)
}
