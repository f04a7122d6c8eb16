package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// budgetFile has the units of CPU time that the tests of each package may use.
	budgetFile = ".ci/budget.tsv"
	totalLine  = "total"
	// tolerance is the multiple of its entry that a package may use, because its CPU time varies between runs.
	tolerance = 1.5
	// spare is the share of the total that a package may use beyond its tolerance. Up to half of it, it needs no entry.
	// The work of a property depends on its random values: with some seeds, a package of 20 units takes 75. That does
	// not change the total of all tests.
	spare = 0.01
)

// budget compares what `gate measure` has recorded with the budget, or writes the budget.
func budget(args []string) error {
	set, root := newFlags("budget")
	records := set.String("records", "", "`file` that gate measure has written")
	write := set.Bool("write", false, "write "+budgetFile)
	if err := set.Parse(args); err != nil {
		return err
	}
	used, err := readRecords(*records)
	if err != nil {
		return err
	}
	if *write {
		return writeBudget(filepath.Join(*root, budgetFile), used)
	}
	allowed, err := readBudget(*root)
	if err != nil {
		return err
	}
	return report(os.Stdout, used, allowed)
}

// readRecords returns the units that the tests of each package have used. It divides their CPU time by the time of the
// unit of work around them, because everything takes longer while the other processor compiles, for example. A single
// measurement may be wrong, so that time counts as the median of the run at least, and as one and a half of it at most.
func readRecords(path string) (map[string]float64, error) {
	type record struct {
		name      string
		cpu, unit float64
	}
	var records []record
	_, err := readTable(path, func(fields []string) (float64, error) {
		if len(fields) != 3 {
			return 0, errors.New("want a package, its CPU time and that of the unit")
		}
		cpu, err := strconv.ParseFloat(fields[1], 64)
		unit, unitErr := strconv.ParseFloat(fields[2], 64)
		records = append(records, record{fields[0], cpu, unit})
		return cpu, errors.Join(err, unitErr)
	})
	if err != nil || len(records) == 0 {
		return nil, err
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.unit, b.unit) })
	median := records[len(records)/2].unit
	used := map[string]float64{}
	for _, r := range records {
		used[r.name] += r.cpu / min(max(r.unit, median), 1.5*median)
	}
	return used, nil
}

// readBudget returns the units that the tests of each package may use.
func readBudget(root string) (map[string]float64, error) {
	return readTable(filepath.Join(root, budgetFile), func(fields []string) (float64, error) {
		if len(fields) != 2 {
			return 0, errors.New("want a package and its units")
		}
		return strconv.ParseFloat(fields[1], 64)
	})
}

// report prints the most expensive packages, and fails if a package or all of them exceed the budget.
func report(w io.Writer, used, allowed map[string]float64) error {
	byUse := slices.SortedFunc(maps.Keys(used), func(a, b string) int { return int(1000 * (used[b] - used[a])) })
	total, failed := 0.0, false
	for i, name := range byUse {
		total += used[name]
		limit := tolerance*allowed[name] + spare*allowed[totalLine]
		if used[name] > limit {
			failed = true
			_, _ = fmt.Fprintf(w, "FAIL: the tests of %s used %.1f units of CPU time, more than %.1f: make them cheaper, or raise its entry in %s\n",
				name, used[name], limit, budgetFile)
		} else if i < 12 {
			_, _ = fmt.Fprintf(w, "%8.1f units of %.1f  %s\n", used[name], allowed[name], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if _, isMeasured := used[name]; !isMeasured && name != totalLine {
			failed = true
			_, _ = fmt.Fprintf(w, "FAIL: the tests of %s did not run: if they have moved, change its entry in %s\n", name,
				budgetFile)
		}
	}
	_, _ = fmt.Fprintf(w, "%8.1f units of %.1f  in total, of %d packages\n", total, allowed[totalLine], len(used))
	if total > allowed[totalLine] {
		failed = true
		_, _ = fmt.Fprintf(w, "FAIL: all tests used %.1f units of CPU time, more than %.1f: make them cheaper, or raise the total in %s\n",
			total, allowed[totalLine], budgetFile)
	}
	if failed {
		return errFailed
	}
	return nil
}

// totalSlack is the CPU time that all tests may use, as a multiple of the recorded total.
const totalSlack = 1.2

func writeBudget(path string, used map[string]float64) error {
	var text strings.Builder
	text.WriteString("# Units of CPU time that the tests of a package use in .ci/run. `make budget` writes this file after a run.\n")
	total := 0.0
	for _, units := range used {
		total += units
	}
	total *= totalSlack
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if used[name] > spare*total/2 {
			fmt.Fprintf(&text, "%s\t%.1f\n", name, used[name])
		}
	}
	fmt.Fprintf(&text, "%s\t%.0f\n", totalLine, total)
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// readTable reads lines of fields with tabs between them. It adds up the values of lines with the same first field.
func readTable(path string, value func(fields []string) (float64, error)) (map[string]float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	table := map[string]float64{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		v, err := value(fields)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		table[fields[0]] += v
	}
	return table, lines.Err()
}
