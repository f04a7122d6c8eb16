package summary

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"portside/documents"
	"portside/documents/offline/language"
	"portside/documents/offline/scan"
)

// tables has the rows of the tables and the fields of a document, which have no sentences.
type tables struct {
	words int
	names []string // names of the columns of the current table
	table int      // its number
	lines []string // each row or field: "Rent: May 1,450 EUR, June 1,500 EUR"
}

// maxTableLines limits the rows and fields that can be in a summary.
const maxTableLines = 2_000

func (t *tables) add(line string) {
	hasWords := strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if len(t.lines) < maxTableLines && hasWords {
		t.lines = append(t.lines, oneLine(line))
	}
}

// row adds a row with the names of its columns.
func (t *tables) row(b *documents.Block) {
	t.words += wordCount(b.Text)
	if b.Table != t.table {
		t.table, t.names = b.Table, nil
	}
	if isHeadRow(b) {
		t.names = nil
		for _, cell := range b.Cells {
			for len(t.names) <= cell.Column && cell.Column < maxColumns {
				t.names = append(t.names, "")
			}
			if cell.Column < maxColumns {
				t.names[cell.Column] = cell.Text
			}
		}
		return
	}
	t.add(t.line(b.Cells))
}

// maxColumns limits the columns that have names.
const maxColumns = 100

// line writes the cells of a row. The first cell names the row.
func (t *tables) line(cells []documents.Cell) string {
	var parts []string
	label := ""
	for i, cell := range cells {
		switch {
		case cell.Text == "":
			continue
		case i == 0:
			label = cell.Text
			continue
		}
		text := cell.Text
		if cell.Column < len(t.names) && t.names[cell.Column] != "" {
			text = t.names[cell.Column] + " " + text
		}
		parts = append(parts, text)
	}
	switch {
	case label == "":
		return strings.Join(parts, ", ")
	case len(parts) == 0:
		return label
	}
	return strings.TrimSuffix(label, ":") + ": " + strings.Join(parts, ", ")
}

// isHeadRow reports a row of column heads.
func isHeadRow(b *documents.Block) bool {
	return len(b.Cells) > 0 && !slices.ContainsFunc(b.Cells, func(c documents.Cell) bool { return !c.Header })
}

// tableLines returns the most important rows and fields if the document has few sentences: those that the hint asks for,
// then the totals, then the first ones.
func (m *material) tableLines(hint string, b budget) []string {
	if m.tables.words <= 2*m.words {
		return nil
	}
	stems := language.NewStemmer(m.lang)
	wanted := hintStems(hint, m.lang, stems)
	asked, isTotal := make([]int, len(m.tables.lines)), make([]int, len(m.tables.lines))
	order := make([]int, len(m.tables.lines))
	for i, line := range m.tables.lines {
		order[i] = i
		label, value, _ := strings.Cut(line, ": ")
		for word := range strings.FieldsSeq(strings.ToLower(label)) {
			if totals()[strings.TrimRight(word, ":.")] && strings.ContainsAny(value, "0123456789") {
				isTotal[i] = 1
			}
		}
		for _, stem := range stems.Stems(line) {
			if wanted[stem] {
				asked[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(asked[b], asked[a]), cmp.Compare(isTotal[b], isTotal[a]))
	})
	if len(m.sentences) > 0 {
		b.sentences, b.words = (b.sentences+1)/2, b.words/2
	}
	return m.tables.few(order, asked, b)
}

// few returns lines up to the length of a summary: the asked ones first, and the others in the order of the document.
func (t *tables) few(order, asked []int, b budget) []string {
	var taken []int
	words := 0
	for _, i := range order {
		n := wordCount(t.lines[i])
		if len(taken) >= b.sentences || len(taken) > 0 && words+n > b.words {
			break
		}
		words += n
		taken = append(taken, i)
	}
	slices.SortStableFunc(taken, func(a, b int) int {
		return cmp.Or(cmp.Compare(asked[b], asked[a]), cmp.Compare(a, b))
	})
	lines := make([]string, len(taken))
	for n, i := range taken {
		if lines[n] = t.lines[i]; wordCount(lines[n]) > b.words {
			lines[n] = beginning(lines[n], b.words-2) + " …"
		}
	}
	return lines
}

var totals = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, list := range summaryWords()["totals"] {
		scan.AddWords(words, list)
	}
	return words
})
