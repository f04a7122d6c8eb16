// Package rank counts the entries of an ordered list in DynamoDB, so that a page at any offset and
// exact totals cost the same for ten entries and for ten million.
//
// Every entry has a number, which Allocate gives only once, and a label (a role, a
// status). It can also have a state, see [Tree.WithStates].
//
// The digits of the number are a path through a tree of counter items with a fixed shape:
// three levels of nodes with 32 children each. The numbers under a child belong to a group of four
// nodes of the next level, and there are 64 numbers under each child of the lowest level,
// 33,554,432 in all. A node counts the entries by child and label. An entry and the three nodes
// above it change in one transaction, which Changes prepares, so the counts are always exact. The
// caller keeps the list itself: one sorted list per label, and one of all, each ordered by number.
//
// The shape is fixed because a balancing tree would have to split nodes that other writers use.
// Numbers without an entry cost nothing. Numbers are never used again, so a list whose entries were
// all deleted continues with the next number.
//
// # Items
//
//	pk "rank#<name>"                  sk "sequence"  next (first free number), at (time of the last one, ms)
//	pk "rank#<name>#1#0"              sk "root"      <child><column>: a count; m: see Rebuild
//	pk "rank#<name>#<level>#<group>"  sk "0" to "3"  the same; in the lowest level also <child>v: see Rebuild
//
// Level 0 is the root. The child is in base 32 (0-9a-v). The column is the position of the label in the list
// passed to New, for entries in any state; or a capital letter for those of a label that are in a state other than the
// first one: A to H are the labels in the second state, I to P in the third, Q to X in the fourth. Absent counts are
// zero.
//
// DynamoDB bills a write by the kilobyte of its item, and a Query by the four kilobytes of all its
// items. Hence the groups: with five labels, a full node of any level stays below 1 KB, so that an
// entry's counts cost six write units in its transaction, and a Query reads the 128 children of a
// group for one unit. States make a node larger only by their own entries, so the first state should be that of most
// entries: with four labels and four states, a lowest node that is full typically has 1.5 KB, and an upper one grows
// with the number of its children. The root is in the partition of the first group, so that one Query reads two
// levels of a list with up to 1,048,576 numbers.
//
// All writes update the root, and DynamoDB cancels one of two transactions that update the same
// item. So write with package transactions, and put many entries into one transaction.
package rank

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// maxLabels keeps a label within one decimal digit, so that no count has the name of a key attribute.
const maxLabels = 8

// maxCells is how many counts one update changes. DynamoDB allows 300 operators in an expression, and a lowest node
// also has 32 versions.
const maxCells = 256

// maxSkip is how many entries a page may skip instead of descending further. Reading that many entries
// of a list costs about as much as a node, without another round trip. So a first page costs one
// read here.
const maxSkip = 32

// Client is the part of *dynamodb.Client that a Tree needs.
type Client interface {
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// Tree has the counters of one list. It is safe for concurrent use and keeps no counts in memory.
type Tree struct {
	client   Client
	table    string
	name     string
	sequence string // the name of the tree that allocates the numbers
	labels   []string
	states   []string
}

// New returns the tree with a name, in a table with the string keys pk and sk. The items contain
// the positions of the labels, of which there are 1 to 8. New labels may only be appended, unless a
// Rebuild follows. New panics if there are too few or too many labels, or duplicates, because that
// is a programming error.
func New(client Client, table, name string, labels []string) *Tree {
	unique := slices.Compact(slices.Sorted(slices.Values(labels)))
	if len(labels) == 0 || len(labels) > maxLabels || len(unique) != len(labels) || unique[0] == "" {
		panic(fmt.Sprintf("rank: the labels of %s are %q, want 1 to %d different ones, none empty", name, labels, maxLabels))
	}
	return &Tree{client: client, table: table, name: name, sequence: name, labels: slices.Clone(labels)}
}

// In returns the tree of a scope, which counts some of the entries of t. They have their numbers from t. Its items have
// the partition keys "rank#<name>#<scope>#…".
func (t *Tree) In(scope string) *Tree {
	scoped := *t
	scoped.name += "#" + scope
	return &scoped
}

// WithStates returns the same tree, whose entries also have one of 2 to 4 states, which it counts within each label.
// Only states that are not the first one are stored, so a tree can get states later: until a Rebuild, all its entries
// are in the first one. WithStates panics like New.
func (t *Tree) WithStates(states []string) *Tree {
	unique := slices.Compact(slices.Sorted(slices.Values(states)))
	if len(states) < 2 || len(states) > maxStates || len(unique) != len(states) || unique[0] == "" {
		panic(fmt.Sprintf("rank: the states of %s are %q, want 2 to %d different ones, none empty", t.name, states,
			maxStates))
	}
	with := *t
	with.states = slices.Clone(states)
	return &with
}

// Filter selects entries. An empty label or state means all of them.
type Filter struct{ Label, State string }

// Place is where a page of a filtered list begins.
type Place struct {
	// Start is a number: the page's first entry is the one after Skip entries of the filter from
	// Start on.
	Start int64
	// Skip is below 64. If entries are deleted while Find reads, it may be larger by their number.
	Skip int
	// Total is the number of entries of the filter.
	Total int64
	// PastEnd means that the offset is not below Total: the page is empty, and Start and Skip are
	// zero.
	PastEnd bool
}

// Find returns the place of the entry that has offset entries of the filter before it. It makes at most
// two strongly consistent reads of one unit each (up to three with states), or three reads
// for entries with numbers above 1,048,575, and only one if the offset is past the end or near the
// start. Entries that change meanwhile may shift the page by their number, but cause no error.
func (t *Tree) Find(ctx context.Context, filter Filter, offset int64) (Place, error) {
	columns, err := t.columns(filter)
	if err != nil {
		return Place{}, err
	}
	first, err := t.readGroup(ctx, top)
	if err != nil {
		return Place{}, err
	}
	place := Place{Total: first.root.total(columns)}
	if offset >= place.Total {
		place.PastEnd = true
		return place, nil
	}
	place.Start, place.Skip, err = t.descend(ctx, columns, first, max(offset, 0))
	return place, err
}

// descend follows the counts from the root to the numbers that include the entry after skip others.
func (t *Tree) descend(ctx context.Context, columns []term, first *groupCounts,
	skip int64) (start int64, left int, err error) {
	at, read := root, first
	child, rest := first.root.locate(columns, skip)
	// A child past the last one means that entries were deleted after the parent was read. The rest is then skipped
	// after the end of the group.
	for child < branching && rest >= maxSkip && at.level < lowest {
		next := at.child(child)
		if next != top {
			if read, err = t.readGroup(ctx, next); err != nil {
				return 0, 0, err
			}
		}
		at, child, rest = next.locate(&read.nodes, columns, rest)
	}
	return at.start(child), int(rest), nil
}

// Totals returns the number of entries of every label, with one read of one unit.
func (t *Tree) Totals(ctx context.Context) (map[string]int64, error) {
	counts, err := t.readNode(ctx, root)
	if err != nil {
		return nil, err
	}
	totals := make(map[string]int64, len(t.labels))
	for i, label := range t.labels {
		totals[label] = counts.total([]term{{i, 1}})
	}
	return totals, nil
}

// Total returns the number of entries of a filter, with one read of one unit (more with states).
func (t *Tree) Total(ctx context.Context, filter Filter) (int64, error) {
	columns, err := t.columns(filter)
	if err != nil {
		return 0, err
	}
	counts, err := t.readNode(ctx, root)
	if err != nil {
		return 0, err
	}
	return counts.total(columns), nil
}

// columns returns the terms whose sum is the number of entries of the filter.
func (t *Tree) columns(filter Filter) ([]term, error) {
	state := slices.Index(t.states, filter.State)
	if filter.State != "" && state < 0 {
		return nil, fmt.Errorf("rank: %s has no state %q", t.name, filter.State)
	}
	var terms []term
	for label, name := range t.labels {
		if filter.Label != "" && filter.Label != name {
			continue
		}
		if state > 0 {
			terms = append(terms, term{column(label, state), 1})
			continue
		}
		terms = append(terms, term{label, 1})
		for other := 1; other < len(t.states) && state == 0; other++ { // the first state is the rest
			terms = append(terms, term{column(label, other), -1})
		}
	}
	if len(terms) == 0 {
		return nil, fmt.Errorf("rank: %s has no label %q", t.name, filter.Label)
	}
	return terms, nil
}

// column returns the column of a label and a state, by their positions. That of the first state has the entries in all
// states.
func column(label, state int) int { return state*maxLabels + label }

// columnsOf returns the columns that count an entry.
func (t *Tree) columnsOf(e Entry) []int {
	label, state := slices.Index(t.labels, e.Label), slices.Index(t.states, e.State)
	if state > 0 {
		return []int{label, column(label, state)}
	}
	return []int{label}
}

func (t *Tree) readNode(ctx context.Context, n node) (*counts, error) {
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.table, Key: t.key(n), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, fmt.Errorf("rank: read node %d of level %d of %s: %w", n.index, n.level, t.name, err)
	}
	return decode(out.Item)
}

// groupCounts are the counts of the nodes of a group. The root is set only for the first group.
type groupCounts struct {
	nodes [siblings]counts
	root  counts
}

// readGroup reads the nodes of a group. They are at most 5 KB, so there is almost always one page.
func (t *Tree) readGroup(ctx context.Context, g group) (*groupCounts, error) {
	partition := t.partition(g)
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :group"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":group": &types.AttributeValueMemberS{Value: partition}},
	})
	read := &groupCounts{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("rank: read %s: %w", partition, err)
		}
		if err := read.add(page.Items); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// add reads the counts of items.
func (g *groupCounts) add(found []map[string]types.AttributeValue) error {
	var err error
	for _, item := range found {
		if counts := g.of(item["sk"]); counts != nil {
			err = errors.Join(err, counts.decode(item))
		}
	}
	return err
}

// of returns the counts that belong to a sort key, or nil for an unknown one.
func (g *groupCounts) of(sort types.AttributeValue) *counts {
	key, ok := sort.(*types.AttributeValueMemberS)
	if ok && key.Value == rootKey {
		return &g.root
	}
	for i := range g.nodes {
		if ok && key.Value == siblingKey(i) {
			return &g.nodes[i]
		}
	}
	return nil
}
