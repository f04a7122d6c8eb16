package principal

import "strings"

// NormalEmail returns the form of an address in which users are stored and found: without spaces around it, in lower
// case. It changes only ASCII letters, so that no other letter becomes one: the Kelvin sign would become a k.
func NormalEmail(address string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, strings.TrimSpace(address))
}
