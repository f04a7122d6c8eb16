package scan

import (
	"strings"
	"sync"
)

// SetOf returns the words of a list that is separated by spaces.
func SetOf(list string) map[string]bool {
	set := map[string]bool{}
	AddWords(set, list)
	return set
}

// LazySet returns a function that builds the set of a list when it is first called.
func LazySet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return SetOf(list) })
}

// AddWords adds the words of a list to a set.
func AddWords(set map[string]bool, list string) {
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
}
