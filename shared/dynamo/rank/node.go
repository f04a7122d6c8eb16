package rank

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The shape of every tree.
const (
	branching = 32 // children of a node
	siblings  = 4  // nodes that share the numbers of one child
	lowest    = 2  // level of the nodes whose children are ranges of numbers
	leafSpan  = 64 // numbers under each child of a lowest node

	// Capacity is the number of numbers in a tree: 0 to Capacity-1.
	Capacity int64 = leafSpan * (branching * siblings) * (branching * siblings) * branching
)

// The columns of a node: one for each label, and one for each label and state but the first state. Entries in the first
// state are those of the label that are in no other column.
const (
	maxStates  = 4
	maxColumns = maxLabels * maxStates
)

// columnNames has the second character of the attribute of each column. The digits are the labels. The capital letters
// are the labels in the second, third and fourth state; earlier releases, which do not know states, ignore them.
const columnNames = "01234567" + "ABCDEFGH" + "IJKLMNOP" + "QRSTUVWX"

// correctionsName is the attribute that counts corrections by Rebuild. The names of all other attributes
// have two characters.
const correctionsName = "m"

// node is a node of the tree: the index-th of its level, from the left.
type node struct {
	level int
	index int64
}

var root = node{}

// group is the index-th group of siblings of a level, from the left.
type group struct {
	level int
	index int64
}

// top is the group whose partition also has the root.
var top = group{level: 1}

func (g group) node(sibling int) node {
	return node{level: g.level, index: g.index*siblings + int64(sibling)}
}

func (g group) all() []node {
	nodes := make([]node, siblings)
	for i := range nodes {
		nodes[i] = g.node(i)
	}
	return nodes
}

// childSpan returns how many numbers are under one child of a node of that level.
func childSpan(level int) int64 {
	span := int64(leafSpan)
	for range lowest - level {
		span *= branching * siblings
	}
	return span
}

// ancestor returns the node of that level above a number, and which of its children is above the
// number.
func ancestor(level int, number int64) (n node, child int) {
	index := number / childSpan(level)
	return node{level: level, index: index / branching}, int(index % branching)
}

// start returns the first number under a child. For child = branching, it is the first number after
// the node.
func (n node) start(child int) int64 {
	return (n.index*branching + int64(child)) * childSpan(n.level)
}

// child returns the group that shares the numbers under a child.
func (n node) child(child int) group {
	return group{level: n.level + 1, index: n.index*branching + int64(child)}
}

func (t *Tree) partition(g group) string {
	return fmt.Sprintf("rank#%s#%d#%d", t.name, g.level, g.index)
}

const rootKey = "root"

func (t *Tree) key(n node) map[string]types.AttributeValue {
	partition, sort := t.partition(top), rootKey
	if n != root {
		partition, sort = t.partition(group{n.level, n.index / siblings}), siblingKey(int(n.index%siblings))
	}
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: partition}, "sk": &types.AttributeValueMemberS{Value: sort},
	}
}

func siblingKey(sibling int) string { return strconv.Itoa(sibling) }

// counts is the content of a node: the number of entries by child and column.
type counts struct {
	cells       [branching][maxColumns]int64
	versions    [branching]int64 // of lowest nodes: every change of an entry under the child adds one
	corrections int64            // every correction of the node adds one
	exists      bool
}

// term is a column that is added to a sum, or subtracted from it.
type term struct {
	column int
	sign   int64
}

// total returns the sum of the terms, or 0 for a negative one, which only a damaged node has.
func (c *counts) total(columns []term) int64 {
	total := int64(0)
	for child := range c.cells {
		total += c.under(child, columns)
	}
	return total
}

func (c *counts) under(child int, columns []term) int64 {
	sum := int64(0)
	for _, t := range columns {
		sum += t.sign * c.cells[child][t.column]
	}
	return max(sum, 0)
}

// locate returns the node and its child that have the entry after skip others, and how many of those are under that
// child. If the group has too few entries, the child is branching, and rest is how many to skip after the group.
func (g group) locate(nodes *[siblings]counts, columns []term, skip int64) (n node, child int, rest int64) {
	rest = skip
	for i := range nodes {
		n = g.node(i)
		if child, rest = nodes[i].locate(columns, rest); child < branching {
			break
		}
	}
	return n, child, rest
}

// locate returns the child that has the entry after skip others, and how many of those are under
// that child. If the node has too few entries, the child is branching, and rest is how many to skip
// after the node.
func (c *counts) locate(columns []term, skip int64) (child int, rest int64) {
	for child = range branching {
		under := c.under(child, columns)
		if skip < under {
			return child, skip
		}
		skip -= under
	}
	return branching, skip
}

// cellName returns the attribute of a count.
func cellName(child, column int) string {
	return strconv.FormatInt(int64(child), branching) + columnNames[column:column+1]
}

// versionName returns the attribute of a child's version.
func versionName(child int) string {
	return strconv.FormatInt(int64(child), branching) + "v"
}

func decode(item map[string]types.AttributeValue) (*counts, error) {
	c := &counts{}
	return c, c.decode(item)
}

func (c *counts) decode(item map[string]types.AttributeValue) error {
	c.exists = item != nil
	for name, value := range item {
		number, ok := value.(*types.AttributeValueMemberN)
		if !ok {
			continue // the keys
		}
		n, err := strconv.ParseInt(number.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("rank: counter %q: %w", name, err)
		}
		c.set(name, n)
	}
	return nil
}

// set ignores attributes that do not belong to this package.
func (c *counts) set(name string, n int64) {
	if name == correctionsName {
		c.corrections = n
	}
	if len(name) != 2 {
		return
	}
	child, err := strconv.ParseUint(name[:1], branching, 8)
	if err != nil {
		return
	}
	switch column := strings.IndexByte(columnNames, name[1]); {
	case name[1] == 'v':
		c.versions[child] = n
	case column >= 0:
		c.cells[child][column] = n
	}
}

func numeric(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
