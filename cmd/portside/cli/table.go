package cli

import (
	"io"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// columnGap is the space between columns.
const columnGap = "  "

// The sequences that switch the colors of a terminal.
const (
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	plain  = "\x1b[0m"
)

// stateColors are the colors of cells that say in which state something is.
var stateColors = map[string]string{
	"active": green, "approved": green, "collected": green, "completed": green,
	"pending": yellow, "draft": yellow, "on_hold": yellow, "inactive": yellow,
	"suspended": red, "denied": red, "expired": red, "revoked": red,
}

// writeTable writes titles and rows in aligned columns.
func writeTable(w io.Writer, titles []string, rows [][]string, hasColors bool) error {
	t := table{widths: columnWidths(append([][]string{titles}, rows...)), hasColors: hasColors}
	t.write(titles, func(int, string) string { return bold })
	for _, row := range rows {
		t.write(row, func(_ int, cell string) string { return stateColors[cell] })
	}
	_, err := io.WriteString(w, t.text.String())
	return err
}

// writeFields writes a title and a value on each line.
func writeFields(w io.Writer, rows [][]string, hasColors bool) error {
	t := table{widths: columnWidths(rows), hasColors: hasColors}
	for _, row := range rows {
		t.write(row, func(column int, cell string) string {
			if column == 0 {
				return bold
			}
			return stateColors[cell]
		})
	}
	_, err := io.WriteString(w, t.text.String())
	return err
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], runewidth.StringWidth(Printable(cell)))
		}
	}
	return widths
}

// table is a table that is being written.
type table struct {
	widths    []int
	hasColors bool
	text      strings.Builder
}

func (t *table) write(cells []string, colorOf func(column int, cell string) string) {
	var line strings.Builder
	for i, cell := range cells {
		cell = Printable(cell)
		padding := strings.Repeat(" ", t.widths[i]-runewidth.StringWidth(cell))
		if color := colorOf(i, cell); t.hasColors && color != "" {
			cell = color + cell + plain
		}
		line.WriteString(cell + padding + columnGap)
	}
	t.text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// Printable returns a text without the characters that could control a terminal or hide a part of the text, such as
// those in the User-Agent of a stranger.
func Printable(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c):
			return '\uFFFD'
		}
		return c
	}, text)
}
