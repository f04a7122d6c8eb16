package main

import "fmt"

// measurement measures something once and returns milliseconds. It gets the number of the round.
type measurement func(round int) (float64, error)

// alternate does all runs one after the other in each round, so that all of them meet the same load of the machine. It returns the
// durations of each.
func alternate(rounds int, runs ...measurement) ([][]float64, error) {
	times := make([][]float64, len(runs))
	for round := range rounds {
		for i, measure := range runs {
			took, err := measure(round)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	return times, nil
}

// comparison is a figure that does not depend on the machine: durations in milliseconds, and those of a baseline that alternated with
// them.
type comparison struct {
	what, with      string
	times, baseline []float64
}

// addComparison adds the ratio of the medians, which should be at most the target, and the medians. A target of 0 adds only the
// figures.
func (t *table) addComparison(c comparison, target float64) {
	of, baseline := quantile(c.times, 0.5), quantile(c.baseline, 0.5)
	t.addFigure(fmt.Sprintf("%s, median of %s", c.what, formatNumber(float64(len(c.times)))), "%s ms, from %s to %s",
		formatNumber(of), formatNumber(quantile(c.times, 0)), formatNumber(quantile(c.times, 1)))
	if target > 0 {
		t.addAtMost(c.what+": times the "+c.with, of/baseline, target, "×")
	}
}
