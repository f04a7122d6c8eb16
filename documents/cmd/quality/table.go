package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// table is printed as Markdown with aligned columns. Its first row is the header.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// String returns the table as Markdown.
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

// escaped escapes the characters that would break the table.
func escaped(cell string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ⏎ ").Replace(cell)
}

// verdict returns whether a target is met.
func verdict(kept bool) string {
	if kept {
		return "ok"
	}
	return "MISS"
}

// percent formats a share of a total, which must not be zero. One decimal is enough for a thousand values.
func percent(part, total int) string {
	return strconv.FormatFloat(100*float64(part)/float64(total), 'f', 1, 64) + " %"
}

// figure formats a share between 0 and 1.
func figure(share float64) string { return strconv.FormatFloat(share, 'f', 4, 64) }
