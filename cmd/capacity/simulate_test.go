package main

import (
	"maps"
	"reflect"
	"slices"
	"testing"
)

func profiles(t *testing.T) map[string]profile {
	t.Helper()
	found, err := parseProfiles(measured)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestEachKeyIsBelowHalfOfItsLimit also bounds the write units of a pull under load.
func TestEachKeyIsBelowHalfOfItsLimit(t *testing.T) {
	const maxUnitsPerPull, load = 4, 1e8
	for _, r := range newPlanner(t).results {
		s := r.size
		for _, h := range r.hot {
			if h.share() > 0.5 {
				t.Errorf("%s: %s of %s takes %.0f read and %.0f write units/s", s.name, h.key, h.table, h.read, h.write)
			}
		}
		if len(r.hot) < 7 || s.pulls >= load && (r.unitsPerPull > maxUnitsPerPull || r.unitsPerPull < 3) {
			t.Errorf("%s: %d tables and indexes, a pull takes %.2f units", s.name, len(r.hot), r.unitsPerPull)
		}
	}
}

// TestHotKeysAreFound gives all pulls one more shared key.
func TestHotKeysAreFound(t *testing.T) {
	changed, size := maps.Clone(profiles(t)), sizes()[usualSize()]
	batch := changed[authorize]
	batch.Accesses = append(slices.Clone(batch.Accesses), access{Table: "HotTable", Key: "total", Shared: true, Write: 1})
	changed[authorize] = batch
	for _, h := range simulate(size, changed).hot {
		if rate := size.pullRate(); h.table == "HotTable" && (h.write < rate || h.write > 1.1*rate || h.key != "total") {
			t.Errorf("%+v, want %.0f units/s", h, rate)
		} else if h.table == "HotTable" {
			return
		}
	}
	t.Error("the hot key is missing")
}

func TestSimulationsAreEqual(t *testing.T) {
	if first, second := simulate(sizes()[0], profiles(t)),
		simulate(sizes()[0], profiles(t)); !reflect.DeepEqual(first, second) {
		t.Errorf("%+v and %+v", first, second)
	}
}
