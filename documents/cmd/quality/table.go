package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// table prints as Markdown with aligned columns. Its first line is the head.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// String is the table.
func (t table) String() string {
	widths := make([]int, len(t[0]))
	for _, line := range t {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(escaped(cell)))
		}
	}
	var text strings.Builder
	for n, line := range t {
		writeLine(&text, line, widths, " ")
		if n == 0 {
			writeLine(&text, make([]string, len(widths)), widths, "-")
		}
	}
	return text.String()
}

func writeLine(text *strings.Builder, cells []string, widths []int, fill string) {
	for i, cell := range cells {
		cell = escaped(cell)
		text.WriteString("|" + fill + cell + strings.Repeat(fill, widths[i]-utf8.RuneCountInString(cell)+1))
	}
	text.WriteString("|\n")
}

// escaped keeps a cell in its line and column.
func escaped(cell string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ⏎ ").Replace(cell)
}

// verdict is how a target was met.
func verdict(kept bool) string {
	if kept {
		return "ok"
	}
	return "MISS"
}

// percent is a share of a total, which is not zero. A set of a thousand values carries one decimal.
func percent(part, total int) string {
	return strconv.FormatFloat(100*float64(part)/float64(total), 'f', 1, 64) + " %"
}

// figure is a share between 0 and 1.
func figure(share float64) string { return strconv.FormatFloat(share, 'f', 4, 64) }
