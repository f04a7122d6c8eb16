package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// report returns the generated part of the document about the simulation.
func report(profiles map[string]profile, results []result) string {
	out := &strings.Builder{}
	writeOperations(out, profiles)
	for _, r := range results {
		writeResult(out, r)
	}
	return out.String()
}

func writeOperations(out *strings.Builder, profiles map[string]profile) {
	out.WriteString("| Operation | Calls | Read units | Write units | Keys that all calls share |\n|---|---|---|---|---|\n")
	for _, name := range operations() {
		p := profiles[name]
		read, write := p.units()
		fmt.Fprintf(out, "| %s | %d | %.5g | %.5g | %s |\n", name, p.Calls, read, write, sharedKeys(p))
	}
	fmt.Fprintf(out, "\nA batch has %d pulls, and the window counts that batch.\n", batchSize)
}

// sharedKeys names the keys that all calls write.
func sharedKeys(p profile) string {
	var keys []string
	for _, a := range p.Accesses {
		if a.Shared && a.Write > 0 && a.class() != "pending" {
			keys = append(keys, fmt.Sprintf("%#q: %.3g", a.Key, a.Write))
		}
	}
	return strings.Join(keys, ", ")
}

func writeResult(out *strings.Builder, r result) {
	fmt.Fprintf(out, "\n### %s a month\n\n", r.size.name)
	fmt.Fprintf(out, "At the peak %.0f requests a second, and %.4g pulls a second of %.3g write units each.\n\n",
		r.size.requestRate(), r.size.pullRate(), r.unitsPerPull)
	out.WriteString("| Table or index | Busiest key | Read units/s | Write units/s | Share of the limit |\n|---|---|---|---|---|\n")
	for _, h := range r.hot {
		fmt.Fprintf(out, "| %s | %s | %.1f | %.1f | %.1f %% |\n", h.table, h.key, h.read, h.write, 100*h.share())
	}
	out.WriteString("\n| Table with its indexes | Read units/s | Write units/s |\n|---|---|---|\n")
	for _, table := range slices.Sorted(maps.Keys(r.perTable)) {
		fmt.Fprintf(out, "| %s | %.1f | %.1f |\n", table, r.perTable[table].read, r.perTable[table].write)
	}
}
