package ses

import (
	"strings"
	"unicode/utf8"
)

// content is a text and the charset in which to send it.
type content struct{ Data, Charset string }

// charset returns the charset, by default ASCII as in SES.
func (c *content) charset() string {
	if c.Charset == "" {
		return "us-ascii"
	}
	return strings.ToLower(c.Charset)
}

func (c *content) check() error {
	if c == nil {
		return nil
	}
	switch c.charset() {
	case "us-ascii", "utf-8", "iso-8859-1":
		return nil
	}
	return badRequest("the local SES does not support the charset %.40q: use UTF-8", c.Charset)
}

// encoded returns the text in its charset. As in SES, characters that the charset lacks become
// question marks, so that a missing UTF-8 charset shows in local tests.
func (c *content) encoded() string {
	limit := rune(utf8.RuneSelf)
	switch c.charset() {
	case "utf-8":
		return c.Data
	case "iso-8859-1":
		limit = 0x100
	}
	out := make([]byte, 0, len(c.Data))
	for _, r := range c.Data {
		if r >= limit {
			r = '?'
		}
		out = append(out, byte(r))
	}
	return string(out)
}

// toUTF8 decodes text from a charset. For unknown charsets, it keeps valid UTF-8 and replaces the
// rest.
func toUTF8(charset, text string) string {
	switch strings.ToLower(charset) {
	case "iso-8859-1", "latin1", "windows-1252":
		out := make([]rune, 0, len(text))
		for _, b := range []byte(text) {
			out = append(out, rune(b))
		}
		return string(out)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
