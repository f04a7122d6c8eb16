package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

func isPageElement(name string) bool {
	tag := atom.Lookup([]byte(strings.ToLower(name)))
	return isBlock[tag] || isUnseen[tag]
}

func isVoidElement(name string) bool { return isVoid[atom.Lookup([]byte(strings.ToLower(name)))] }

// inline takes the marks out of one text. Every byte that is no letter of the text is marked as dropped, in one pass with stacks,
// so that no text takes more time than its length.
type inline struct {
	text     string
	drop     []bool
	emphasis map[byte][]run
	brackets []int
}

// run is a row of equal marks of emphasis that wait for their other end.
type run struct{ at, length int }

// unmarked takes emphasis, links, pictures and backslashes out of a text without code.
func unmarked(text string) string {
	if !strings.ContainsAny(text, "\\*_~[") {
		return text
	}
	in := inline{text: text, drop: make([]bool, len(text)), emphasis: map[byte][]run{}}
	for i := 0; i < len(text); {
		i = in.step(i)
	}
	var out strings.Builder
	for i := range len(text) {
		if !in.drop[i] {
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

func (in *inline) step(i int) int {
	switch c := in.text[i]; c {
	case '\\':
		if i+1 < len(in.text) && strings.IndexByte(escapedSet, in.text[i+1]) >= 0 {
			in.drop[i] = true
			return i + 2
		}
	case '*', '_', '~':
		return in.mark(i)
	case '[':
		in.brackets = append(in.brackets, i)
	case ']':
		return in.link(i)
	}
	return i + 1
}

func runLength(text string, i int) int {
	n := 1
	for i+n < len(text) && text[i+n] == text[i] {
		n++
	}
	return n
}

func (in *inline) cut(from, to int) {
	for i := from; i < to; i++ {
		in.drop[i] = true
	}
}

// mark pairs marks of emphasis: an opening one has no space after it, a closing one none before.
func (in *inline) mark(i int) int {
	c, n := in.text[i], runLength(in.text, i)
	before, _ := utf8.DecodeLastRuneInString(in.text[:i])
	after, _ := utf8.DecodeRuneInString(in.text[i+n:])
	opens := i+n < len(in.text) && !unicode.IsSpace(after)
	closes := i > 0 && !unicode.IsSpace(before)
	if c == '_' && isWord(before) && isWord(after) || c == '~' && n != 2 {
		return i + n
	}
	left := n
	for stack := in.emphasis[c]; closes && left > 0 && len(stack) > 0; stack = in.emphasis[c] {
		last := &stack[len(stack)-1]
		both := min(left, last.length)
		in.cut(i+n-left, i+n-left+both)
		in.cut(last.at+last.length-both, last.at+last.length)
		left, last.length = left-both, last.length-both
		if last.length == 0 {
			in.emphasis[c] = stack[:len(stack)-1]
		}
	}
	if opens && left > 0 {
		in.emphasis[c] = append(in.emphasis[c], run{i + n - left, left})
	}
	return i + n
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// link drops all of a link but its text, and all of a picture.
func (in *inline) link(i int) int {
	const longest = 2000
	if len(in.brackets) == 0 {
		return i + 1
	}
	from := in.brackets[len(in.brackets)-1]
	in.brackets = in.brackets[:len(in.brackets)-1]
	if i+1 >= len(in.text) {
		return i + 1
	}
	closing := map[byte]string{'(': ")", '[': "]"}[in.text[i+1]]
	if closing == "" {
		return i + 1
	}
	end := strings.Index(in.text[i+2:min(len(in.text), i+2+longest)], closing)
	if end < 0 {
		return i + 1
	}
	end += i + 3
	if from > 0 && in.text[from-1] == '!' {
		in.cut(from-1, end)
		return end
	}
	in.drop[from] = true
	in.cut(i, end)
	return end
}
