package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

// readDocument builds a document from the notation of testdata: "# " and "## " headings, "- " list items, "= name | value"
// fields, "| a | b" rows, "! a | b" a row of heads that begins a table, "~" a new table, "---" a new page, "@left,top,right,bottom
// text" words placed on a page, and paragraphs, whose lines stay apart.
func readDocument(tb testing.TB, text string) *documents.Document {
	tb.Helper()
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	b.Page()
	r := documentReader{into: b, table: b.NextTable()}
	for line := range strings.SplitSeq(text, "\n") {
		if err := r.line(line); err != nil {
			tb.Fatal(err)
		}
	}
	if err := r.flush(); err != nil {
		tb.Fatal(err)
	}
	return b.Document()
}

type documentReader struct {
	into      *documents.Builder
	table     int
	paragraph []string
}

func (r *documentReader) flush() error {
	text := strings.Join(r.paragraph, "\n")
	r.paragraph = nil
	return r.into.Add(documents.Block{Kind: documents.Paragraph, Text: text})
}

func (r *documentReader) line(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	if line != "" && !strings.HasPrefix(kind, "@") && !slices.Contains([]string{"#", "##", "-", "=", "!", "|", "~", "---"}, kind) {
		r.paragraph = append(r.paragraph, line)
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	switch kind {
	case "#", "##":
		return r.into.Add(documents.Block{Kind: documents.Heading, Text: rest, Level: len(kind)})
	case "-":
		return r.into.Add(documents.Block{Kind: documents.ListItem, Text: rest})
	case "=":
		return r.into.Add(documents.Block{Kind: documents.Field, Cells: cellsOf(rest, false)})
	case "!":
		r.table = r.into.NextTable()
		return r.into.Add(documents.Block{Kind: documents.Row, Table: r.table, Cells: cellsOf(rest, false)})
	case "|":
		return r.into.Add(documents.Block{Kind: documents.Row, Table: r.table, Cells: cellsOf(rest, false)})
	case "~":
		r.table = r.into.NextTable()
	case "---":
		r.into.Page()
	case "":
		return nil
	default:
		return r.placed(kind[1:], rest)
	}
	return nil
}

func (r *documentReader) placed(box, text string) error {
	var at [4]float64
	for i, n := range strings.SplitN(box, ",", len(at)) {
		at[i], _ = strconv.ParseFloat(n, 64)
	}
	place := documents.Box{Left: at[0], Top: at[1], Right: at[2], Bottom: at[3]}
	return r.into.Add(documents.Block{Kind: documents.Paragraph, Text: text, Box: place})
}

func cellsOf(line string, header bool) []documents.Cell {
	var cells []documents.Cell
	for i, text := range strings.Split(line, "|") {
		cells = append(cells, documents.Cell{Text: strings.TrimSpace(text), Column: i, Header: header})
	}
	return cells
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
		all = append(all, wanted{answers.Variable{Name: parts[0], Type: answers.Type(parts[1]), Description: parts[2]}, parts[3]})
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
	t.Logf("%d documents\n%s%-18s correct %3d  abstained %3d  wrong %3d  of %d, of which %d are correctly null", len(files),
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
