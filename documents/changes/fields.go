package changes

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/lazyregexp"
)

// Two files of data can have the same values under different names, such as an invoice in UBL and in CII. Their names
// are not compared then: a value is the same if the other file has it anywhere. Values under a name that both files
// have are compared as all other text.

// values is what a file of data has.
type values struct {
	names   map[string]bool
	cells   map[string]bool // whole values
	words   map[string]bool
	phrases map[uint64]bool // of minPhrase successive words of a value
}

// minPhrase is the number of words from which a part of a value counts as the same as a part of another one.
const minPhrase = 3

// isData reports whether a document has values with names.
func isData(d *documents.Document) bool {
	return d.Format == documents.XML || d.Format == documents.JSON
}

func valuesOf(d *documents.Document, ids map[string]rune) *values {
	v := &values{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[uint64]bool{}}
	for _, b := range d.Blocks {
		name, cells := namesAndCells(b)
		v.names[name] = true
		for _, cell := range cells {
			words := valueWords(cell)
			v.cells[strings.Join(words, " ")] = true
			for _, w := range words {
				v.words[w] = true
			}
			for i := range len(words) - minPhrase + 1 {
				v.phrases[hash(idsOf(words[i:i+minPhrase], ids))] = true
			}
		}
	}
	return v
}

// namesAndCells returns the name and the values in a block. The name of a table is its header.
func namesAndCells(b documents.Block) (name string, cells []string) {
	if b.Kind == documents.Heading {
		return b.Text, nil
	}
	for i, cell := range b.Cells {
		switch {
		case b.Kind == documents.Field && i == 0:
			name = cell.Text
		case cell.Header:
			name += cell.Text + "\t"
		default:
			cells = append(cells, cell.Text)
		}
	}
	if len(b.Cells) == 0 {
		cells = []string{b.Text}
	}
	return name, cells
}

var (
	// code matches the names that the naming rules of UN/CEFACT give to codes, and to attributes that say how to read a
	// value.
	code    = lazyregexp.New(`(?i)(^| )(code|format|(list|scheme)( agency)?( version)? ID)$`)
	isoDate = lazyregexp.New(`\b(\d{4})-(\d\d)-(\d\d)\b`)
)

// valueWords returns the normal forms of the words of a value: dates without hyphens, and numbers without zeros at the
// end.
func valueWords(s string) []string {
	words := appendWords(nil, 0, isoDate().ReplaceAllString(s, "$1$2$3"))
	keys := make([]string, len(words))
	for i, w := range words {
		keys[i] = withoutZeros(w.key)
	}
	return keys
}

// withoutZeros returns a decimal fraction without zeros at its end, and other words unchanged.
func withoutZeros(s string) string {
	if !strings.Contains(s, ".") || strings.Trim(s, "0123456789.") != "" {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func idsOf(words []string, ids map[string]rune) []rune {
	all := make([]rune, len(words))
	for i, w := range words {
		if _, isKnown := ids[w]; !isKnown {
			ids[w] = rune(len(ids))
		}
		all[i] = ids[w]
	}
	return all
}

// sameUnderOtherNames returns the blocks of a document with names that the other one does not use and values that it
// has.
func sameUnderOtherNames(d *documents.Document, other *values, ids map[string]rune) map[int]bool {
	same, tableNames := map[int]bool{}, map[int]string{}
	for i, b := range d.Blocks {
		name, cells := namesAndCells(b)
		if b.Kind == documents.Row && name != "" {
			tableNames[b.Table] = name
		} else if b.Kind == documents.Row {
			name = tableNames[b.Table]
		}
		isCode := b.Kind == documents.Field && code().MatchString(name) // each vocabulary has its own codes
		same[i] = isCode && !other.names[name] || !other.names[name] && !slices.ContainsFunc(cells, func(cell string) bool {
			return !other.have(valueWords(cell), ids)
		})
	}
	return same
}

// have reports whether a value consists of values, and of parts of values, of the other document. Zero is no value.
func (v *values) have(words []string, ids map[string]rune) bool {
	if len(words) == 1 && v.words[words[0]] && !strings.ContainsFunc(words[0], unicode.IsDigit) {
		return true
	}
	all := idsOf(words, ids)
	for len(words) > 0 {
		n := v.phraseLength(all)
		for end := min(len(words), minPhrase-1); n == 0 && end > 0; end-- { // longer values have a phrase
			if v.cells[strings.Join(words[:end], " ")] {
				n = end
			}
		}
		if n == 0 && (words[0] == "0" || isPunctuation(words[0])) {
			n = 1
		}
		if n == 0 {
			return false
		}
		words, all = words[n:], all[n:]
	}
	return true
}

// phraseLength returns the length of the phrase of the other document at the beginning of a value, or 0.
func (v *values) phraseLength(ids []rune) (n int) {
	for i := 0; i+minPhrase <= len(ids) && v.phrases[hash(ids[i:i+minPhrase])]; i++ {
		n = i + minPhrase
	}
	return n
}

func isPunctuation(s string) bool { return !strings.ContainsFunc(s, isWordRune) }
