package checks_test

import (
	"strings"
	"testing"

	"portside/shared/core/checks"
)

func TestEmail(t *testing.T) {
	for address, good := range map[string]bool{
		"ada@example.com": true, "a.b+c@x.y": true, "o'neil@example.com": true, "ada@xn--bcher-kva.example": true,
		"ada@localhost": true,
		"":              false, "ada": false, "@example.com": false, "ada@": false, "ada@@example.com": false,
		"a..b@example.com": false,
		"ada@-example.com": false, "ada@example-.com": false, "ada@example..com": false, "ada@bücher.example": false,
		"a b@example.com":     false,
		"\"ada\"@example.com": false, "ada@[192.0.2.1]": false, "ada@example.com\x00": false, "\xff@example.com": false,
		"a@b": true, "a+tag@sub.example.co.uk": true, ".a@example.com": false, "a.@example.com": false,
		"a@exa mple.com":      false,
		"Ada <a@example.com>": false, "a@example.com,b@example.com": false, "a@example.com\r\nBcc: b@example.com": false,
		"a\x00@example.com": false, "jörg@example.com": false, "a@" + strings.Repeat("b", 63) + ".com": true,
		strings.Repeat("a", 64) + "@example.com": true, strings.Repeat("a", 65) + "@example.com": false,
		"ada@" + strings.Repeat("a", 64) + ".com": false, "ada@" + strings.Repeat("a.", 126) + "com": false,
	} {
		var failures checks.Failures
		failures.Email("/email", address)
		if accepted := len(failures.Fields()) == 0; accepted != good {
			t.Errorf("%q: accepted %v, want %v", address, accepted, good)
		}
	}
}
