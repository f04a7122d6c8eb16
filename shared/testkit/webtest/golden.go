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

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// GoldenJSON compares got, a JSON document, with a file under testdata that somebody has looked at. The order of keys
// counts, white space does not. Run with -update, the test writes the file instead, for its change to be reviewed like any
// other; a file that is missing fails the test, so that a new case cannot pass unseen.
func GoldenJSON(tb testing.TB, name string, got []byte) {
	tb.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil {
		tb.Fatalf("%s: what the test got is not JSON: %v\n%s", name, err, got)
	}
	indented.WriteByte('\n')
	compareFile(tb, filepath.Join("testdata", name), indented.Bytes())
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
		tb.Fatalf("%v; run the test with -update to write it, then look at it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		tb.Errorf("%s differs; if the change is meant, run the test with -update (-want +got):\n%s", file, diff)
	}
}
