package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
)

// overlap holds how many words two texts have in common.
type overlap struct{ hits, got, want int }

// overlapOf counts each word as often as both texts have it.
func overlapOf(got, want []string) overlap {
	counts := map[string]int{}
	for _, w := range want {
		counts[w]++
	}
	hits := 0
	for _, w := range got {
		if counts[w] > 0 {
			counts[w]--
			hits++
		}
	}
	return overlap{hits, len(got), len(want)}
}

// recall returns the share of the wanted words that the text has.
func (o overlap) recall() float64 {
	if o.want == 0 {
		return 1
	}
	return float64(o.hits) / float64(o.want)
}

// f1 returns the harmonic mean of precision and recall.
func (o overlap) f1() float64 {
	if o.got+o.want == 0 {
		return 1
	}
	return 2 * float64(o.hits) / float64(o.got+o.want)
}

// tokens returns the strings between spaces that have a letter or a digit. Bullets do not count, because a list item
// has its kind instead.
func tokens(text string) []string {
	var found []string
	for w := range strings.FieldsSeq(norm.NFKC.String(documents.Clean(text))) {
		if strings.ContainsFunc(w, inWord) {
			found = append(found, w)
		}
	}
	return found
}

// words returns the runs of letters and digits. Punctuation does not count, because programs format list numbers and
// cells differently.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(documents.Clean(text)), func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// joinHyphens joins words that pdftotext leaves hyphenated at the end of a line. The PDF reader joins them too.
func joinHyphens(text string) string {
	lines := strings.Split(strings.NewReplacer("\f", "\n", "\u2010", "-").Replace(text), "\n")
	var out strings.Builder
	for i, line := range lines {
		stem, cut := strings.CutSuffix(line, "-")
		if cut && i+1 < len(lines) && endsInWord(stem) && strings.IndexFunc(lines[i+1], unicode.IsLower) == 0 {
			out.WriteString(stem)
			continue
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// endsInWord reports whether a line ends in a word of letters only. A word with a hyphen or a digit in it keeps its
// hyphen.
func endsInWord(line string) bool {
	before := strings.TrimRightFunc(line, unicode.IsLetter)
	return before != line && (before == "" || strings.HasSuffix(before, " "))
}
