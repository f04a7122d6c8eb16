package offline

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"portside/documents/answers"
)

var update = flag.Bool("update", false, "write testdata/cases.jsonl")

// casesFile has all questions of ask with their answers, for cmd/train. Models that are trained on documents alone do
// badly on short texts.
var casesFile = filepath.Join("testdata", "cases.jsonl")

var recorded []string

// record adds a question to the cases.
func record(c asked) {
	if c.kind == answers.Boolean {
		return // no model answers these
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]string{
		"text": c.text, "name": c.name, "type": string(c.kind), "description": c.description, "want": c.want,
	}); err != nil {
		panic(err) // strings can be encoded
	}
	recorded = append(recorded, line.String())
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if err := checkCases(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// checkCases compares the cases of a complete run with the file.
func checkCases() error {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return nil
		}
	}
	slices.Sort(recorded)
	var all bytes.Buffer
	for _, line := range slices.Compact(recorded) {
		all.WriteString(line)
	}
	if *update {
		return os.WriteFile(casesFile, all.Bytes(), 0o600)
	}
	data, err := os.ReadFile(casesFile)
	if err == nil && !bytes.Equal(data, all.Bytes()) {
		err = fmt.Errorf("%s is out of date; run: go test ./offline -update", casesFile)
	}
	return err
}
