package webtest

import "regexp"

var reference = regexp.MustCompile(`\b(?:href|src)="(/[^"]*)"`)

// References returns the paths on the same server that a page refers to, in order.
func References(page []byte) []string {
	var addresses []string
	for _, match := range reference.FindAllSubmatch(page, -1) {
		addresses = append(addresses, string(match[1]))
	}
	return addresses
}
