// Command capacity simulates the busiest minute of a month at four sizes, and writes how many units each key of each
// table takes, and which limit binds first, into docs/capacity.md. It also computes what operations and months cost,
// and writes that into docs/cost.md.
//
//	go run ./cmd/capacity [-root DIR]
//
// The units of an operation come from operations.json, which a test of this package measures: it runs the real stores
// on the engine and records the tables, keys and units of their calls. `make capacity` measures and simulates.
// The simulation is seeded, so its output changes only if the measurement or the load does.
//
// usage.json has what else operations use: CPU time, log bytes and calls of other services. `bench -only costs`
// measures it on the local stack. prices.json has the list prices of AWS and quotas.json its quotas. The memory of
// functions and the limit of requests come from template.yaml. `make cost` measures and computes.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
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

	limitBegin = "<!-- Limits: written by `go run ./cmd/capacity` -->\n"
	limitEnd   = "<!-- End of the limits -->\n"

	ingestionBegin = "<!-- Log ingestion: written by `go run ./cmd/capacity` -->\n"
	ingestionEnd   = "<!-- End of the log ingestion -->\n"

	costBegin = "<!-- Costs: written by `go run ./cmd/capacity` -->\n"
	costEnd   = "<!-- End of the costs -->\n"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "folder of the project")
	flag.Parse()
	if err := writeAll(*root); err != nil {
		log.Fatalf("capacity: %v", err)
	}
}

func writeAll(root string) error {
	profiles, err := parseProfiles(measured)
	if err != nil {
		return err
	}
	found, err := readTemplate(filepath.Join(root, "template.yaml"))
	if err != nil {
		return err
	}
	costs, err := newBill(found)
	if err != nil {
		return err
	}
	planned, err := plan(found, profiles)
	if err != nil {
		return err
	}
	return errors.Join(
		write(filepath.Join(root, "docs", "capacity.md"), planned.parts(profiles)...),
		write(filepath.Join(root, "docs", "cost.md"), marked{costBegin, costReport(costs, planned.results), costEnd}),
	)
}

// marked is the generated part of a document between its marks.
type marked struct{ begin, text, end string }

// parts are the generated parts of docs/capacity.md.
func (p *planner) parts(profiles map[string]profile) []marked {
	return []marked{
		{limitBegin, p.limitReport(), limitEnd}, {begin, report(profiles, p.results), end}, {ingestionBegin, p.ingestionReport(), ingestionEnd},
	}
}

// write replaces the parts of the document between their marks.
func write(document string, parts ...marked) error {
	changed, err := os.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	for _, part := range parts {
		before, rest, hasBegin := bytes.Cut(changed, []byte(part.begin))
		_, after, hasEnd := bytes.Cut(rest, []byte(part.end))
		if !hasBegin || !hasEnd {
			return fmt.Errorf("%s lacks the lines %q and %q", document, part.begin, part.end)
		}
		changed = slices.Concat(before, []byte(part.begin+part.text+part.end), after)
	}
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
