package plain

import (
	"strings"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/text/internal/page"
)

// ReadCSV reads a table of values.
func ReadCSV(to page.Page, data []byte) error {
	return values(to, charset.Decode(data, ""))
}

func values(to page.Page, text string) error {
	text = strings.TrimLeft(text, "\ufeff")
	s := &separated{text: text}
	if first, rest, ok := strings.Cut(text, "\n"); ok && isSeparatorLine(first) {
		s.text, s.comma, s.quote = rest, first[4], '"'
	} else {
		s.comma, s.quote = dialect(text[:min(len(text), 64<<10)])
	}
	t := csvTable{to: to, quote: s.quote}
	for {
		row, ok := s.next()
		if !ok {
			return t.end()
		}
		if err := t.row(row); err != nil {
			return err
		}
	}
}

func isSeparatorLine(line string) bool {
	return len(strings.TrimRight(line, "\r")) == 5 && strings.EqualFold(line[:4], "sep=")
}

// csvTable holds the first rows back until it knows whether they begin with a header.
type csvTable struct {
	to    page.Page
	quote byte
	first [][]string
	begun bool
	run   page.Table
}

func (t *csvTable) row(row []string) error {
	const maxFirst = 20
	if isBlank(row) {
		return t.end()
	}
	if t.begun {
		return t.add(row, false)
	}
	t.first = append(t.first, row)
	if len(t.first) < maxFirst {
		return nil
	}
	return t.begin()
}

// begin adds the rows that were held back.
func (t *csvTable) begin() error {
	t.begun, t.run = true, page.Table{}
	width := 0
	for _, row := range t.first {
		width = max(width, len(row))
	}
	t.splitHeader()
	for len(t.first) > 1 && width > 1 && filled(t.first[0]) == 1 {
		if err := t.to.Add(documents.Block{Kind: documents.Paragraph, Text: strings.Join(t.first[0], " ")}); err != nil {
			return err
		}
		t.first = t.first[1:]
	}
	header := len(t.first) > 1 && areNames(t.first[0])
	for i, row := range t.first {
		if err := t.add(row, header && i == 0); err != nil {
			return err
		}
	}
	return nil
}

// splitHeader splits a header whose names have another separator than the rows.
func (t *csvTable) splitHeader() {
	if len(t.first) < 2 || len(t.first[0]) != 1 || len(t.first[1]) < 2 {
		return
	}
	for _, comma := range separators {
		s := &separated{text: t.first[0][0], comma: comma, quote: t.quote}
		header, _ := s.next()
		isProse := len(header) == 2 && strings.HasPrefix(header[1], " ")
		if len(header) == len(t.first[1]) && !isProse {
			t.first[0] = header
			return
		}
	}
}

func (t *csvTable) end() error {
	var err error
	if len(t.first) > 0 && !t.begun {
		err = t.begin()
	}
	t.first, t.begun = nil, false
	return err
}

func (t *csvTable) add(row []string, header bool) error {
	cells := make([]documents.Cell, len(row))
	for i, text := range row {
		cells[i] = documents.Cell{Text: text, Column: i, Header: header}
	}
	return t.to.Add(t.run.Next(t.to.Into, cells))
}

func filled(row []string) int {
	n := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

func isBlank(row []string) bool { return filled(row) == 0 }

var separators = []byte{',', ';', '\t', '|'}

// dialect returns the separator that gives the most rows of equal length, and the quote that is beside it more often. A
// comma is no separator if it is always within a number and another separator is in almost every row.
func dialect(text string) (comma, quote byte) {
	comma, best := ',', 0
	other, next := byte(0), 0
	isDecimal := hasOnlyDecimalCommas(text)
	for _, candidate := range separators {
		score, isRegular := agreement(text, candidate)
		if score > best {
			comma, best = candidate, score
		}
		if candidate != ',' && isRegular && score > next {
			other, next = candidate, score
		}
	}
	if comma == ',' && other != 0 && isDecimal {
		comma = other
	}
	quote = '"'
	if strings.Count(text, string(comma)+"'") > strings.Count(text, string(comma)+`"`) &&
		strings.Count(text, "'"+string(comma))*2 > strings.Count(text, string(comma)+"'") {
		quote = '\''
	}
	return comma, quote
}

// hasOnlyDecimalCommas reports whether each comma below the first line is between digits.
func hasOnlyDecimalCommas(text string) bool {
	_, rows, _ := strings.Cut(text, "\n")
	isDigit := func(i int) bool { return i >= 0 && i < len(rows) && rows[i] >= '0' && rows[i] <= '9' }
	for i := range len(rows) {
		if rows[i] == ',' && (!isDigit(i-1) || !isDigit(i+1)) {
			return false
		}
	}
	return true
}

// agreement counts the separators in the rows with the most common number of them. It also reports whether almost all
// rows have that number.
func agreement(text string, comma byte) (separators int, isRegular bool) {
	const sample = 200
	s := &separated{text: text, comma: comma, quote: '"'}
	counts := map[int]int{}
	for range sample {
		row, ok := s.next()
		if !ok {
			break
		}
		counts[len(row)]++
	}
	rows, most := 0, 0
	for length, times := range counts {
		separators = max(separators, (length-1)*times)
		rows += times
		if length > 1 {
			most = max(most, times)
		}
	}
	return separators, most >= 2 && most >= rows*8/10-1
}

// separated splits text into rows. Unbalanced quotes lose no row.
type separated struct {
	text         string
	at           int
	comma, quote byte
}

// next returns the next row without its line break.
func (s *separated) next() (row []string, ok bool) {
	if s.at >= len(s.text) {
		return nil, false
	}
	for {
		cell, last := s.cell()
		if len(row) < page.MaxColumns {
			row = append(row, cell)
		}
		if last {
			return row, true
		}
	}
}

// cell reads a cell and the separator or line break after it.
func (s *separated) cell() (cell string, last bool) {
	if s.quote != 0 && s.at < len(s.text) && s.text[s.at] == s.quote {
		if end := s.closing(); end >= 0 {
			cell = strings.ReplaceAll(s.text[s.at+1:end], strings.Repeat(string(s.quote), 2), string(s.quote))
			s.at = end + 1
		}
	}
	begin := s.at
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c == s.comma || c == '\n' || c == '\r' {
			break
		}
	}
	cell += s.text[begin:s.at]
	if s.at < len(s.text) && s.text[s.at] == s.comma {
		s.at++
		return cell, false
	}
	s.at = len(s.text) - len(afterLine(s.text[s.at:]))
	return cell, true
}

// afterLine skips a line break.
func afterLine(text string) string {
	if rest, ok := strings.CutPrefix(text, "\r\n"); ok {
		return rest
	}
	return text[min(len(text), 1):]
}

// closing finds the quote that ends the cell. Without a closing quote, quotes have no meaning from there on; otherwise
// the cell would take in the rest of the file.
func (s *separated) closing() int {
	const maxCell = 1 << 20
	for i := s.at + 1; i < min(len(s.text), s.at+maxCell); i++ {
		if s.text[i] != s.quote {
			continue
		}
		if i+1 == len(s.text) || s.text[i+1] != s.quote {
			return i
		}
		i++
	}
	s.quote = 0
	return -1
}
