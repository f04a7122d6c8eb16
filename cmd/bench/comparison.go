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

// addComparison adds the ratio of the medians, which should be at most the target, and the medians. With a target of 0, it adds
// only the median.
func (t *table) addComparison(c comparison, target float64) {
	of, baseline := quantile(c.times, 0.5), quantile(c.baseline, 0.5)
	what := fmt.Sprintf("%s, median of %s", c.what, formatNumber(float64(len(c.times))))
	if target == 0 {
		t.addFigure(what, "%s ms", formatNumber(of))
		return
	}
	t.addFigure(what+", and "+c.with, "%s and %s ms", formatNumber(of), formatNumber(baseline))
	t.addAtMost(c.what+": times "+c.with, of/baseline, target, "×")
}
