package template

import "strings"

// nearest returns the first of names that differs from name only in case or by one typing error, or
// "".
func nearest(name string, names []string) string {
	for _, other := range names {
		if strings.EqualFold(other, name) || differByOneEdit(other, name) {
			return other
		}
	}
	return ""
}

// differByOneEdit is true when inserting, deleting or replacing one byte, or swapping two
// neighbors, turns a into b.
func differByOneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return i < len(a) && (a[i+1:] == b[i+1:] || isSwapped(a[i:], b[i:]))
}

func isSwapped(a, b string) bool {
	return len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// suggest returns a hint for an unknown name: the nearest of names, or all of them.
func suggest(name string, names []string) string {
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "use one of " + strings.Join(names, ", ")
}
