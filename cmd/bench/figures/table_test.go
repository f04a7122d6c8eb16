package figures

import (
	"strings"
	"testing"
)

func TestFormatNumber(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 1: "1", 12: "12", 999: "999", 1_000: "1,000", 1_234_567.8: "1,234,568",
		0.1234: "0.12", 9.876: "9.88", 12.34: "12.3", 123.4: "123",
	} {
		if got := Number(value); got != want {
			t.Errorf("formatNumber(%v) = %q, want %q", value, got, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.2: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := Quantile(values, q); got != want {
			t.Errorf("quantile(%v) = %v, want %v", q, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	var tb Table
	tb.AddAtMost("time", 2, 2.5, "ms")
	tb.AddAtMost("größe", 2000, 14, "MB")
	tb.AddAtLeast("rate", 499, 500, "/s")
	tb.AddFigure("free", "%d and %d", 1, 2)
	want := strings.TrimPrefix(`
| what  | measured | target   |      |
|-------|----------|----------|------|
| time  | 2 ms     | ≤ 2.5 ms | ok   |
| größe | 2,000 MB | ≤ 14 MB  | MISS |
| rate  | 499 /s   | ≥ 500 /s | MISS |
| free  | 1 and 2  |          |      |
`, "\n")
	if got := tb.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
