package plain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/lazyregexp"
)

var (
	wideGap   = lazyregexp.New(`\S(?: {2,}|\s*\t\s*)\S`)
	tableRule = lazyregexp.New(`^[\s|+:=-]*[-=]{2,}[\s|+:=-]*$`)
)

// looksTabular reports whether a line has gaps or bars that may separate cells.
func looksTabular(line string) bool {
	line = strings.TrimSpace(line)
	return wideGap().MatchString(line) || isBarred(line)
}

func isBarred(line string) bool {
	return len(line) > 2 && line[0] == '|' && line[len(line)-1] == '|' || len(line) > 2 && line[0] == '+' && line[len(line)-1] == '+'
}

// tableOf returns the rows of the table that the lines begin with, and how many lines look like a table. It returns no
// rows for a single line, and for lines without common columns.
func tableOf(lines []string) (rows []documents.Block, count int) {
	content, ruled := make([]string, 0, 8), -1
	for _, line := range lines {
		isRule := tableRule().MatchString(line)
		if !isRule && !looksTabular(line) || isRule && len(content) == 0 && !isBarred(strings.TrimSpace(line)) {
			break
		}
		count++
		switch {
		case !isRule:
			content = append(content, line)
		case ruled < 0 && len(content) > 0:
			ruled = len(content)
		}
	}
	if len(content) < 2 {
		return nil, count
	}
	cells := barredCells(content)
	if cells == nil {
		cells = tabbedCells(content)
	}
	if cells == nil {
		cells = alignedCells(content)
	}
	if cells == nil {
		return nil, count
	}
	return tableRows(cells, ruled == 1), count
}

// tableRows returns the cells as rows. The first is a header if a rule follows it, or if it is the only row without
// figures.
func tableRows(cells [][]string, ruled bool) []documents.Block {
	header := ruled || hasHeader(cells)
	rows := make([]documents.Block, len(cells))
	for i, row := range cells {
		rows[i] = documents.Block{Kind: documents.Row, Cells: make([]documents.Cell, 0, len(row))}
		for column, text := range row {
			rows[i].Cells = append(rows[i].Cells, documents.Cell{Text: text, Column: column, Header: header && i == 0})
		}
	}
	return rows
}

// hasHeader reports whether the first row has different names and is above a column with figures.
func hasHeader(rows [][]string) bool {
	if len(rows) < 2 || !areNames(rows[0]) {
		return false
	}
	const sample = 50
	for column := range rows[0] {
		figures, filled := 0, 0
		below := rows[1:min(len(rows), sample)]
		for _, row := range below {
			if column >= len(row) || strings.TrimSpace(row[column]) == "" {
				continue
			}
			filled++
			if strings.ContainsFunc(row[column], unicode.IsDigit) {
				figures++
			}
		}
		if figures*2 > filled {
			return true
		}
	}
	return false
}

// areNames reports whether the cells may name columns: none is a figure or ends with a colon, no two are equal, few are
// empty.
func areNames(row []string) bool {
	seen := make(map[string]bool, len(row))
	empty := 0
	for _, text := range row {
		text = strings.ToLower(strings.TrimSpace(text))
		switch {
		case text == "":
			empty++
		case seen[text] || strings.HasSuffix(text, ":") || isFigure(text):
			return false
		}
		seen[text] = true
	}
	return empty < len(row) && empty <= 1+len(row)/4
}

// isFigure reports whether a cell has more digits than letters.
func isFigure(text string) bool {
	digits, letters := 0, 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		} else if unicode.IsLetter(r) {
			letters++
		}
	}
	return digits > letters
}

// barredCells splits lines at bars.
func barredCells(lines []string) [][]string {
	cells := make([][]string, len(lines))
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line[0] != '|' || !isBarred(line) {
			return nil
		}
		cells[i] = strings.Split(line[1:len(line)-1], "|")
	}
	return cells
}

var tabs = lazyregexp.New(`\s*\t\s*`)

// tabbedCells splits lines at each tab if that gives rows of equal length, otherwise at each run of tabs.
func tabbedCells(lines []string) [][]string {
	single, runs := make([][]string, len(lines)), make([][]string, len(lines))
	for i, line := range lines {
		if !strings.Contains(strings.TrimSpace(line), "\t") {
			return nil
		}
		single[i] = strings.Split(line, "\t")
		runs[i] = tabs().Split(strings.TrimSpace(line), -1)
	}
	if alike(single) {
		return single
	}
	return runs
}

func alike(rows [][]string) bool {
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			return false
		}
	}
	return true
}

var spaces = lazyregexp.New(` {2,}`)

// alignedCells splits the lines where at least two columns of characters are blank in all of them. Lines without such
// columns are a table if gaps split each into the same number of cells.
func alignedCells(lines []string) [][]string {
	const maxWidth = 400
	taken := make([]bool, maxWidth)
	for _, line := range lines {
		if utf8.RuneCountInString(line) > maxWidth || strings.Contains(line, "\t") {
			return nil
		}
		column := 0
		for _, r := range line {
			taken[column] = taken[column] || !unicode.IsSpace(r)
			column++
		}
	}
	if cuts := gutters(taken); len(cuts) > 0 {
		return cutAt(lines, cuts)
	}
	parted := make([][]string, len(lines))
	for i, line := range lines {
		parted[i] = spaces().Split(strings.TrimSpace(line), -1)
	}
	if len(parted) >= 3 && alike(parted) {
		return parted
	}
	return nil
}

// gutters returns the ends of the blank columns between taken columns.
func gutters(taken []bool) []int {
	var cuts []int
	blank, begun := 0, false
	for column, used := range taken {
		if !used {
			blank++
			continue
		}
		if begun && blank >= 2 {
			cuts = append(cuts, column)
		}
		begun, blank = true, 0
	}
	return cuts
}

func cutAt(lines []string, cuts []int) [][]string {
	cells := make([][]string, len(lines))
	for i, line := range lines {
		runes := []rune(line)
		from := 0
		for _, cut := range append(slices.Clip(cuts), len(runes)) {
			cut = max(from, min(cut, len(runes)))
			cells[i] = append(cells[i], strings.TrimSpace(string(runes[from:cut])))
			from = cut
		}
	}
	return cells
}
