package rank_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"portside/shared/dynamo/rank"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// model is a simple list next to a tree. Both get the same changes.
type model struct {
	client  *dynamodb.Client
	tree    *rank.Tree
	states  []string     // empty if the tree has none
	entries []rank.Entry // by number
}

// state returns one of the states, if there are any.
func (m *model) state(t *rapid.T) string {
	if len(m.states) == 0 {
		return ""
	}
	return rapid.SampledFrom(m.states).Draw(t, "state")
}

// create creates up to 40 entries at once, after a gap of unused numbers that leads to other nodes.
func (m *model) create(t *rapid.T) {
	jump := rapid.SampledFrom([]int{0, 0, 1, 60, 2_000, 70_000, 300_000, 1_000_000}).Draw(t, "jump")
	made := rapid.SliceOfN(rapid.SampledFrom(labels), 1, 40).Draw(t, "made")
	first, _, err := m.tree.Allocate(t.Context(), jump+len(made), time.UnixMilli(1))
	if err != nil {
		t.Fatalf("allocate: %v", err)
	}
	changes := m.tree.Changes()
	for i, label := range made {
		e := rank.Entry{Number: first + int64(jump+i), Label: label, State: m.state(t)}
		changes.Add(e)
		m.entries = append(m.entries, e)
	}
	m.apply(t, changes)
}

// change moves some entries and removes others, in one transaction. If there are no entries, it creates some first.
func (m *model) change(t *rapid.T) {
	if len(m.entries) == 0 {
		m.create(t)
	}
	changes := m.tree.Changes()
	for range rapid.IntRange(1, 20).Draw(t, "changes") {
		if len(m.entries) == 0 {
			break
		}
		at := rapid.IntRange(0, len(m.entries)-1).Draw(t, "at")
		if e := m.entries[at]; rapid.Bool().Draw(t, "remove") {
			changes.Remove(e)
			m.entries = slices.Delete(m.entries, at, at+1)
		} else {
			m.entries[at].Label, m.entries[at].State = rapid.SampledFrom(labels).Draw(t, "to"), m.state(t)
			changes.Move(e, m.entries[at])
		}
	}
	m.apply(t, changes)
}

func (m *model) apply(t *rapid.T, changes *rank.Changes) {
	items, err := changes.Items()
	if err != nil {
		t.Fatalf("items: %v", err)
	}
	if len(items) == 0 {
		return
	}
	if err := transactions.Write(t.Context(), m.client, items); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func (m *model) check(t *rapid.T) {
	checkTotals(t, m.tree, m.entries)
	checkPlace(t, m.tree, m.entries, page{
		label:  rapid.SampledFrom(append([]string{""}, labels...)).Draw(t, "label"),
		state:  rapid.SampledFrom(append([]string{""}, m.states...)).Draw(t, "state"),
		offset: rapid.Int64Range(-1, int64(len(m.entries))+1).Draw(t, "offset"),
	})
}

func TestTreeMatchesList(t *testing.T) {
	d, trees := newDirectory(t), 0
	rapid.Check(scale.ChecksOf(t, 20), func(t *rapid.T) {
		trees++
		m := &model{
			client: d.client, tree: rank.New(d.client, d.table, fmt.Sprint("list-", trees), labels),
			states: rapid.SampledFrom([][]string{nil, states[:2], states}).Draw(t, "states"),
		}
		if m.states != nil {
			m.tree = m.tree.WithStates(m.states)
		}
		t.Repeat(map[string]func(*rapid.T){"create": m.create, "change": m.change, "": m.check})
	})
}

// TestConcurrentWriters lets 8 workers create, move and remove entries 800 times. Every fifth transaction first
// meets a conflict. Then it compares pages with a full walk.
func TestConcurrentWriters(t *testing.T) {
	d := newDirectory(t)
	conflicting := d.through(awstest.Faulty(d.client, func(operation string, n int) error {
		if operation == "TransactWriteItems" && n%5 == 0 {
			return awstest.TransactionConflict(5)
		}
		return nil
	}))
	var workers sync.WaitGroup
	for worker := range uint64(8) {
		workers.Go(func() { work(t, conflicting, rand.New(rand.NewPCG(worker, 0)), 100) })
	}
	workers.Wait()
	all := d.walk(t)
	checkTotals(t, d.tree, all)
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		label := append([]string{""}, labels...)[random.IntN(len(labels)+1)]
		checkPlace(t, d.tree, all, page{label: label, offset: random.Int64N(int64(len(all) + 5))})
	}
}

// work creates entries and changes them at random.
func work(t *testing.T, d *directory, random *rand.Rand, changes int) {
	var own []rank.Entry
	for range changes {
		label := labels[random.IntN(len(labels))]
		switch i := random.IntN(len(own) + 1); {
		case i == len(own) || random.IntN(2) == 0:
			e, err := d.create(t.Context(), label)
			if err != nil {
				t.Errorf("create: %v", err)
				return
			}
			own = append(own, e)
		case random.IntN(2) == 0:
			if err := d.move(t.Context(), own[i], label); err != nil {
				t.Errorf("move: %v", err)
			}
			own[i].Label = label
		default:
			if err := d.remove(t.Context(), own[i]); err != nil {
				t.Errorf("remove: %v", err)
			}
			own = slices.Delete(own, i, i+1)
		}
	}
}

// TestFindAtTheEdgesOfNodes has more entries on both sides of each edge than Find skips instead of descending to them.
func TestFindAtTheEdgesOfNodes(t *testing.T) {
	const beside = 100
	d := newDirectory(t)
	changes, all := d.tree.Changes(), []rank.Entry(nil)
	next := int64(0)
	edges := []int64{0, 32, 64, 128, 2_048, 4_096, 8_192, 65_536, 262_144, 1_048_576}
	for _, edge := range edges {
		for next = max(next, edge-beside); next < edge+beside; next++ {
			all = append(all, at(next, labels[next%2]))
			changes.Add(all[len(all)-1])
		}
	}
	if err := d.write(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	for offset, e := range all {
		for _, edge := range edges {
			if e.Number >= edge-1 && e.Number <= edge+1 {
				checkPlace(t, d.tree, all, page{offset: int64(offset)})
			}
		}
	}
}

// TestFindDuringDeletions removes the first 2,000 entries after Find has read the top of the tree, so that nodes
// have fewer entries than their parents counted. The result must be correct after the removal.
func TestFindDuringDeletions(t *testing.T) {
	for offset, want := range map[int64]int64{1_500: 3_500, 8_000: 10_000} { // the latter is in another group then
		d := newDirectory(t)
		fill(t, d, 12_000)
		racing := awstest.Faulty(d.client, func(_ string, n int) error {
			if n == 2 {
				removeRange(t, d, 0, 2_000)
			}
			return nil
		})
		place, err := d.through(racing).tree.Find(t.Context(), rank.Filter{}, offset)
		if err != nil || place.PastEnd || place.Start+int64(place.Skip) != want {
			t.Errorf("find at %d = %+v, %v; want number %d", offset, place, err, want)
		}
	}
}

func removeRange(t *testing.T, d *directory, from, to int64) {
	changes := d.tree.Changes()
	for number := from; number < to; number++ {
		changes.Remove(at(number, labels[number%int64(len(labels))]))
	}
	if err := d.write(t.Context(), changes); err != nil {
		t.Error(err)
	}
}

func TestUnknownLabelsAndNumbersAreRejected(t *testing.T) {
	d := newDirectory(t)
	if _, err := d.tree.Find(t.Context(), rank.Filter{Label: "nobody"}, 0); err == nil {
		t.Error("Find accepted an unknown label")
	}
	for name, change := range map[string]func(*rank.Changes){
		"label":           func(c *rank.Changes) { c.Move(at(1, "admin"), at(1, "nobody")) },
		"state":           func(c *rank.Changes) { c.Add(rank.Entry{Number: 1, Label: "admin", State: "active"}) },
		"number":          func(c *rank.Changes) { c.Add(at(rank.Capacity, "admin")) },
		"negative number": func(c *rank.Changes) { c.Remove(at(-1, "admin")) },
	} {
		changes := d.tree.Changes()
		change(changes)
		if _, err := changes.Items(); err == nil {
			t.Errorf("Items accepted an invalid %s", name)
		}
	}
}

func TestNewPanicsOnInvalidLabels(t *testing.T) {
	for _, wrong := range [][]string{nil, {"a", "a"}, {""}, {"a", "b", "c", "d", "e", "f", "g", "h", "i"}} {
		wantPanic(t, fmt.Sprintf("the labels %q", wrong), func() { rank.New(nil, "table", "name", wrong) })
	}
	for _, wrong := range [][]string{nil, {"a"}, {"a", "a"}, {"", "a"}, {"a", "b", "c", "d", "e"}} {
		wantPanic(t, fmt.Sprintf("the states %q", wrong), func() { rank.New(nil, "table", "name", labels).WithStates(wrong) })
	}
}

func wantPanic(t *testing.T, what string, call func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s were accepted", what)
		}
	}()
	call()
}
