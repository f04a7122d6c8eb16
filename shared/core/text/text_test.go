package text_test

import (
	"testing"

	"portside/shared/core/text"
)

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		max  int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"abcd", 1, "…"},
		{"a\xff\xfeb", 3, "a\uFFFDb"}, {"\xff", 1, "\uFFFD"},
	} {
		t.Run(c.text+" to "+c.want, func(t *testing.T) {
			if got := text.Shorten(c.text, c.max); got != c.want {
				t.Errorf("Shorten(%q, %d) is %q, want %q", c.text, c.max, got, c.want)
			}
		})
	}
}
