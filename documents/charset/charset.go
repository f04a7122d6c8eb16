// Package charset finds out which character set a text has and converts it to UTF-8. All readers use it, so that the
// same bytes become the same text in every format.
//
// The evidence counts in this order: a byte order mark, letters that are only valid in UTF-8, the frequent letters of
// another script than the Latin one, what the file or its sender declares, zero bytes as UTF-16 has them, and the
// letters and words of the languages that this module knows.
package charset

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"portside/documents/lazyregexp"
)

// Decode converts a whole text to UTF-8. The declared name may be empty, unknown or wrong.
func Decode(data []byte, declared string) string {
	if marked := ByMark(data); marked != nil {
		return Convert(data, marked)
	}
	if isMultiByte(data) {
		return string(data)
	}
	if other := ByScript(data); other != nil {
		return Convert(data, other) // unlike in Latin texts, the letters are surer than the declaration
	}
	if named := byName(declared); named != nil {
		return Convert(data, named)
	}
	if wide := ByZeros(data); wide != nil {
		return Convert(data, wide)
	}
	if isASCII(data) {
		return string(data)
	}
	return Convert(data, byLetters(data))
}

// DecodeOr converts a text with a byte order mark or in UTF-8, and any other text from the given character set.
func DecodeOr(data []byte, other encoding.Encoding) string {
	switch marked := ByMark(data); {
	case marked != nil:
		return Convert(data, marked)
	case utf8.Valid(data):
		return string(data)
	}
	return Convert(data, other)
}

// Convert converts a text from the character set to UTF-8. It leaves out half a character at the end.
func Convert(data []byte, from encoding.Encoding) string {
	text, err := from.NewDecoder().Bytes(data)
	if err != nil { // a decoder replaces invalid bytes, so only an incomplete character at the end is an error
		return strings.ToValidUTF8(string(text), "")
	}
	return string(text)
}

// NewReader converts XML or XHTML to UTF-8 while it is read. It detects the character set from the first 4 KB, and
// assumes UTF-8 if they show no other set.
func NewReader(from io.Reader) *bufio.Reader {
	const bufferSize = 32 << 10
	in := bufio.NewReaderSize(from, bufferSize)
	head, _ := in.Peek(maxDeclaration) // whoever reads from the result gets the error
	found := ByMark(head)
	if found == nil && !isMultiByte(head) {
		found = byName(Declared(head))
	}
	if found == nil {
		return in
	}
	return bufio.NewReaderSize(found.NewDecoder().Reader(in), bufferSize)
}

// ByMark returns the character set that a byte order mark at the beginning names, or nil without a mark.
func ByMark(data []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return unicode.UTF8BOM
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)
	}
	return nil
}

// byName returns nil for an unknown name, and for UTF-8: a text that is not valid UTF-8 has another character set,
// whatever it declares.
func byName(name string) encoding.Encoding {
	found, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil || found == unicode.UTF8 || found == encoding.Replacement {
		return nil
	}
	return found
}

// isMultiByte reports whether the text has characters of several bytes in UTF-8, and at least ten of them for each byte
// that is invalid.
func isMultiByte(data []byte) bool {
	valid, invalid := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !utf8.FullRune(data[i:]) {
			break // the end cuts a character
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		} else {
			valid++
		}
		i += size
	}
	return valid > 0 && valid >= 10*invalid
}

func isASCII(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ByZeros returns the form of UTF-16 that a text without a byte order mark has, or nil. Every other byte of a Latin
// letter is zero.
func ByZeros(data []byte) encoding.Encoding {
	const maxSample = 64 << 10
	sample := data[:min(len(data), maxSample)]
	var zeros [2]int
	for i, c := range sample {
		if c == 0 {
			zeros[i%2]++
		}
	}
	few, many := len(sample)/20, (len(sample)*7+19)/20
	switch {
	case len(sample) < 4:
		return nil
	case zeros[1] >= many && zeros[0] <= few:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[0] >= many && zeros[1] <= few:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

// maxDeclaration is how far into a file a declaration may stand, in bytes.
const maxDeclaration = 4 << 10

var (
	metaCharset = lazyregexp.New(`(?i)<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)`)
	xmlEncoding = lazyregexp.New(`^<\?xml[^>]{0,100}encoding\s*=\s*["']([A-Za-z0-9_.:-]+)`)
)

// Declared returns the name of the character set that an HTML or XML file declares; empty if it declares none.
func Declared(data []byte) string {
	head := data[:min(len(data), maxDeclaration)]
	for _, pattern := range []*regexp.Regexp{xmlEncoding(), metaCharset()} {
		found := pattern.FindSubmatch(head)
		if found == nil {
			continue
		}
		name := strings.ToLower(string(found[1]))
		if strings.HasPrefix(name, "utf-16") {
			return "" // the declaration was readable as ASCII, so it is wrong
		}
		return name
	}
	return ""
}
