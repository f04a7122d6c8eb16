// Package lists keeps resources in DynamoDB in the order of their creation, and returns pages at
// any offset with exact totals. There is a list of all resources and one for each label (a role, a
// status), which package rank counts.
//
//	list#all        <number>   the list form of a resource
//	list#<label>    <number>   the same, for one label
//	rank#<name>…               counts over the lists; see package rank
//
// Resources can also have a state, which filters each of these lists; see [Shape]. The list form is then also in
//
//	list#all#<state>      <number>
//	list#<label>#<state>  <number>
//
// Some resources also belong to a scope, such as a customer; see Entry.Scope. [Lists.In] returns the lists of a scope,
// which have the same form and the same numbers:
//
//	list#<scope>#all      <number>
//	list#<scope>#<label>  <number>
//	list#<scope>#…#<state>
//	rank#<name>#<scope>…
//
// The list form has separate items instead of an index, because an index is eventually
// consistent: a page would disagree with its total just after a write. So a resource is written
// together with its list entries and their counts in one transaction, for which [Changes] collects
// the writes. [Lists.Rebuild] repairs the lists after a restore or a manual edit.
//
// The list form has the attributes "id" of its resource and "created" in milliseconds.
package lists

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/rank"
)

const (
	keyPrefix = "list#"
	all       = "all"
)

// Shape describes the lists of one kind of resource.
type Shape struct {
	Name   string   // of the counters
	Label  string   // the attribute of an entry that has its label
	Labels []string // see rank.New; "all" is not allowed
	State  string   // the attribute that has its state; unused without States
	// States is nil, or see rank.Tree.WithStates. Resources can get states later: until a Rebuild, the lists of states
	// lack older entries.
	States []string
}

func (s Shape) tree(client *dynamodb.Client, table string) *rank.Tree {
	tree := rank.New(client, table, s.Name, s.Labels)
	if s.States == nil {
		return tree
	}
	return tree.WithStates(s.States)
}

// Lists has the lists of one kind of resource in a table.
type Lists struct {
	client *dynamodb.Client
	table  string
	shape  Shape
	prefix string // of the partition keys
	ranks  *rank.Tree
}

// New returns the lists in a table.
func New(client *dynamodb.Client, table string, shape Shape) *Lists {
	return &Lists{client: client, table: table, shape: shape, prefix: keyPrefix, ranks: shape.tree(client, table)}
}

// In returns the lists of a scope. Its entries are also in l, which allocates their numbers. A scope is neither empty
// nor a label.
func (l *Lists) In(scope string) *Lists {
	return &Lists{
		client: l.client, table: l.table, shape: l.shape, prefix: keyPrefix + scope + "#",
		ranks: l.ranks.In(scope),
	}
}

// Total returns the exact number of entries, strongly consistent.
func (l *Lists) Total(ctx context.Context) (int64, error) {
	totals, err := l.ranks.Totals(ctx)
	total := int64(0)
	for _, n := range totals {
		total += n
	}
	return total, err
}

// Allocate returns the first of n numbers for new entries, and the time of their creation; see
// rank.Tree.Allocate.
func (l *Lists) Allocate(ctx context.Context, n int, now time.Time) (first int64, at time.Time, err error) {
	return l.ranks.Allocate(ctx, n, now)
}

// number formats a number so that text order is numeric order. The capacity of package rank has 8
// digits.
func number(n int64) string { return fmt.Sprintf("%010d", n) }

// IsKey reports whether a partition key belongs to a list.
func IsKey(pk string) bool { return strings.HasPrefix(pk, keyPrefix) }

// Entry is a resource in the lists.
type Entry struct {
	Number int64
	Label  string
	State  string    // empty if the resources have none
	Scope  string    // empty if the resource belongs to none
	Form   items.Map // the list form, without keys
}

func (e Entry) counted() rank.Entry {
	return rank.Entry{Number: e.Number, Label: e.Label, State: e.State}
}

// inState returns the list of the entry's state in a list, or an empty text if it has no state.
func (e Entry) inState(list string) string {
	if e.State == "" {
		return ""
	}
	return list + "#" + e.State
}

// Items returns the entry as items of the list of all and of the list of its label, each also in the list of its state,
// and of the same lists of its scope.
func (l *Lists) Items(e Entry) []items.Map {
	stored := []items.Map{l.item(e, all), l.item(e, e.Label)}
	if e.State != "" {
		stored = append(stored, l.item(e, e.inState(all)), l.item(e, e.inState(e.Label)))
	}
	if e.Scope != "" {
		scoped := e
		scoped.Scope = ""
		stored = append(stored, l.In(e.Scope).Items(scoped)...)
	}
	return stored
}

func (l *Lists) item(e Entry, list string) items.Map {
	item := l.key(e, list)
	maps.Copy(item, e.Form)
	return item
}

func (l *Lists) key(e Entry, list string) items.Map {
	return items.Key(l.prefix+list, number(e.Number))
}

// Changes collects the changes of one transaction to the lists. Its methods return the writes of
// entries, which fail if the lists disagree with the resources.
type Changes struct {
	lists  *Lists
	counts *rank.Changes
	scopes map[string]*Changes // of the lists of scopes, by scope
}

// Changes returns an empty collection of changes.
func (l *Lists) Changes() *Changes { return &Changes{l, l.ranks.Changes(), map[string]*Changes{}} }

// in returns the changes of the lists of a scope.
func (c *Changes) in(scope string) *Changes {
	if c.scopes[scope] == nil {
		c.scopes[scope] = c.lists.In(scope).Changes()
	}
	return c.scopes[scope]
}

// Add adds a new entry.
func (c *Changes) Add(e Entry) []types.TransactWriteItem {
	writes := c.addEntry(e)
	if e.Scope != "" {
		writes = append(writes, c.in(e.Scope).addEntry(e)...)
	}
	return writes
}

func (c *Changes) addEntry(e Entry) []types.TransactWriteItem {
	c.counts.Add(e.counted())
	writes := []types.TransactWriteItem{c.putItem(e, all, isNew), c.putItem(e, e.Label, isNew)}
	return append(writes, c.replaceInStates(Entry{}, e)...)
}

// Replace gives an entry another form and possibly another label, state and scope.
func (c *Changes) Replace(before, after Entry) []types.TransactWriteItem {
	writes := c.replaceEntry(before, after)
	if before.Scope == after.Scope {
		if after.Scope != "" {
			writes = append(writes, c.in(after.Scope).replaceEntry(before, after)...)
		}
		return writes
	}
	if before.Scope != "" {
		writes = append(writes, c.in(before.Scope).removeEntry(before)...)
	}
	if after.Scope != "" {
		writes = append(writes, c.in(after.Scope).addEntry(after)...)
	}
	return writes
}

func (c *Changes) replaceEntry(before, after Entry) []types.TransactWriteItem {
	if before.counted() != after.counted() {
		c.counts.Move(before.counted(), after.counted())
	}
	writes := append(c.replaceInStates(before, after), c.putItem(after, all, isThere))
	if before.Label == after.Label {
		return append(writes, c.putItem(after, after.Label, isThere))
	}
	return append(writes, c.removeItem(before, before.Label), c.putItem(after, after.Label, isNew))
}

// replaceInStates replaces an entry in the lists of states. A zero Entry stands for none. The writes cannot fail: an
// entry from before its resources had states is missing until a rebuild.
func (c *Changes) replaceInStates(before, after Entry) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	for _, list := range [][2]string{{before.inState(all), after.inState(all)},
		{before.inState(before.Label), after.inState(after.Label)}} {
		if list[0] != "" && list[0] != list[1] {
			writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &c.lists.table,
				Key: c.lists.key(before, list[0])}})
		}
		if list[1] != "" {
			writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &c.lists.table,
				Item: c.lists.item(after, list[1])}})
		}
	}
	return writes
}

// Remove removes an entry.
func (c *Changes) Remove(e Entry) []types.TransactWriteItem {
	writes := c.removeEntry(e)
	if e.Scope != "" {
		writes = append(writes, c.in(e.Scope).removeEntry(e)...)
	}
	return writes
}

func (c *Changes) removeEntry(e Entry) []types.TransactWriteItem {
	c.counts.Remove(e.counted())
	return append(c.replaceInStates(e, Entry{}), c.removeItem(e, all), c.removeItem(e, e.Label))
}

// Counters returns the writes of all changed counters. They cannot fail on their own.
func (c *Changes) Counters() ([]types.TransactWriteItem, error) {
	writes, err := c.counts.Items()
	for _, scoped := range c.scopes {
		if err != nil {
			return nil, err
		}
		var more []types.TransactWriteItem
		more, err = scoped.Counters()
		writes = append(writes, more...)
	}
	return writes, err
}

const (
	isNew   = "attribute_not_exists(pk)"
	isThere = "attribute_exists(pk)"
)

func (c *Changes) putItem(e Entry, list, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &c.lists.table, Item: c.lists.item(e, list), ConditionExpression: &condition,
	}}
}

func (c *Changes) removeItem(e Entry, list string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &c.lists.table, Key: c.lists.key(e, list), ConditionExpression: aws.String(isThere),
	}}
}
