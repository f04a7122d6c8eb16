package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"portside/documents"
)

// overlap is how the words of two texts agree.
type overlap struct{ hits, got, want int }

// overlapOf counts each word as often as it stands in both.
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

// recall is the share of the wanted words that are there.
func (o overlap) recall() float64 {
	if o.want == 0 {
		return 1
	}
	return float64(o.hits) / float64(o.want)
}

// f1 is the harmonic mean of precision and recall.
func (o overlap) f1() float64 {
	if o.got+o.want == 0 {
		return 1
	}
	return 2 * float64(o.hits) / float64(o.got+o.want)
}

// tokens are what stands between spaces and has a letter or a digit: a list item says by its kind what a bullet says.
func tokens(text string) []string {
	var found []string
	for w := range strings.FieldsSeq(norm.NFKC.String(documents.Clean(text))) {
		if strings.ContainsFunc(w, inWord) {
			found = append(found, w)
		}
	}
	return found
}

// words are runs of letters and digits, whatever marks stand between them: programs put numbers of lists and formats of
// cells differently.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(documents.Clean(text)), func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// joinHyphens joins the words that pdftotext leaves broken at the end of a line, as a reader of PDF has to.
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

// endsInWord reports whether a line ends in a word of letters only: one with a hyphen or a digit inside keeps its hyphen.
func endsInWord(line string) bool {
	before := strings.TrimRightFunc(line, unicode.IsLetter)
	return before != line && (before == "" || strings.HasSuffix(before, " "))
}
