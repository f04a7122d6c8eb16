package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The targets of readers.
const (
	leastF1        = 0.98
	leastColumnsF1 = 0.95 // of pages with two columns or more
	leastRecall    = 0.99
)

// reading compares the text that a reader finds in a file with its oracle, which is the text that another program
// finds.
type reading struct {
	name   string
	office bool // otherwise it is a PDF
	overlap
}

func (r reading) share() float64 {
	if r.office {
		return r.recall()
	}
	return r.f1()
}

func (r reading) target() float64 {
	switch {
	case r.office:
		return leastRecall
	case strings.Contains(r.name, "columns"):
		return leastColumnsF1
	}
	return leastF1
}

// readAll reads every file that has an oracle. The oracle of x.pdf is x.txt, and the oracle of x.docx is x.docx.txt.
func readAll(ctx context.Context, pdfs, offices string) ([]reading, error) {
	oracles := func(dir string) ([]string, error) { return filepath.Glob(filepath.Join(dir, "*.txt")) }
	var all []reading
	for _, office := range []bool{false, true} {
		dir := pdfs
		if office {
			dir = offices
		}
		found, err := oracles(dir)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("no oracles in %s: %w", dir, cmp.Or(err, os.ErrNotExist))
		}
		for _, oracle := range found {
			r, err := compare(ctx, oracle, office)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func compare(ctx context.Context, oracle string, office bool) (reading, error) {
	file := strings.TrimSuffix(oracle, ".txt")
	if !office {
		file += ".pdf"
	}
	want, err := os.ReadFile(oracle)
	if err != nil {
		return reading{}, err
	}
	d, err := readFile(ctx, file)
	if err != nil {
		return reading{}, err
	}
	r := reading{name: filepath.Base(file), office: office}
	if office {
		r.overlap = overlapOf(words(d.Text()), words(string(want)))
	} else {
		r.overlap = overlapOf(tokens(d.Text()), tokens(joinHyphens(string(want))))
	}
	return r, nil
}

func pdfTable(readings []reading) table { return readingTable(readings, false, "F1") }

func officeTable(readings []reading) table { return readingTable(readings, true, "recall") }

func readingTable(readings []reading, office bool, measure string) table {
	t := table{{"file", "words", measure, "target", ""}}
	readings = slices.DeleteFunc(slices.Clone(readings), func(r reading) bool { return r.office != office })
	for _, r := range readings {
		t.add(r.name, fmt.Sprint(r.want), figure(r.share()), fmt.Sprintf("≥ %.2f", r.target()),
			verdict(r.share() >= r.target()))
	}
	worst := slices.MinFunc(readings, func(a, b reading) int { return cmp.Compare(a.share(), b.share()) })
	t.add("lowest of all", "", figure(worst.share()), "", "")
	return t
}
