package main

import "testing"

func TestChain(t *testing.T) {
	for name, c := range map[string]struct {
		calls []call
		want  int
	}{
		"none":                   {nil, 0},
		"one after the other":    {[]call{{"", 0, 5}, {"", 6, 11}, {"", 12, 17}}, 3},
		"at the same time":       {[]call{{"", 0, 5}, {"", 1, 6}, {"", 2, 7}}, 1},
		"two beside a long one":  {[]call{{"", 0, 20}, {"", 1, 6}, {"", 7, 12}}, 2},
		"in the order of starts": {[]call{{"", 12, 17}, {"", 6, 11}, {"", 0, 5}}, 3},
	} {
		if got := chain(c.calls); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestMedianChainOfTheFunctionThatAnswers(t *testing.T) {
	other := []call{{"counts", 0, 1}, {"counts", 2, 3}, {"counts", 4, 5}, {"counts", 6, 7}}
	users := []call{{"users", 0, 5}, {"users", 6, 11}}
	if got := medianChain([][]call{users, append(other, users...), users[:1]}); got != 2 {
		t.Errorf("%v calls, want the 2 of the function that called in each request", got)
	}
	if got := medianChain(nil); got != 0 {
		t.Errorf("%v calls of no requests", got)
	}
}
