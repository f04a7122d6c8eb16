package callsites

import (
	_ "embed" // for the list
	"strings"
)

//go:embed callsites.txt
var list string

// All returns every place, sorted.
func All() []string { return strings.Split(strings.TrimSpace(list), "\n") }
