package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// delivery is one invocation: the events that it gets, and where its process ends.
type delivery struct {
	events   []int
	cut      int  // number of calls that succeed before the process ends, or 0 if it does not end
	lost     bool // the call at which the process ends takes effect
	together bool // starts at the same time as the next delivery
}

func (d delivery) String() string {
	text := fmt.Sprint(d.events)
	if d.cut > 0 {
		text += fmt.Sprintf(" ends at call %d (takes effect: %t)", d.cut, d.lost)
	}
	if d.together {
		text += " together with:"
	}
	return text
}

// orderly is each event in its own delivery, in order.
func orderly(events int) []delivery {
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
		d := delivery{events: pick(random, events), together: random.IntN(3) == 0}
		if random.IntN(3) == 0 {
			d.cut, d.lost = 1+random.IntN(12), random.IntN(2) == 0
		}
		all = append(all, d)
	}
	for rest := random.Perm(events); len(rest) > 0; {
		n := 1 + random.IntN(len(rest))
		all = append(all, delivery{events: rest[:n], together: random.IntN(3) == 0})
		rest = rest[n:]
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return retried(all)
}

// retried adds a delivery of the same events after each one that ends in the middle, as a retry does.
func retried(all []delivery) []delivery {
	var complete []delivery
	for _, d := range all {
		complete = append(complete, d)
		if d.cut > 0 {
			complete = append(complete, delivery{events: d.events})
		}
	}
	return complete
}

// pick draws some events, in any order and perhaps twice.
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
			seen[event] = seen[event] || d.cut == 0
		}
	}
	for event := range events {
		if !seen[event] {
			return false
		}
	}
	return true
}

// shrink removes deliveries as long as the rest is complete and still fails.
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

func list(all []delivery) string {
	var text strings.Builder
	for _, d := range all {
		fmt.Fprintf(&text, "\n  %s", d)
	}
	return text.String()
}
