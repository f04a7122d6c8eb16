package tracks

import (
	"html"
	"iter"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"portside/documents/charset"
)

// tagged returns the words of a WebVTT or SubRip cue: without tags, and with what entities stand for. Whose voice it is, is
// put before the words.
func tagged(text string) string {
	var out strings.Builder
	for plain, tag := range marked(text, "<>", isTag) {
		out.WriteString(plain)
		out.WriteString(voice(tag))
	}
	return html.UnescapeString(overridden(out.String()))
}

// isTag tells tags and times from a "<" that is meant.
func isTag(tag string) bool {
	tag = strings.TrimPrefix(tag, "/")
	if tag == "" || strings.Contains(tag, "\n") {
		return false
	}
	first := tag[0] | ' '
	return first >= 'a' && first <= 'z' || tag[0] >= '0' && tag[0] <= '9' && strings.Contains(tag, ":")
}

// voice returns the name in a tag such as "v.loud Ana".
func voice(tag string) string {
	kind, name, _ := strings.Cut(tag, " ")
	if kind, _, _ = strings.Cut(kind, "."); kind != "v" || name == "" {
		return ""
	}
	return name + ": "
}

// scripted returns the words of the text of an SSA or ASS event.
func scripted(text string) string {
	return strings.NewReplacer(`\N`, "\n", `\n`, " ", `\h`, " ").Replace(overridden(text))
}

// overridden drops the overrides of SSA, which SubRip files have too, such as {\an8}, and the drawings that some begin.
func overridden(text string) string {
	if !strings.Contains(text, `{\`) {
		return text
	}
	var out strings.Builder
	drawing := false
	for plain, block := range marked(text, "{}", func(block string) bool { return strings.Contains(block, `\`) }) {
		if !drawing {
			out.WriteString(plain)
		}
		for command := range strings.SplitSeq(block, `\`) {
			if len(command) > 1 && command[0] == 'p' && command[1] >= '0' && command[1] <= '9' {
				drawing = command[1] != '0'
			}
		}
	}
	return out.String()
}

// marked cuts text at the marks between the two brackets: it yields what is before each mark, and the mark. What is no mark
// stays in the text.
func marked(text, brackets string, isMark func(string) bool) iter.Seq2[string, string] {
	const longest = 500 // so that brackets which nobody closes are not searched for to the end, each anew
	return func(yield func(plain, mark string) bool) {
		from := 0
		for at := 0; at < len(text); at++ {
			if text[at] != brackets[0] {
				continue
			}
			mark, _, closed := strings.Cut(text[at+1:min(len(text), at+longest)], brackets[1:])
			if !closed || !isMark(mark) {
				continue
			}
			if !yield(text[from:at], mark) {
				return
			}
			at += len(mark) + 1
			from = at + 1
		}
		yield(text[from:], "")
	}
}

// decoded returns text in UTF-8 of bytes that are UTF-8, UTF-16 with its mark, or else come from old Macintosh programs.
func decoded(data []byte) string { return charset.DecodeOr(data, charmap.Macintosh) }
