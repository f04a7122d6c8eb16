package pdf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"portside/documents"
	"portside/documents/pdf"
)

// TestBuiltInEncoding reads a text whose codes only the font program explains.
func TestBuiltInEncoding(t *testing.T) {
	program := stream("", "%!PS-AdobeFont-1.0: Own\n/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for dup 1/H put "+
		"dup 2/a put dup 11/ff put dup 14/e put dup 65/n put readonly def")
	const text = "BT /F1 12 Tf 50 700 Td (\x01\x02\x0b\x0eA) Tj ET"
	for name, font := range map[string]string{
		"no encoding":      "",
		"only differences": "/Encoding<</Differences[14/e]>>",
		"map of arrows":    "/ToUnicode 6 0 R",
	} {
		t.Run(name, func(t *testing.T) {
			toUnicode := stream("", "5 beginbfchar <01> <0048> <02> <0061> <0B> <2191> <0E> <0065> <41> <006E> endbfchar")
			d, err := read(t, pageWith(text, "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Own"+font+
				"/FirstChar 0/Widths["+strings.Repeat("500 ", 66)+"]/FontDescriptor<</FontFile 5 0 R>>>>>>", "", program, toUnicode))
			if err != nil || d.Text() != "Haffen" {
				t.Errorf("got %q, %v", d.Text(), err)
			}
		})
	}
}

// national are texts in fonts that are not embedded: the name of their encoding, and their character set.
var national = map[string]struct {
	text    string
	charset encoding.Encoding
}{
	"90ms-RKSJ-H":   {"請求書 ﾐﾅﾄ No. 12 合計 3,400円", japanese.ShiftJIS},
	"90pv-RKSJ-H":   {"港の灯台", japanese.ShiftJIS},
	"EUC-H":         {"納品書 ABC 港 2026", japanese.EUCJP},
	"GBK-EUC-H":     {"发票 12 号 合计 3400 元", simplifiedchinese.GBK},
	"GB-EUC-H":      {"港口办公室", simplifiedchinese.GBK},
	"GBK2K-H":       {"灯塔㐀 7", simplifiedchinese.GB18030},
	"ETen-B5-H":     {"發票 12 號 合計", traditionalchinese.Big5},
	"KSCms-UHC-H":   {"청구서 12 합계 3,400원", korean.EUCKR},
	"UniJIS-UCS2-H": {"請求書 12", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
	"UniGB-UTF16-H": {"港口 𠀀 12", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
}

func TestFontsThatAreNotEmbedded(t *testing.T) {
	for name, test := range national {
		t.Run(name, func(t *testing.T) {
			raw, err := test.charset.NewEncoder().String(test.text)
			if err != nil {
				t.Fatal(err)
			}
			d, err := read(t, pageWith(fmt.Sprintf("BT /F1 12 Tf 50 700 Td <%x> Tj ET", raw), composite(name, "Own"), ""))
			if err != nil || d.Text() != test.text || len(d.Warnings) > 0 {
				t.Errorf("got %q, %v, %v; want %q", d.Text(), d.Warnings, err, test.text)
			}
		})
	}
}

// composite returns the resource of a composite font.
func composite(encodingName, ordering string) string {
	return "/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/" + encodingName +
		"/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Own/CIDSystemInfo<</Ordering(" + ordering + ")>>>>]>>>>"
}

// TestEncodingOfSevenBits reads JIS X 0208 in its form without high bits.
func TestEncodingOfSevenBits(t *testing.T) {
	raw, err := japanese.EUCJP.NewEncoder().String("請求書")
	if err != nil {
		t.Fatal(err)
	}
	low := []byte(raw)
	for i := range low {
		low[i] &= 0x7f
	}
	d, err := read(t, pageWith(fmt.Sprintf("BT /F1 12 Tf 50 700 Td <%x> Tj ET", low), composite("H", "Japan1"), ""))
	if err != nil || d.Text() != "請求書" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

// TestFontsWithoutCharacters reads text whose font names glyphs by numbers. The first numbers of the character collections
// are Latin.
func TestFontsWithoutCharacters(t *testing.T) {
	const number, unknown = "<000F00220031>", "<0400040104020403>" // "." "A" "P", and letters without a name
	for _, test := range []struct{ name, content, ordering, text, warning string }{
		{"Latin letters", number, "Japan1", ".AP", ""},
		{"another collection", number, "Identity", "", "fonts that do not say which characters they show"},
		{"only unknown letters", unknown, "Japan1", "", "fonts that do not say which characters they show"},
		{"mostly unknown letters", strings.Repeat(unknown+" Tj ", 10) + number, "Japan1", ".AP", "fonts that do not say"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
			file := pageWith("BT /F1 12 Tf 50 700 Td "+test.content+" Tj ET", composite("Identity-H", test.ordering), "")
			d, err := b.Finish(pdf.Read(t.Context(), documents.FromBytes(file), b))
			if test.text == "" {
				if !errors.Is(err, documents.ErrNoText) || !strings.Contains(documents.AsError(err).Message, test.warning) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || d.Text() != test.text || !strings.Contains(strings.Join(d.Warnings, " "), test.warning) {
				t.Errorf("got %q, %v, %v", d.Text(), d.Warnings, err)
			}
		})
	}
}
