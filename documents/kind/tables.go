package kind

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/lazyregexp"
)

// Signs of Markdown.
var (
	atxHeading = lazyregexp.New(`(?m)^#{1,6} +[^\s#].*$`)
	firstTitle = lazyregexp.New(`\A# +\S.*\r?\n\s*\r?\n`)
	tableRule  = lazyregexp.New(`(?m)^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+\|?\s*$`)
	fence      = lazyregexp.New("(?m)^\\s{0,3}```")
	inlineLink = lazyregexp.New(`\[[^\]\n]{1,200}\]\((?:https?://|mailto:|/|\.|#)[^)\s]*\)`)
	strong     = lazyregexp.New(`\*\*[^*\s][^*\n]{0,200}\*\*`)
	bullets    = lazyregexp.New(`(?m)^\s{0,6}[-*+] +\S`)
	setext     = lazyregexp.New(`(?m)^[^\s-=].{0,100}\r?\n(?:={3,}|-{3,})\s*$`)
	frontLine  = lazyregexp.New(`\A---\r?\n(?:[A-Za-z_][\w -]*:.*\r?\n|[ \t]+.*\r?\n|- .*\r?\n)+(?:---|\.\.\.)\r?\n`)
)

// enoughMarkdown is the score from which a text counts as Markdown. A title reaches it alone; a list or a line that
// begins with "#" does not.
const enoughMarkdown = 3

func isMarkdown(text string) bool {
	score := min(2*len(inlineLink().FindAllStringIndex(text, 2)), 3) + min(len(fence().FindAllStringIndex(text, 4))/2*2, 4)
	for _, sign := range []struct {
		pattern func() *regexp.Regexp
		times   int // matches that it takes
		score   int
	}{
		{firstTitle, 1, 3},
		{frontLine, 1, 3},
		{tableRule, 1, 3},
		{atxHeading, 1, 1},
		{atxHeading, 3, 1},
		{strong, 1, 1},
		{bullets, 2, 1},
		{setext, 1, 1},
	} {
		if len(sign.pattern().FindAllStringIndex(text, sign.times)) == sign.times {
			score += sign.score
		}
	}
	return score >= enoughMarkdown && !strings.HasPrefix(text, "#!")
}

// isCSV reports whether the text has rows of equal length with one of the usual separators, and does not read like
// prose.
func isCSV(text string, whole bool) bool {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(strings.ToLower(first), "sep=") {
		return true
	}
	for _, comma := range separators {
		rows := records(text, comma, whole)
		if areTable(rows, comma) || hasOtherHeader(rows, whole) && areTable(rows[1:], comma) {
			return true
		}
	}
	return false
}

var separators = []byte{'\t', ';', ',', '|'}

// hasOtherHeader reports whether the first row has as many names as the second has cells, but with another separator.
func hasOtherHeader(rows [][]string, whole bool) bool {
	return len(rows) > 2 && len(rows[0]) == 1 && len(rows[1]) > 2 && slices.ContainsFunc(separators, func(comma byte) bool {
		header := records(rows[0][0]+"\n", comma, whole)
		return len(header) == 1 && len(header[0]) == len(rows[1])
	})
}

// records splits the beginning of a text into rows. Quoted cells may contain separators and line breaks.
func records(text string, comma byte, whole bool) [][]string {
	const maxRows = 200
	var rows [][]string
	var row []string
	start, quoted := 0, false
	for i := 0; i < len(text) && len(rows) < maxRows; i++ {
		switch c := text[i]; {
		case c == '"' && (quoted || i == start):
			quoted = !quoted
		case c == '"' && i > start && text[i-1] == '"' && text[start] == '"':
			quoted = true
		case quoted:
		case c == comma:
			row = append(row, text[start:i])
			start = i + 1
		case c == '\n':
			rows = append(rows, append(row, strings.TrimRight(text[start:i], "\r")))
			row, start = nil, i+1
		}
	}
	if whole && len(rows) < maxRows && start < len(text) {
		rows = append(rows, append(row, text[start:]))
	}
	return rows
}

// areTable reports whether enough rows have the same number of cells, and do not read like prose.
func areTable(rows [][]string, comma byte) bool {
	counts := make(map[int]int)
	filled, cells := 0, 0
	for _, row := range rows {
		if len(row) == 1 && strings.TrimSpace(row[0]) == "" {
			continue
		}
		filled++
		counts[len(row)]++
	}
	usual := 0
	for count, times := range counts {
		if times > usual || times == usual && count > cells {
			usual, cells = times, count
		}
	}
	if cells < 2 || usual < 2 || cells == 2 && usual < 3 && comma != '\t' || usual*10 < filled*tolerance(cells) {
		return false
	}
	return len(rows)-filled <= filled/5 && !likeProse(rows, cells)
}

// tolerance returns how many rows in ten must have the same number of cells. Many columns are no coincidence, so some
// of their rows may differ.
func tolerance(cells int) int {
	if cells >= 4 {
		return 7
	}
	return 9
}

// likeProse reports whether more than a fifth of the rows look like sentences: they end with a full stop, continue in
// lower case after a comma and a space, begin with an indent, or have long cells.
func likeProse(rows [][]string, cells int) bool {
	prose := 0
	for _, row := range rows {
		if len(row) == cells && isProse(row) {
			prose++
		}
	}
	return prose*5 > len(rows)
}

func isProse(row []string) bool {
	last := strings.TrimSpace(row[len(row)-1])
	sentence := strings.HasSuffix(last, ".") && strings.Contains(last, " ") || strings.HasSuffix(last, "!") ||
		strings.HasSuffix(last, "?")
	if sentence || row[0] == "" && last != "" && len(row) == 2 {
		return true
	}
	for i, cell := range row {
		if strings.HasPrefix(cell, `"`) {
			continue
		}
		if len(cell) > 200 || i > 0 && continues(cell) {
			return true
		}
	}
	return false
}

// continues reports whether the cell begins like the rest of a sentence after a comma.
func continues(cell string) bool {
	if !strings.HasPrefix(cell, " ") || strings.Count(cell, " ") < 2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(cell[1:])
	return unicode.IsLower(first)
}
