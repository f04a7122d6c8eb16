package figures

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAlternateTakesTurns(t *testing.T) {
	var order []string
	next := func(name string, took float64) Measurement {
		return func(round int) (float64, error) {
			order = append(order, name)
			return took + float64(round), nil
		}
	}
	times, err := Alternate(2, next("ours", 10), next("baseline", 1))
	if err != nil || !slices.Equal(order, []string{"ours", "baseline", "ours", "baseline"}) {
		t.Errorf("order %v, %v", order, err)
	}
	if !slices.Equal(times[0], []float64{10, 11}) || !slices.Equal(times[1], []float64{1, 2}) {
		t.Errorf("times %v", times)
	}
	broken := errors.New("broken")
	if _, err := Alternate(2, func(int) (float64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestComparisonIsTheRatioOfTheMedians(t *testing.T) {
	c := Comparison{What: "a start", With: "an empty one", Times: []float64{9, 4, 6}, Baseline: []float64{2, 1, 7}}
	for target, want := range map[float64]string{3: "3 × | ≤ 3 × | ok", 2.9: "3 × | ≤ 2.9 × | MISS", 0: ""} {
		var made Table
		made.AddComparison(c, target)
		text := strings.Join(strings.Fields(made.String()), " ")
		if !strings.Contains(text, want) || strings.Contains(text, "×") != (want != "") {
			t.Errorf("target %v: %s", target, text)
		}
	}
}
