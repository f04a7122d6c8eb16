// Package golden compares what a test got with a file that somebody has looked at.
//
// Run with -update, a test writes the file instead; the change is then reviewed like any other. A missing file fails the
// test, so that a new case cannot pass unseen.
package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// JSON compares got, a JSON document, with the file under testdata. Both are compared as they are indented for people:
// the order of keys counts, white space does not.
func JSON(tb testing.TB, name string, got []byte) {
	tb.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil {
		tb.Fatalf("%s: what the test got is not JSON: %v\n%s", name, err, got)
	}
	indented.WriteByte('\n')
	compare(tb, filepath.Join("testdata", name), indented.Bytes())
}

func compare(tb testing.TB, file string, got []byte) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		tb.Fatalf("%v; run the test with -update to write it, then look at it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s differs; if the change is meant, run the test with -update (-want +got):\n%s", file, diff)
	}
}
