package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// delivery is one invocation of a function with some events. Its process may be killed; see process.
type delivery struct {
	events       []int
	killedAt     int
	takesEffect  bool
	overlapsNext bool // the next delivery starts without waiting for this one
}

func (d delivery) String() string {
	text := fmt.Sprint(d.events)
	if d.killedAt > 0 {
		text += fmt.Sprintf(" killed at call %d (takes effect: %t)", d.killedAt, d.takesEffect)
	}
	if d.overlapsNext {
		text += " concurrently with:"
	}
	return text
}

// inOrder returns one delivery for each event, in order.
func inOrder(events int) []delivery {
	all := make([]delivery, events)
	for i := range all {
		all[i].events = []int{i}
	}
	return all
}

// permute draws deliveries in which each event succeeds at least once.
func permute(seed uint64, events int) []delivery {
	random := rand.New(rand.NewPCG(seed, 1))
	var all []delivery
	for range random.IntN(2 * events) {
		d := delivery{events: pick(random, events), overlapsNext: random.IntN(3) == 0}
		if random.IntN(3) == 0 {
			d.killedAt, d.takesEffect = 1+random.IntN(12), random.IntN(2) == 0
		}
		all = append(all, d)
	}
	for rest := random.Perm(events); len(rest) > 0; { // each event once, in processes that are not killed
		n := 1 + random.IntN(len(rest))
		all = append(all, delivery{events: rest[:n], overlapsNext: random.IntN(3) == 0})
		rest = rest[n:]
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return withRetries(all)
}

// withRetries repeats each delivery whose process is killed, as Lambda does.
func withRetries(all []delivery) []delivery {
	var complete []delivery
	for _, d := range all {
		complete = append(complete, d)
		if d.killedAt > 0 {
			complete = append(complete, delivery{events: d.events})
		}
	}
	return complete
}

// pick draws some events in any order, some of them perhaps several times.
func pick(random *rand.Rand, events int) []int {
	picked := make([]int, 1+random.IntN(events))
	for i := range picked {
		picked[i] = random.IntN(events)
	}
	return picked
}

// isComplete reports whether each event is in a delivery that succeeds.
func isComplete(all []delivery, events int) bool {
	seen := map[int]bool{}
	for _, d := range all {
		for _, event := range d.events {
			seen[event] = seen[event] || d.killedAt == 0
		}
	}
	for event := range events {
		if !seen[event] {
			return false
		}
	}
	return true
}

// shrink removes each delivery without which the rest is complete and still fails.
func shrink(all []delivery, events int, fails func([]delivery) bool) []delivery {
	for i := 0; i < len(all); {
		fewer := slices.Delete(slices.Clone(all), i, i+1)
		if isComplete(fewer, events) && fails(fewer) {
			all = fewer
			continue
		}
		i++
	}
	return all
}

// describe lists deliveries, one a line.
func describe(all []delivery) string {
	var text strings.Builder
	for _, d := range all {
		fmt.Fprintf(&text, "\n  %s", d)
	}
	return text.String()
}
