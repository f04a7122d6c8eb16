package cli

import (
	"testing"
)

func TestAddressesAreCompleted(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"portal.example.com": "https://portal.example.com", "https://portal.example.com/portal/users": "https://portal.example.com",
		"127.0.0.1:3000": "http://127.0.0.1:3000", "localhost:3000/portal": "http://localhost:3000", "localhost": "https://localhost",
		"https://example.com/stage/": "https://example.com/stage",
	} {
		if got, err := normalAddress(given); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", given, got, err, want)
		}
	}
}
