package seals_test

import (
	"strings"
	"testing"

	"portside/shared/audit/seals"
)

// FuzzCheckObject checks that the parser accepts only bytes that the sealing writes: each object that it accepts has
// the hashes, numbers and counts of its lines, and ends with a line break.
func FuzzCheckObject(f *testing.F) {
	first := rehashed("", []string{
		`{"hash":"","line":0,"seal":{"version":1,"hour":"2026-11-28T01","part":1,"previous":""}}`,
		`{"hash":"","line":1,"event":{"id":"064a0f5e1c3000-a","time":"2026-11-28T01:00:00Z"}}`,
		`{"hash":"","line":2,"item":{"id":"064a0f5e1c3000-b","text":"\u0000"}}`,
		`{"hash":"","line":3,"end":{"events":2,"isLast":true}}`,
	})
	empty := rehashed("", []string{
		`{"hash":"","line":0,"seal":{"version":1,"hour":"2026-11-28T01","part":1,"previous":""}}`,
		`{"hash":"","line":1,"end":{"events":0,"isLast":true}}`,
	})
	if _, err := seals.CheckFirstObject([]byte(empty), "2026-11-28T01"); err != nil {
		f.Fatal(err)
	}
	for _, object := range []string{
		first, empty, "", "\n", `{"hash":"`, strings.Repeat("[", 100_000), strings.Repeat("x", 5<<20),
		`{"hash":"` + strings.Repeat("0", 64) + `","line":0,"seal":` + strings.Repeat("[", 20_000) + "}\n",
	} {
		f.Add([]byte(object))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		seal, err := seals.CheckFirstObject(content, "2026-11-28T01")
		if err != nil {
			return
		}
		if again := rehashed("", strings.SplitAfter(string(content), "\n")); again != string(content) {
			t.Errorf("accepted other hashes, numbers or counts: %q", content)
		}
		if !strings.Contains(string(content), seal.Hash) {
			t.Errorf("the seal has the hash %s", seal.Hash)
		}
	})
}
