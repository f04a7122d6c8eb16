package text

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"portside/documents/lazyregexp"
)

// decode makes UTF-8 of a text. A byte order mark is believed first, then letters that are only right in UTF-8, then what the
// text or its sender says of the encoding, then statistics.
func decode(data []byte, declared string) string {
	if marked := byMark(data); marked != nil {
		return convert(data, marked)
	}
	if isMultiByte(data) {
		return string(data)
	}
	if named := byName(declared); named != nil {
		return convert(data, named)
	}
	if wide := byZeros(data); wide != nil {
		return convert(data, wide)
	}
	if isASCII(data) {
		return string(data)
	}
	return convert(data, byLetters(data))
}

func convert(data []byte, from encoding.Encoding) string {
	text, err := from.NewDecoder().Bytes(data)
	if err != nil { // decoders replace what they do not know, so this is half a letter at the end
		return strings.ToValidUTF8(string(text), "")
	}
	return string(text)
}

func byMark(data []byte) encoding.Encoding {
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

// byName is nil for a name that nobody knows, and for UTF-8: what is so called and is not, is looked at closer.
func byName(name string) encoding.Encoding {
	found, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil || found == unicode.UTF8 || found == encoding.Replacement {
		return nil
	}
	return found
}

// isMultiByte reports whether there are letters of several bytes in UTF-8, at least ten to each byte that is wrong.
func isMultiByte(data []byte) bool {
	right, wrong := 0, 0
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !utf8.FullRune(data[i:]) {
			break // a letter cut by the end
		}
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			wrong++
		} else {
			right++
		}
		i += size
	}
	return right > 0 && right >= 10*wrong
}

func isASCII(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// byZeros knows UTF-16 without a mark: in Latin letters, every other byte is zero.
func byZeros(data []byte) encoding.Encoding {
	sample := data[:min(len(data), 64<<10)]
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

var (
	metaCharset = lazyregexp.New(`(?i)<meta\s[^>]{0,200}charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)`)
	xmlEncoding = lazyregexp.New(`^<\?xml[^>]{0,100}encoding\s*=\s*["']([A-Za-z0-9_.:-]+)`)
)

// declaredIn finds what a page or an XML file says of its encoding.
func declaredIn(data []byte) string {
	start := data[:min(len(data), 4096)]
	for _, pattern := range []*regexp.Regexp{xmlEncoding(), metaCharset()} {
		if found := pattern.FindSubmatch(start); found != nil {
			name := strings.ToLower(string(found[1]))
			if strings.HasPrefix(name, "utf-16") {
				return "" // it was readable as ASCII, so it is not
			}
			return name
		}
	}
	return ""
}
