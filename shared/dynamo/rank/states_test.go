package rank_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/rank"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// stateOf returns the state of the entries of these tests: half of them are in the first state.
func stateOf(number int64) string {
	if number%2 == 0 {
		return states[0]
	}
	return states[number/2%int64(len(states))]
}

// crowded returns an entry of a tree in which most labels and states occur below each child of a lowest node.
func crowded(number int64) rank.Entry {
	return rank.Entry{Number: number, Label: labels[number/8%4], State: stateOf(number)}
}

func writeCounts(t *testing.T, client *dynamodb.Client, changes *rank.Changes) {
	t.Helper()
	items, err := changes.Items()
	if err == nil {
		err = transactions.Write(t.Context(), client, items)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// stateful yields the first n entries of the tests of states.
func stateful(n int64) rank.Source {
	return func(_ context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
		return func(yield func(rank.Entry, error) bool) {
			for number := from; number < min(to, n); number++ {
				if !yield(rank.Entry{Number: number, Label: labels[number%5], State: stateOf(number)}, nil) {
					return
				}
			}
		}
	}
}

// TestTreeGetsStatesLater counts entries before the tree has states, as an earlier release did. All of them are in the
// first state until a rebuild. Meanwhile, changes of their states are exact, too.
func TestTreeGetsStatesLater(t *testing.T) {
	const size = 9_000
	d := newDirectory(t)
	fill(t, d, size)
	tree := d.tree.WithStates(states)
	var all []rank.Entry
	for e, err := range stateful(size)(t.Context(), 0, size) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	for state, want := range map[string]int64{"": size, states[0]: size, states[1]: 0} {
		if place, err := tree.Find(t.Context(), rank.Filter{State: state}, 0); err != nil || place.Total != want {
			t.Errorf("before the rebuild, state %q has a total of %d (%v), want %d", state, place.Total, err, want)
		}
	}
	changes := tree.Changes()
	changes.Remove(all[8_999])
	writeCounts(t, d.client, changes)
	all = all[:8_999]
	if done, err := tree.Rebuild(t.Context(), stateful(8_999), nil); err != nil || done.Wrong == 0 {
		t.Fatalf("rebuild = %+v, %v", done, err)
	}
	for _, state := range append([]string{""}, states...) {
		for _, label := range []string{"", "admin", "guest"} {
			for _, offset := range []int64{0, 1, 100, 500, 1_000, 8_000, 9_000} {
				checkPlace(t, tree, all, page{label: label, state: state, offset: offset})
			}
		}
	}
	checkTotals(t, d.tree, all) // which knows no states
	if done, err := tree.Rebuild(t.Context(), stateful(8_999), nil); err != nil || done.Wrong != 0 {
		t.Errorf("second rebuild = %+v, %v; want nothing wrong", done, err)
	}
}

// TestCostsOfStates fills the lowest nodes. Half of the entries are not in the first state, which is more than in real
// lists.
func TestCostsOfStates(t *testing.T) {
	const size = 100_000
	d := newDirectory(t)
	client, meter := awstest.Metered(d.client)
	tree := rank.New(client, d.table, "users", labels[:4]).WithStates(states)
	if _, _, err := tree.Allocate(t.Context(), size, time.UnixMilli(1)); err != nil {
		t.Fatal(err)
	}
	for first := int64(0); first < size; first += 512 {
		changes := tree.Changes()
		for number := first; number < min(first+512, size); number++ {
			changes.Add(crowded(number))
		}
		writeCounts(t, d.client, changes)
	}
	for _, offset := range []int64{0, 5_000, 24_000} {
		for _, state := range append([]string{""}, states...) {
			meter.Reset()
			place, err := tree.Find(t.Context(), rank.Filter{State: state}, offset)
			if err != nil || meter.Calls() > 2 || meter.ReadUnits() > 5 {
				t.Errorf("state %q at %d of %d: %d calls, %v units, %v; want at most 2 and 5",
					state, offset, place.Total, meter.Calls(), meter.ReadUnits(), err)
			}
		}
	}
	for number, most := range map[int64]float64{99_999: 10, 50_000: 12} { // in the last node, and in a full one
		meter.Reset()
		moved := tree.Changes()
		e := crowded(number)
		moved.Move(e, rank.Entry{Number: number, Label: e.Label, State: "inactive"})
		writeCounts(t, client, moved)
		if meter.WriteUnits() > most {
			t.Errorf("a change of the state of %d takes %v write units, want at most %v", number, meter.WriteUnits(), most)
		}
	}
}
