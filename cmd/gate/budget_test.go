package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBudgetNamesThePackage(t *testing.T) {
	allowed := map[string]float64{"a": 800, "b": 200, totalLine: 1200}
	for _, c := range []struct {
		name string
		used map[string]float64
		want string // empty if nothing fails
	}{
		{"all within", map[string]float64{"a": 876, "b": 312, "new": 12}, ""},
		{"a package", map[string]float64{"a": 800, "b": 313}, "the tests of b used 313.0"},
		{"a missing package", map[string]float64{"a": 800}, "the tests of b did not run"},
		{"a new package", map[string]float64{"a": 800, "b": 200, "new": 12.5}, "the tests of new used 12.5"},
		{"the total", map[string]float64{"a": 1000, "b": 200.1}, "all tests used 1200.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var printed bytes.Buffer
			err := report(&printed, c.used, allowed)
			if failed := errors.Is(err, errFailed); failed != (c.want != "") || !strings.Contains(printed.String(), c.want) {
				t.Errorf("error %v:\n%s", err, &printed)
			}
		})
	}
}

// TestRecordsBecomeABudget writes a budget from records, and reads it.
func TestRecordsBecomeABudget(t *testing.T) {
	root := t.TempDir()
	records := filepath.Join(root, "records")
	if err := os.Mkdir(filepath.Join(root, ".ci"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(records, []byte("a\t30.0\t0.5\na\t30.0\t9\nminor\t0.1\t0.25\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-write"}, {}} {
		if err := budget(append(args, "-root", root, "-records", records)); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(filepath.Join(root, budgetFile))
	if err != nil || !strings.HasSuffix(string(written), "\na\t100.0\ntotal\t120\n") {
		t.Errorf("wrote %q, %v", written, err)
	}
	if err := os.WriteFile(records, []byte("a\tmuch\t0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := budget([]string{"-root", root, "-records", records}); err == nil || !strings.Contains(err.Error(), "much") {
		t.Errorf("records that are no numbers: %v", err)
	}
}
