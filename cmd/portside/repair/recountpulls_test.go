package repair

import (
	"testing"

	"portside/cmd/portside/portsidetest"
)

// A lost ranking is found, corrected, and then equal.
func TestRecountPullsCorrectsARanking(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	recount := func(more ...string) portsidetest.Outcome {
		return a.Run(append([]string{"recount-pulls", "--from", a.Day(0)}, more...)...)
	}
	a.Expect(recount("--fix"), 0, "")
	a.deleteAnalyticsItem("top#artifact#"+a.Day(0), "top")
	a.Expect(recount(), 1, "1 numbers differ")
	a.Expect(recount("--fix"), 0, "")
	a.Expect(recount(), 0, "")
}
