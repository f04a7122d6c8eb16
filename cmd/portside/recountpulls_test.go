package main

import "testing"

// A lost ranking is found, corrected, and then equal.
func TestRecountPullsCorrectsARanking(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	recount := func(more ...string) outcome {
		return a.run(append([]string{"recount-pulls", "--from", a.day(0)}, more...)...)
	}
	a.expect(recount("--fix"), 0, "")
	a.deleteAnalyticsItem("top#artifact#"+a.day(0), "top")
	a.expect(recount(), 1, "1 numbers differ")
	a.expect(recount("--fix"), 0, "")
	a.expect(recount(), 0, "")
}
