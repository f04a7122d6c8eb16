package histories_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"portside/shared/testkit/histories"
)

// register is a model of a number that clients read (-1) and write.
func register() histories.Model[int, int, int] {
	return histories.Model[int, int, int]{
		Step: func(state, in, out int) (int, bool) {
			if in >= 0 {
				return in, true
			}
			return state, out == state
		},
		Part: func(int) string { return "the register" },
	}
}

// failures counts the errors of a check.
type failures struct {
	testing.TB

	texts []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

func TestCheckFindsImpossibleAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reads []int // answers of reads after a write of 1
		wrong bool
	}{
		"the last write":       {[]int{1, 1}, false},
		"a write that is lost": {[]int{0}, true},
		"back in time":         {[]int{1, 0}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var history histories.History[int, int]
			history.Do(1, 1, func() int { return 0 })
			for _, answer := range test.reads {
				history.Do(2, -1, func() int { return answer })
			}
			found := failures{TB: t}
			histories.Check(&found, register(), &history)
			if (len(found.texts) > 0) != test.wrong {
				t.Errorf("findings: %q", found.texts)
			}
			if test.wrong && !strings.Contains(found.texts[0], "client 2") {
				t.Errorf("the finding does not show the operations: %s", found.texts[0])
			}
		})
	}
}

// TestCheckAcceptsEitherOrder has a read during a write.
func TestCheckAcceptsEitherOrder(t *testing.T) {
	t.Parallel()
	for _, answer := range []int{0, 1} {
		var history histories.History[int, int]
		history.Do(1, 1, func() int {
			history.Do(2, -1, func() int { return answer })
			return 0
		})
		histories.Check(t, register(), &history)
	}
}

func TestRefutesFindsModelsThatAcceptWrongAnswers(t *testing.T) {
	t.Parallel()
	type step = histories.Step[int, int]
	for answer, finds := range map[int]int{1: 1, 0: 0} {
		found := failures{TB: t}
		histories.Refutes(&found, register(), histories.Sequence(step{In: 1}, step{In: -1, Out: answer}))
		if len(found.texts) != finds {
			t.Errorf("answer %d: findings %q", answer, found.texts)
		}
	}
}

func TestRunDoesEachStep(t *testing.T) {
	t.Parallel()
	var history histories.History[int, int]
	histories.Run(4, 3, 1, func(client int, random *rand.Rand) {
		history.Do(client, random.IntN(5), func() int { return 0 })
	})
	found := failures{TB: t}
	histories.Refutes(&found, histories.Model[int, int, int]{
		Step: func(state, _, _ int) (int, bool) { return state + 1, state < 12 },
		Part: func(int) string { return "steps" },
	}, &history)
	if len(found.texts) != 1 || strings.Count(found.texts[0], "client ") != 12 {
		t.Errorf("4 clients did not do 3 steps: %q", found.texts)
	}
}
