package tracks

import (
	"html"
	"iter"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"portside/documents/charset"
)

// tagged returns the text of a WebVTT or SubRip cue without tags and with entities decoded. The name of a speaker comes
// before the text.
func tagged(text string) string {
	var out strings.Builder
	for plain, tag := range marked(text, "<>", isTag) {
		out.WriteString(plain)
		out.WriteString(voice(tag))
	}
	return html.UnescapeString(overridden(out.String()))
}

// isTag reports whether something in angle brackets is a tag or a time rather than text.
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

// scripted returns the text of an SSA or ASS event without its markup.
func scripted(text string) string {
	return strings.NewReplacer(`\N`, "\n", `\n`, " ", `\h`, " ").Replace(overridden(text))
}

// overridden drops SSA overrides, such as {\an8}, and the drawings that some of them begin. SubRip files have them too.
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

// marked splits text at marks between two brackets. It yields the text before each mark, and the mark. Brackets that
// are not a mark stay in the text.
func marked(text, brackets string, isMark func(string) bool) iter.Seq2[string, string] {
	const maxMark = 500 // bytes; otherwise each open bracket would cause a search to the end
	return func(yield func(plain, mark string) bool) {
		from := 0
		for at := 0; at < len(text); at++ {
			if text[at] != brackets[0] {
				continue
			}
			mark, _, closed := strings.Cut(text[at+1:min(len(text), at+maxMark)], brackets[1:])
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

// decoded converts a text to UTF-8. Texts without a byte order mark that are not UTF-8 come from old Macintosh
// programs.
func decoded(data []byte) string { return charset.DecodeOr(data, charmap.Macintosh) }
