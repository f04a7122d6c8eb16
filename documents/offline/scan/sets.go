package scan

import (
	"strings"
	"sync"
)

func LazySet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return SetOf(list) })
}

func SetOf(list string) map[string]bool {
	set := map[string]bool{}
	AddWords(set, list)
	return set
}

func AddWords(set map[string]bool, list string) {
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
}
