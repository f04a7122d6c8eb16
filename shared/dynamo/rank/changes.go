package rank

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Changes collects what one transaction does to the entries of a tree. The conditions of the
// transaction must ensure that a removed entry has the given label, because the counters cannot
// check it.
type Changes struct {
	tree   *Tree
	deltas map[Entry]int64
	err    error
}

// Entry is an entry's number, label and state.
type Entry struct {
	Number int64
	Label  string
	State  string // empty in a tree without states
}

// Changes returns an empty collection of changes.
func (t *Tree) Changes() *Changes {
	return &Changes{tree: t, deltas: map[Entry]int64{}}
}

// Add counts a new entry.
func (c *Changes) Add(e Entry) { c.count(e, 1) }

// Remove subtracts a deleted entry.
func (c *Changes) Remove(e Entry) { c.count(e, -1) }

// Move counts an entry under another label or state. It changes nothing if both are equal.
func (c *Changes) Move(from, to Entry) {
	c.Remove(from)
	c.Add(to)
}

func (c *Changes) count(e Entry, delta int64) {
	if c.err == nil {
		c.err = c.tree.check(e)
	}
	c.deltas[e] += delta
}

func (t *Tree) check(e Entry) error {
	if e.Number < 0 || e.Number >= Capacity {
		return fmt.Errorf("rank: %s has no number %d, only 0 to %d", t.name, e.Number, Capacity-1)
	}
	if !slices.Contains(t.labels, e.Label) {
		return fmt.Errorf("rank: %s has no label %q", t.name, e.Label)
	}
	if !t.hasState(e.State) {
		return fmt.Errorf("rank: %s has no state %q", t.name, e.State)
	}
	return nil
}

// hasState reports whether entries can have the state. Without states, only the empty one exists.
func (t *Tree) hasState(state string) bool {
	return len(t.states) == 0 && state == "" || slices.Contains(t.states, state)
}

// Items returns one Update for each node above the changed entries, the root first, for the
// transaction that changes the entries: three for a single entry, and three to five for as many
// entries with contiguous numbers as fit into a transaction. Changes that cancel out have no
// updates. The updates have no conditions and cannot fail on their own. The error means that a
// given label or number does not belong to this tree.
func (c *Changes) Items() ([]types.TransactWriteItem, error) {
	if c.err != nil {
		return nil, c.err
	}
	touched := c.touched()
	nodes := slices.SortedFunc(maps.Keys(touched), func(a, b node) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.index, b.index))
	})
	items := make([]types.TransactWriteItem, 0, len(nodes))
	for _, n := range nodes {
		items = append(items, types.TransactWriteItem{Update: c.tree.addToNode(n, touched[n])})
	}
	return items, nil
}

// touched returns what to add to which nodes. It includes a lowest node even if the changes of its
// entries cancel out, because a rebuild that reads these entries one after the other detects the
// change by the version.
func (c *Changes) touched() map[node]*counts {
	touched := map[node]*counts{}
	for e, delta := range c.deltas {
		if delta == 0 {
			continue
		}
		columns := c.tree.columnsOf(e)
		for level := range lowest + 1 {
			n, child := ancestor(level, e.Number)
			if touched[n] == nil {
				touched[n] = &counts{}
			}
			for _, column := range columns {
				touched[n].cells[child][column] += delta
			}
			if level == lowest {
				touched[n].versions[child]++
			}
		}
	}
	maps.DeleteFunc(touched, func(_ node, c *counts) bool { return *c == counts{} })
	return touched
}

func (t *Tree) addToNode(n node, deltas *counts) *types.Update {
	update := newAddition(deltas)
	return &types.Update{
		TableName: &t.table, Key: t.key(n), UpdateExpression: aws.String(update.expression()),
		ExpressionAttributeNames: update.names, ExpressionAttributeValues: update.values,
	}
}

// addition is an update expression that adds to numbers, with its placeholders.
type addition struct {
	actions []string
	names   map[string]string
	values  map[string]types.AttributeValue
}

func newAddition(deltas *counts) *addition {
	a := &addition{names: map[string]string{}, values: map[string]types.AttributeValue{}}
	for child := range branching {
		for column, delta := range deltas.cells[child] {
			a.add(cellName(child, column), delta)
		}
		a.add(versionName(child), deltas.versions[child])
	}
	return a
}

func (a *addition) add(name string, delta int64) {
	if delta == 0 {
		return
	}
	a.names["#"+name], a.values[":"+name] = name, numeric(delta)
	a.actions = append(a.actions, "#"+name+" :"+name)
}

func (a *addition) expression() string { return "ADD " + strings.Join(a.actions, ", ") }
