package webtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// GoldenJSON compares got, a JSON document, with a file under testdata. The order of keys matters, white space does
// not. With -update the test writes the file instead, and the change is reviewed like any other. A missing file fails
// the test, so that a new case cannot pass without a review.
func GoldenJSON(tb testing.TB, name string, got []byte) {
	tb.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil {
		tb.Fatalf("%s: not JSON: %v\n%s", name, err, got)
	}
	indented.WriteByte('\n')
	compareFile(tb, filepath.Join("testdata", name), indented.Bytes())
}

// GeneratedFile compares got with a file that the test writes with -update and the program reads.
func GeneratedFile(tb testing.TB, file, got string) {
	tb.Helper()
	compareFile(tb, file, []byte(got))
}

func compareFile(tb testing.TB, file string, got []byte) {
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
		tb.Fatalf("%v; run the test with -update to write it, then review it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s differs; if the change is intended, run the test with -update (-want +got):\n%s", file, diff)
	}
}
