package faults

import (
	"os"
	"strings"
	"testing"

	"portside/harness/callsites"
	"portside/local/faultproxy"
)

// coverage is what all runs have reached.
type coverage struct {
	calm      map[string]bool                      // places in runs without faults
	visited   map[string]bool                      // places in any run
	disturbed map[string]bool                      // places with any fault
	places    map[faultproxy.Fault]map[string]bool // with a fault
	runs      map[faultproxy.Fault]int
}

func newCoverage() *coverage {
	return &coverage{
		calm: map[string]bool{}, visited: map[string]bool{}, disturbed: map[string]bool{},
		places: map[faultproxy.Fault]map[string]bool{}, runs: map[faultproxy.Fault]int{},
	}
}

// addRun adds a run. It counts only if its fault was done.
func (c *coverage) addRun(found result) {
	for _, place := range found.visited {
		if place != callsites.Unknown {
			c.visited[place] = true
			c.calm[place] = c.calm[place] || found.plan.fault == faultproxy.None
		}
	}
	fault := found.plan.fault
	for _, place := range found.reached {
		if c.places[fault] == nil {
			c.places[fault] = map[string]bool{}
		}
		c.places[fault][place], c.disturbed[place] = true, true
	}
	if len(found.reached) > 0 {
		c.runs[fault]++
	}
}

// done returns the number of runs whose fault was done.
func (c *coverage) done() (n int) {
	for _, runs := range c.runs {
		n += runs
	}
	return n
}

func (c *coverage) print(t *testing.T) {
	t.Helper()
	t.Logf("figure: flows reach %d of %d call sites, %d of them with faults", len(c.visited), len(callsites.All()),
		len(c.disturbed))
	for _, fault := range faultproxy.All() {
		t.Logf("figure: fault %s: %d runs at %d call sites", fault, c.runs[fault], len(c.places[fault]))
	}
}

// checkUnreached compares the places that no flow reaches without faults with unreached.txt, which has a reason for
// each. Which places are reached after a fault depends on the chosen runs.
func (c *coverage) checkUnreached(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("unreached.txt")
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		place, reason, _ := strings.Cut(strings.TrimSpace(line), " # ")
		reasons[place] = reason
	}
	for _, place := range callsites.All() {
		reason, isListed := reasons[place]
		switch {
		case c.calm[place] && isListed:
			t.Errorf("unreached.txt lists %s, but a flow reaches it", place)
		case !c.calm[place] && reason == "":
			t.Errorf("no flow reaches %s, and unreached.txt has no line `place # reason` for it", place)
		}
		delete(reasons, place)
	}
	for place := range reasons {
		t.Errorf("unreached.txt lists %s, which does not exist", place)
	}
}
