package main

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

// table holds the figures measured so far. It prints as Markdown with aligned columns.
type table struct {
	rows []row
}

// addFigure adds a figure without a target.
func (t *table) addFigure(what, format string, args ...any) {
	t.rows = append(t.rows, row{what: what, measured: fmt.Sprintf(format, args...)})
}

// addAtMost adds a figure that should be at most the target.
func (t *table) addAtMost(what string, value, target float64, unit string) {
	t.addWithTarget(what, value, target, bound{"≤", unit, value <= target})
}

// addAtLeast adds a figure that should be at least the target.
func (t *table) addAtLeast(what string, value, target float64, unit string) {
	t.addWithTarget(what, value, target, bound{"≥", unit, value >= target})
}

type bound struct {
	sign, unit string
	kept       bool
}

func (t *table) addWithTarget(what string, value, target float64, b bound) {
	verdict := "ok"
	if !b.kept {
		verdict = "MISS"
	}
	t.rows = append(t.rows, row{
		what: what, measured: formatNumber(value) + " " + b.unit, target: b.sign + " " + formatNumber(target) + " " + b.unit, verdict: verdict,
	})
}

// String returns the table as Markdown.
func (t table) String() string {
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

// formatNumber rounds to three significant digits, because measurements are not more accurate than
// that, and groups thousands.
func formatNumber(value float64) string {
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

// quantile returns the smallest value that the share q of the values does not exceed.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

// describeMachine describes the machine and its load before the run.
func describeMachine() string {
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
