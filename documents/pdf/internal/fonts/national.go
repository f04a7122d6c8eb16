package fonts

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// national is a predefined encoding of a composite font whose codes are those of a character set (ISO 32000-1, 9.7.5.2). Fonts
// that are not embedded have one.
type national struct {
	charset   encoding.Encoding
	highBits  byte // of each byte, to get from a set of seven bits to its form of eight bits
	texts     map[uint32]string
	isTwoByte bool // all codes have two bytes
}

// nationalSets are parts of the names of predefined encodings.
var nationalSets = []struct {
	part    string
	charset encoding.Encoding
}{
	{"UCS2", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)}, {"UTF16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	{"RKSJ", japanese.ShiftJIS}, {"GBK", simplifiedchinese.GB18030}, {"GBpc", simplifiedchinese.GB18030},
	{"GB-EUC", simplifiedchinese.GB18030}, {"B5", traditionalchinese.Big5}, {"KSC", korean.EUCKR}, {"EUC", japanese.EUCJP},
}

// nationalEncoding returns the encoding with a name, or nil for another one.
func nationalEncoding(name string) *national {
	base := strings.TrimSuffix(strings.TrimSuffix(name, "-H"), "-V")
	n := &national{texts: map[uint32]string{}}
	if name == "H" || name == "V" { // JIS X 0208
		n.charset, n.highBits, n.isTwoByte = japanese.EUCJP, 0x80, true
		return n
	}
	if base == name || strings.Contains(name, "Johab") || strings.HasPrefix(name, "CNS") || strings.HasPrefix(name, "GBT") {
		return nil
	}
	for _, s := range nationalSets {
		if strings.Contains(name, s.part) {
			n.charset, n.isTwoByte = s.charset, strings.HasPrefix(s.part, "U")
			return n
		}
	}
	return nil
}

// nextCode returns the first code of a string, and its length in bytes.
func (n *national) nextCode(raw []byte) (uint32, int) {
	length := 2
	isHalfWidth := n.charset == japanese.ShiftJIS && raw[0] >= 0xa0 && raw[0] <= 0xdf
	switch {
	case n.isTwoByte && raw[0]&^3 == 0xd8 && n.highBits == 0: // a character of two units
		length = 4
	case n.isTwoByte:
	case raw[0] <= 0x80 || isHalfWidth:
		length = 1
	case n.charset == simplifiedchinese.GB18030 && len(raw) > 1 && raw[1] >= '0' && raw[1] <= '9':
		length = 4
	case n.charset == japanese.EUCJP && raw[0] == 0x8f:
		length = 3
	}
	length = min(length, len(raw))
	return code(raw[:length]), length
}

// text returns the text of a code.
func (n *national) text(c uint32) string {
	if known, ok := n.texts[c]; ok {
		return known
	}
	raw := []byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)}
	from := 3
	for from > 0 && c>>(8*(4-from)) != 0 || n.isTwoByte && from > 2 {
		from--
	}
	raw = raw[from:]
	for i := range raw {
		raw[i] |= n.highBits
	}
	decoded, err := n.charset.NewDecoder().Bytes(raw)
	if err != nil {
		decoded = nil
	}
	text := strings.Trim(string(decoded), "\ufffd")
	n.texts[c] = text
	return text
}

// nationalWidth returns the width of a code. The Latin letters are narrow.
func nationalWidth(c uint32, widths map[uint32]float64, wide float64) float64 {
	if c > 0xff {
		return wide
	}
	if w, ok := widths[latinCID(c)]; ok {
		return w
	}
	return 0.5
}

// latinCID returns the CID of an ASCII character. It is the same in the character collections of Adobe for Chinese, Japanese and
// Korean.
func latinCID(c uint32) uint32 { return c - ' ' + 1 }
