package tesseract

import (
	"image"
	"strconv"
	"strings"
)

// Columns of the table that GetTSVText returns, and the level of its rows that are words.
const (
	columnLevel, columnBlock, columnParagraph, columnLine = 0, 2, 3, 4
	columnLeft, columnTop, columnWidth, columnHeight      = 6, 7, 8, 9
	columnConfidence, columnText, columns                 = 10, 11, 12
	wordLevel                                             = "5"
)

// parseWords returns the words of a table. It ignores rows that are no words.
func parseWords(table string) []Word {
	var words []Word
	line, lineKey := 0, ""
	for row := range strings.Lines(table) {
		cells := strings.SplitN(strings.TrimSuffix(row, "\n"), "\t", columns)
		if len(cells) < columns || cells[columnLevel] != wordLevel || strings.TrimSpace(cells[columnText]) == "" {
			continue
		}
		key := strings.Join(cells[columnBlock:columnLine+1], " ")
		if key != lineKey {
			line, lineKey = line+1, key
		}
		left, top := number(cells[columnLeft]), number(cells[columnTop])
		words = append(words, Word{
			Text: cells[columnText], Line: line, Confidence: float64(min(max(number(cells[columnConfidence]), 0), 100)) / 100,
			Box: image.Rect(left, top, left+number(cells[columnWidth]), top+number(cells[columnHeight])),
		})
	}
	return words
}

// number returns the integer part of a number, or 0.
func number(cell string) int {
	cell, _, _ = strings.Cut(cell, ".")
	n, _ := strconv.Atoi(cell)
	return n
}
