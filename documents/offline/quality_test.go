package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/sample"
)

func readDocument(tb testing.TB, text string) *documents.Document {
	tb.Helper()
	d, err := sample.Read(text)
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

type tally struct{ correct, abstained, wrong, nulls int }

func (t tally) total() int { return t.correct + t.abstained + t.wrong }

// wanted is a line of a .want file.
type wanted struct {
	variable answers.Variable
	value    string // "-" for none
}

func readWanted(t *testing.T, text string) []wanted {
	t.Helper()
	var all []wanted
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), "|", 4)
		if len(parts) < 4 {
			t.Fatalf("a line of variables is %q", line)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		all = append(all, wanted{answers.Variable{Name: parts[0], Type: answers.Type(parts[1]), Description: parts[2]},
			parts[3]})
	}
	return all
}

// right reports whether a value is the expected one.
func (w wanted) right(v answers.Value) bool {
	if w.value == "-" {
		return !v.Found()
	}
	if w.variable.Type == answers.Number {
		want, err := strconv.ParseFloat(w.value, 64)
		return err == nil && v.Found() && v.Number() == want
	}
	return v.Found() && v.Text == w.value
}

// measure extracts from every document of a directory and counts by language and by type.
func measure(t *testing.T, dir string) (all tally) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("documents of %s: %d, %v", dir, len(files), err)
	}
	byGroup := map[string]*tally{}
	for _, file := range files {
		lang, _, _ := strings.Cut(filepath.Base(file), "-")
		for _, w := range measureFile(t, file) {
			for _, group := range []string{"language " + lang, "type " + string(w.variable.Type)} {
				if byGroup[group] == nil {
					byGroup[group] = &tally{}
				}
				byGroup[group].count(w)
			}
			all.count(w)
		}
	}
	groups := make([]string, 0, len(byGroup))
	for g := range byGroup {
		groups = append(groups, g)
	}
	sort.Strings(groups)
	var report strings.Builder
	for _, g := range groups {
		c := byGroup[g]
		fmt.Fprintf(&report, "%-18s correct %3d  abstained %3d  wrong %3d\n", g, c.correct, c.abstained, c.wrong)
	}
	t.Logf("%d documents\n%s%-18s correct %3d  abstained %3d  wrong %3d  of %d, of which %d are correctly null",
		len(files),
		report.String(), "all", all.correct, all.abstained, all.wrong, all.total(), all.nulls)
	return all
}

type answered struct {
	wanted
	got answers.Value
}

func (t *tally) count(a answered) {
	switch {
	case a.right(a.got):
		t.correct++
		if !a.got.Found() {
			t.nulls++
		}
	case a.got.Found():
		t.wrong++
	default:
		t.abstained++
	}
}

func measureFile(t *testing.T, file string) []answered {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".want")
	if err != nil {
		t.Fatal(err)
	}
	d := readDocument(t, string(text))
	list := readWanted(t, string(want))
	variables := make([]answers.Variable, len(list))
	for i, w := range list {
		variables[i] = w.variable
	}
	found, err := New().Extract(t.Context(), d, answers.ExtractSettings{Variables: variables})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]answered, len(list))
	for i, w := range list {
		all[i] = answered{w, found.Values[w.variable.Name]}
		if got := all[i].got; !w.right(got) {
			kind := "abstained"
			if got.Found() {
				kind = "WRONG"
			}
			t.Logf("%s %s %s (%s): %q, want %q", kind, filepath.Base(file), w.variable.Name, w.variable.Type, got.Text, w.value)
		}
	}
	return all
}

// The target is at least 85 % correct and at most 3 % wrong values. The rest is null.
func TestExtractionMeetsItsTarget(t *testing.T) {
	for _, dir := range []string{"testdata/documents", "testdata/heldout", "testdata/heldout2"} {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			all := measure(t, dir)
			if share := float64(all.correct) / float64(all.total()); share < 0.85 {
				t.Errorf("correct: %.1f %%, want at least 85 %%", share*100)
			}
			if share := float64(all.wrong) / float64(all.total()); share > 0.03 {
				t.Errorf("wrong: %.1f %%, want at most 3 %%", share*100)
			}
		})
	}
}
