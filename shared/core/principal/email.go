package principal

import "strings"

// NormalEmail returns the form of an address in which users are stored and found: without spaces around it, in lower case.
func NormalEmail(address string) string { return strings.ToLower(strings.TrimSpace(address)) }
