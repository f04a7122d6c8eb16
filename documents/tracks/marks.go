package tracks

import (
	"html"
	"iter"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// decoded makes text of bytes that are UTF-8, UTF-16 with its mark, or else those of old Macintosh programs.
func decoded(data []byte) string {
	switch {
	case len(data) >= 2 && data[0] == 0xfe && data[1] == 0xff:
		return wideText(data[2:], 0)
	case len(data) >= 2 && data[0] == 0xff && data[1] == 0xfe:
		return wideText(data[2:], 1)
	case utf8.Valid(data):
		return string(data)
	}
	var out strings.Builder
	high := []rune(macRoman)
	for _, b := range data {
		if b < utf8.RuneSelf {
			out.WriteByte(b)
		} else {
			out.WriteRune(high[b-utf8.RuneSelf])
		}
	}
	return out.String()
}

// wideText decodes UTF-16 whose low bytes are at that place of each pair; 0 where the high ones come first.
func wideText(data []byte, high int) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+high])<<8 | uint16(data[2*i+1-high])
	}
	return string(utf16.Decode(units))
}

// macRoman has the characters from 0x80.
const macRoman = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø" +
	"¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
