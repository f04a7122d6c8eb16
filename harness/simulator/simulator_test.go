package simulator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portside/harness/invariants"
	"portside/harness/office"
	"portside/testclient/scale"
)

// percentDead is the share of actors whose credential may not work.
const percentDead = 15

// start is the day before a leap day.
var start = time.Date(2028, 2, 28, 22, 0, 0, 0, time.UTC)

// checkEvery is the number of rounds between two checks of the tables.
const checkEvery = 25

//proves:docs/security.md
func TestSimulation(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{scale.Seed(), scale.Seed() + 1} {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			simulate(t, seed, scale.Of(5_000))
		})
	}
}

// simulate opens the office outside the bubble, because the bubble would wait for its engine and its connections
// forever.
func simulate(t *testing.T, seed uint64, steps int) {
	s := &scheduler{random: rand.New(rand.NewPCG(seed, 0)), outside: make(chan func()), mailed: map[string]string{}}
	o, err := office.Open(t.Context(), office.Options{
		Root: filepath.Join("..", ".."), Mails: t.TempDir(), Now: start,
		Through: func(engines office.Client) office.Client {
			s.engines = engines
			return s
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	go func() {
		for f := range s.outside {
			f()
		}
	}()
	defer close(s.outside)
	w := &world{scheduler: s, office: o, seen: map[string]int{}, pullsOn: map[pullFigure]int64{}}
	defer w.report(t, seed) // deferred, because a failure in the bubble ends this function
	synctest.Test(t, func(t *testing.T) { w.live(t, steps) })
}

// report prints the figures and, after a failure, how to repeat it.
func (w *world) report(t *testing.T, seed uint64) {
	t.Helper()
	s, o := w.scheduler, w.office
	t.Logf("figure: seed %d: %d steps, %d operations in %d rounds, %d faults, %d checks of all tables and secrets; the clock went to %s",
		seed, s.steps, w.operations, w.rounds, s.faultCount, w.checks, o.Clock.Now().Format(time.DateOnly))
	t.Logf("figure: seed %d: answers: %v", seed, w.seen)
	if t.Failed() {
		t.Logf("SEED=%d repeats this; the last steps:\n%s", seed, strings.Join(s.trace, "\n"))
	}
}

// live runs rounds until the steps are used up or a check fails.
func (w *world) live(t *testing.T, steps int) {
	ctx := t.Context()
	for w.steps < steps && len(w.failures) == 0 {
		if w.rounds%checkEvery == 0 {
			w.check(ctx)
		}
		w.round(ctx)
		if w.random.IntN(12) == 0 {
			w.jump()
		}
	}
	w.check(ctx)
	for _, sentence := range w.failures {
		t.Error(sentence)
	}
}

// jump moves the clock forward, often to the end or the beginning of a day or month.
func (w *world) jump() {
	now := w.office.Clock.Now()
	midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	choices := []time.Time{
		now.Add(time.Millisecond), now.Add(time.Minute), now.Add(time.Hour), midnight.Add(-time.Millisecond), midnight,
		time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC), now.AddDate(0, 0, 8),
	}
	if w.random.IntN(50) == 0 {
		choices = []time.Time{now.AddDate(1, 0, 0)}
	}
	w.office.Clock.Set(choices[w.random.IntN(len(choices))])
	w.note("the clock shows %s", w.office.Clock.Now().Format(time.RFC3339Nano))
}

// invariants returns the rules that the tables break.
func (w *world) invariants(context.Context) (broken []string, err error) {
	tables := w.office.Tables.Checked()
	w.do(func() { //nolint:contextcheck // it runs outside the bubble, where the context of the bubble must not be used
		broken, err = invariants.Check(context.Background(), w.office.Direct, tables, w.office.Clock.Now())
	})
	return broken, err
}
