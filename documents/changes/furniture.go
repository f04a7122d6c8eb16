package changes

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"portside/documents"
)

const (
	// edgeBlocks is the number of blocks at the top and at the bottom of a page that can be its header and footer.
	edgeBlocks = 2
	// maxFurniture is the length of a header or footer in words and punctuation marks.
	maxFurniture = 30
)

// furniture is the headers, footers and page numbers of a document, by their words with # for numbers.
type furniture map[string]bool

// furnitureOf returns the text at the edges of pages that is on two pages or more, the same but for numbers that
// advance with the pages. It is empty for a document without pages.
func furnitureOf(d *documents.Document) furniture {
	type place struct {
		page    int
		numbers []int
	}
	found, last := furniture{}, map[string]place{}
	for i, b := range d.Blocks {
		if b.Page == 0 || !isAtEdge(d.Blocks, i) {
			continue
		}
		key, numbers := furnitureKey(b)
		if key == "" {
			continue
		}
		before, isKnown := last[key]
		last[key] = place{b.Page, numbers}
		isSame := isKnown && before.page != b.Page
		for k, n := range numbers {
			isSame = isSame && (n == before.numbers[k] && hasLetter(key) || n-before.numbers[k] == b.Page-before.page)
		}
		if isSame {
			found[key] = true
		}
	}
	return found
}

// isAtEdge reports whether block i is one of the first or last ones of its page.
func isAtEdge(blocks []documents.Block, i int) bool {
	return i < edgeBlocks || i+edgeBlocks >= len(blocks) ||
		blocks[i-edgeBlocks].Page != blocks[i].Page || blocks[i+edgeBlocks].Page != blocks[i].Page
}

// furnitureKey returns the words of a block with # for numbers, and the numbers. It is empty for a table row and for a
// long block.
func furnitureKey(b documents.Block) (key string, numbers []int) {
	const maxBytes = 500
	if b.Kind == documents.Row || b.Kind == documents.Field || len(b.Text) > maxBytes {
		return "", nil
	}
	words := appendWords(nil, 0, b.Text)
	if len(words) > maxFurniture {
		return "", nil
	}
	for _, w := range words {
		if n, ok := pageNumber(w.key); ok {
			numbers = append(numbers, n)
		}
	}
	return withoutNumbers(words), numbers
}

// withoutNumbers returns words with # for numbers.
func withoutNumbers(words []word) string {
	keys := make([]string, len(words))
	for i, w := range words {
		if keys[i] = w.key; w.isText {
			if _, ok := pageNumber(w.key); ok {
				keys[i] = "#"
			}
		}
	}
	return strings.Join(keys, " ")
}

// pageNumber returns a number in at most four digits or in small Roman numerals.
func pageNumber(s string) (int, bool) {
	const maxDigits = 4
	if n := 1 + slices.Index(romans, s); n > 0 {
		return n, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && len(s) <= maxDigits
}

var romans = strings.Fields("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx")

// ignored lists the parts of a document that are not compared.
type ignored struct {
	blocks  map[int]bool
	zeros   bool      // at the end of decimal fractions
	phrases furniture // can be anywhere in a document without pages
}

// ignore returns what is not compared. If both documents have pages, a header or footer of only one of them is compared
// once.
func ignore(first, second *documents.Document) (inFirst, inSecond ignored) {
	a, b := furnitureOf(first), furnitureOf(second)
	all := maps.Clone(a)
	maps.Copy(all, b)
	if len(a) == 0 || len(b) == 0 {
		return ignored{blocks: all.in(first, nil), phrases: b}, ignored{blocks: all.in(second, nil), phrases: a}
	}
	once := furniture{}
	for key := range all {
		once[key] = a[key] != b[key] && hasLetter(key)
	}
	return ignored{blocks: all.in(first, once)}, ignored{blocks: all.in(second, once)}
}

// in returns the blocks of a document that are furniture. It keeps the first one of some kinds.
func (f furniture) in(d *documents.Document, keepFirst furniture) map[int]bool {
	skip, seen := map[int]bool{}, map[string]bool{}
	if len(f) == 0 {
		return skip
	}
	for i, b := range d.Blocks {
		if key, _ := furnitureKey(b); f[key] {
			skip[i] = !keepFirst[key] || seen[key]
			seen[key] = true
		}
	}
	return skip
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// cutFrom returns words without headers and footers. Page numbers stay, as they can be other numbers.
func (f furniture) cutFrom(words []word) (rest []word) {
	if len(f) == 0 {
		return words
	}
	for len(words) > 0 {
		if n := f.lengthAt(words); n > 1 && hasLetter(withoutNumbers(words[:n])) {
			words = words[n:]
			continue
		}
		rest, words = append(rest, words[0]), words[1:]
	}
	return rest
}

// lengthAt returns the length of the header or footer at the beginning of words, or 0.
func (f furniture) lengthAt(words []word) int {
	for n := min(len(words), maxFurniture); n > 0; n-- {
		if f[withoutNumbers(words[:n])] {
			return n
		}
	}
	return 0
}

// is reports whether words are headers, footers and page numbers, one after the other.
func (f furniture) is(words []word) bool {
	for len(words) > 0 {
		n := f.lengthAt(words)
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return true
}
