package pdf_test

import (
	"strings"
	"testing"
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
