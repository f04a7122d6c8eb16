package lexicon

// index is a hash table of short words that is read where it is, in the program's file. All numbers are little-endian:
//
//	4 bytes              the number of slots, a power of two
//	4 bytes for a slot   where its entry begins, or 0
//	entries              1 byte for the length of the word, the word, 2 bytes for its value
//
// A word is in the slot of its hash, or in one of the next, before the first that is empty.
type index string

// find returns the value of a word, or 0 if the index does not have it.
func (x index) find(word string) int {
	slots := x.number(0, 4)
	for slot := hash(word) & (slots - 1); ; slot = (slot + 1) & (slots - 1) {
		at := x.number(4+4*slot, 4)
		if at == 0 {
			return 0
		}
		end := at + 1 + int(x[at])
		if string(x[at+1:end]) == word {
			return x.number(end, 2)
		}
	}
}

// number returns the number at an offset.
func (x index) number(at, size int) (n int) {
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | int(x[at+i])
	}
	return n
}

// hash is FNV-1a.
func hash(word string) int {
	const offset, prime = 2166136261, 16777619
	h := uint32(offset)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * prime
	}
	return int(h)
}
