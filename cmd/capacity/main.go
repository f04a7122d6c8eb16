// Command capacity simulates the busiest minute of a month at three sizes, and writes how many units each key of each table takes
// into docs/capacity.md.
//
//	go run ./cmd/capacity [-root DIR]
//
// The units of an operation come from operations.json, which a test of this package measures: it runs the real stores
// on the engine and records the tables, keys and units of their calls. `make capacity` measures and simulates.
// The simulation is seeded, so its output changes only if the measurement or the load does.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
)

//go:generate go run . -root ../..

//go:embed operations.json
var measured []byte

const (
	begin = "<!-- Simulation: written by `go run ./cmd/capacity` -->\n"
	end   = "<!-- End of the simulation -->\n"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "folder of the project")
	flag.Parse()
	if err := write(filepath.Join(*root, "docs", "capacity.md")); err != nil {
		log.Fatalf("capacity: %v", err)
	}
}

// write replaces the part of the document between the two marks.
func write(document string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	before, rest, hasBegin := bytes.Cut(old, []byte(begin))
	_, after, hasEnd := bytes.Cut(rest, []byte(end))
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s lacks the lines %q and %q", document, begin, end)
	}
	profiles, err := parseProfiles(measured)
	if err != nil {
		return err
	}
	changed := slices.Concat(before, []byte(begin+report(profiles)+end), after)
	if err := os.WriteFile(document, changed, 0o644); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}

// access is what one operation consumes on one key, or on one of many keys.
type access struct {
	Table  string  `json:"table"` // or table.index
	Key    string  `json:"key"`   // the key itself, or the kind of key if each object has another
	Shared bool    `json:"shared"`
	Read   float64 `json:"read,omitempty"`
	Write  float64 `json:"write,omitempty"`
}

// profile is the measured cost of an operation.
type profile struct {
	Operation string   `json:"operation"`
	Calls     int      `json:"calls"`
	Accesses  []access `json:"accesses"`
}

func (p profile) units() (read, write float64) {
	for _, a := range p.Accesses {
		read, write = read+a.Read, write+a.Write
	}
	return read, write
}

func parseProfiles(text []byte) (map[string]profile, error) {
	var all []profile
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read operations.json: %w", err)
	}
	found := map[string]profile{}
	for _, p := range all {
		found[p.Operation] = p
	}
	for _, name := range operations() {
		if _, ok := found[name]; !ok {
			return nil, fmt.Errorf("operations.json lacks %q; run `make capacity`", name)
		}
	}
	return found, nil
}
