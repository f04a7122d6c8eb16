package liststest

import (
	"fmt"
	"strings"
)

// AddTermsIn adds the items that a table must have so that a search in a scope finds a resource by its terms.
func AddTermsIn(scope string, wanted map[string]string, id string, terms []string) {
	if scope != "" {
		scope += "#"
	}
	for _, term := range terms {
		shared := int64(0)
		for _, other := range terms {
			if other < term {
				shared = max(shared, common(other, term))
			}
		}
		wanted["search#"+scope+string([]rune(term)[:1])+" "+term+"\t"+id] = fmt.Sprint(id, " ", shared)
	}
}

// common returns how many bytes two texts have in common at their beginnings.
func common(a, b string) int64 {
	for n := range len(b) {
		if !strings.HasPrefix(a, b[:n+1]) {
			return int64(n)
		}
	}
	return int64(len(b))
}

// AddTerm adds the item of a term to those of a table, by its key.
func AddTerm(found map[string]string, item Item) {
	found[Text(item, "pk")+" "+Text(item, "sk")] = fmt.Sprint(Text(item, "id"), " ", Number(item, "shared"))
}
