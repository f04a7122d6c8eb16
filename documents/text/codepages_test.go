package text_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"portside/documents/text"
)

// TestCodePagesOfTwoBytes reads texts in the ways in which programs write the bytes of such a code page.
func TestCodePagesOfTwoBytes(t *testing.T) {
	for _, test := range []struct {
		page, charset int
		from          encoding.Encoding
		text          string
	}{
		{932, 128, japanese.ShiftJIS, "請求書 ABC 表示 ﾐﾅﾄ 能"}, // with the trail bytes of "\\" and "}"
		{936, 134, simplifiedchinese.GBK, "发票 No. 7 合计"},
		{949, 129, korean.EUCKR, "청구서 7 합계"},
		{950, 136, traditionalchinese.Big5, "發票 7 功能"},
	} {
		raw, err := test.from.NewEncoder().String(test.text)
		if err != nil {
			t.Fatal(err)
		}
		all, high := escaped(raw)
		whole := fmt.Sprintf(`{\rtf1\ansi\ansicpg%d `, test.page)
		byFont := fmt.Sprintf(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset%d B;}}\f1 `, test.charset)
		for _, start := range []string{whole, byFont} {
			for _, content := range []string{all, high, raw} {
				if content == raw && strings.ContainsAny(raw, `\{}`) {
					continue
				}
				d, err := document(t, text.ReadRTF, start+content+`\par}`)
				if err != nil || d.Text() != test.text {
					t.Errorf("%s%s: got %q, %v; want %q", start, content, d.Text(), err, test.text)
				}
			}
		}
	}
}

// escaped writes both bytes of a character as digits (all), and only the first of them (high).
func escaped(raw string) (all, high string) {
	for i := range len(raw) {
		c := raw[i : i+1]
		isTrail := i > 0 && raw[i-1] >= 0x80 && raw[i] < 0x80 && !strings.ContainsRune(" ABC", rune(raw[i]))
		digits := fmt.Sprintf(`\'%02x`, raw[i])
		switch {
		case raw[i] >= 0x80:
			all, high = all+digits, high+digits
		case strings.ContainsRune(`\{}`, rune(raw[i])):
			all, high = all+digits, high+`\`+c
		case isTrail:
			all, high = all+digits, high+c
		default:
			all, high = all+c, high+c
		}
	}
	return all, high
}

// TestHalfCharactersEnd checks that half a character takes nothing of the text behind it.
func TestHalfCharactersEnd(t *testing.T) {
	d, err := document(t, text.ReadRTF, `{\rtf1\ansicpg932 one\'90\par two\par}`)
	if err != nil || d.Text() != "one\ntwo" {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}

func TestCommentsAndObjectsOfRTF(t *testing.T) {
	d, err := document(t, text.ReadRTF, `{\rtf1 The price{\*\atnid AB}{\*\atnauthor A B}\chatn {\*\annotation {\*\atnref 1}too high?} is 7.`+
		`{\*\annotation why?}{\object\objemb{\*\objclass Excel.Sheet.12}{\*\objdata 0105}{\result 1}}\par}`)
	want := "Comments (2) were left out. Embedded objects (1), such as a sheet in a letter, were not read. " +
		"Save each as a file and send it by itself."
	if got := strings.Join(d.Warnings, " "); err != nil || d.Text() != "The price is 7." || got != want {
		t.Errorf("got %q, %q, %v", d.Text(), got, err)
	}
}
