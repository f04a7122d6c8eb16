package layout

import "testing"

func TestReadingOrder(t *testing.T) {
	page := readingFrame{isRightToLeft: true}
	for drawn, want := range map[string]string{
		"םולש": "שלום", ":םולש": "שלום:", "1,020.00": "1,020.00", "A4-תפיל": "ליפת-A4", "Ltd.": ".Ltd", "ﺎﺒﺣﺮﻣ": "مرحبا",
	} {
		t.Run(drawn, func(t *testing.T) {
			if got := page.readingOrder(drawn); got != want {
				t.Errorf("%q: got %q, want %q", drawn, got, want)
			}
		})
	}
	if got := (readingFrame{}).readingOrder("םולש,"); got != "שלום," {
		t.Errorf("on a page from left to right: got %q", got)
	}
}

// FuzzReadingOrder checks that the drawing order of a text has its letters, and that its reading order is the text
// again.
func FuzzReadingOrder(f *testing.F) {
	for _, text := range []string{"שלום", "ab שלום 12", "לא", "1,020.00 ₪", "مرحبا(a)", "\u05d0\u0301", "א1ב2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = string([]rune(text)) // invalid bytes become replacement characters
		page := readingFrame{isRightToLeft: true}
		if again := page.reorder(page.reorder(text)); again != text {
			t.Errorf("%q becomes %q", text, again)
		}
	})
}
