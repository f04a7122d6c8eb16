package figures

import "fmt"

// Measurement measures something once and returns milliseconds. It gets the number of the round.
type Measurement func(round int) (float64, error)

// Alternate does all runs one after the other in each round, so that all of them meet the same load of the machine. It
// returns the durations of each.
func Alternate(rounds int, runs ...Measurement) ([][]float64, error) {
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

// Comparison is a figure that does not depend on the machine: durations, and those of a baseline that alternated with
// them.
type Comparison struct {
	What, With      string    // the names of the figure and of its baseline
	Times, Baseline []float64 // in milliseconds
}

// AddComparison adds the ratio of the medians, which should be at most the target, and the medians. With a target of 0,
// it adds only the median.
func (t *Table) AddComparison(c Comparison, target float64) {
	of, baseline := Quantile(c.Times, 0.5), Quantile(c.Baseline, 0.5)
	what := fmt.Sprintf("%s, median of %s", c.What, Number(float64(len(c.Times))))
	if target == 0 {
		t.AddFigure(what, "%s ms", Number(of))
		return
	}
	t.AddFigure(what+", and "+c.With, "%s and %s ms", Number(of), Number(baseline))
	t.AddAtMost(c.What+": times "+c.With, of/baseline, target, "×")
}
