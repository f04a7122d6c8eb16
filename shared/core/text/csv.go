package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// plainNumber matches texts that a spreadsheet takes for a number at most.
var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-][0-9]+(?:[.,][0-9]+)*$`) })

// CSVCell puts an apostrophe in front of a text that a spreadsheet would run as a formula, as OWASP's page on CSV
// injection recommends. Some spreadsheets skip spaces and invisible characters in front of a formula, or accept its
// first character in full width. Plain numbers stay numbers. The portal's web/core/csv.js has the same rules.
func CSVCell(text string) string {
	if plainNumber().MatchString(text) || !startsFormula(text) {
		return text
	}
	return "'" + text
}

// FromCSVCell returns the text from which CSVCell made a cell. A text that began with an apostrophe and a formula loses
// the apostrophe.
func FromCSVCell(cell string) string {
	if text, isMarked := strings.CutPrefix(cell, "'"); isMarked && startsFormula(text) &&
		!plainNumber().MatchString(text) {
		return text
	}
	return cell
}

// startsFormula also reports texts that begin with a tab or a new line, because OWASP lists these characters, too.
func startsFormula(text string) bool {
	visible := strings.TrimLeftFunc(text, func(c rune) bool { return unicode.In(c, unicode.Z, unicode.Cc, unicode.Cf) })
	invisible := strings.TrimSuffix(text, visible)
	return strings.ContainsAny(invisible, "\t\r\n") || strings.IndexAny(visible, "=+-@＝＋－＠") == 0
}
