// Package figures is the table of what a benchmark has measured, with targets, and comparisons with baselines, which do
// not depend on the machine.
package figures

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// row is a line of the table.
type row struct {
	what, measured, target, verdict string
}

// Table holds the figures measured so far. It prints as Markdown with aligned columns.
type Table struct {
	rows []row
}

// IsEmpty reports whether there are no figures.
func (t *Table) IsEmpty() bool { return len(t.rows) == 0 }

// AddFigure adds a figure without a target.
func (t *Table) AddFigure(what, format string, args ...any) {
	t.rows = append(t.rows, row{what: what, measured: fmt.Sprintf(format, args...)})
}

// AddAtMost adds a figure that should be at most the target.
func (t *Table) AddAtMost(what string, value, target float64, unit string) {
	t.addWithTarget(what, value, target, bound{"≤", unit, value <= target})
}

// AddAtLeast adds a figure that should be at least the target.
func (t *Table) AddAtLeast(what string, value, target float64, unit string) {
	t.addWithTarget(what, value, target, bound{"≥", unit, value >= target})
}

type bound struct {
	sign, unit string
	kept       bool
}

func (t *Table) addWithTarget(what string, value, target float64, b bound) {
	verdict := "ok"
	if !b.kept {
		verdict = "MISS"
	}
	t.rows = append(t.rows, row{
		what: what, measured: Number(value) + " " + b.unit, target: b.sign + " " + Number(target) + " " + b.unit, verdict: verdict,
	})
}

// String returns the table as Markdown.
func (t Table) String() string {
	lines := [][]string{{"what", "measured", "target", ""}, {"", "", "", ""}}
	for _, r := range t.rows {
		lines = append(lines, []string{r.what, r.measured, r.target, r.verdict})
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for n, line := range lines {
		for i, cell := range line {
			fill := " "
			if n == 1 {
				fill = "-"
			}
			text.WriteString("|" + fill + cell + strings.Repeat(fill, widths[i]-utf8.RuneCountInString(cell)+1))
		}
		text.WriteString("|\n")
	}
	return text.String()
}

// Number rounds to three significant digits, because measurements are not more accurate than
// that, and groups thousands.
func Number(value float64) string {
	decimals := 0
	switch size := math.Abs(value); {
	case size < 10 && value != math.Trunc(value):
		decimals = 2
	case size < 100 && value != math.Trunc(value):
		decimals = 1
	}
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	if decimals > 0 {
		return strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Quantile returns the smallest value that the share q of the values does not exceed.
func Quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// Machine describes the machine and its load before the run.
func Machine() string {
	model := "unknown CPU"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, found := strings.Cut(string(info), "model name"); found {
			line, _, _ := strings.Cut(rest, "\n")
			model = strings.TrimLeft(line, "\t :")
		}
	}
	load := "unknown"
	if average, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(average), " ")
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s; load average %s before the run",
		model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), load)
}
