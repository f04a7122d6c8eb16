package rank_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/rank"
	"portside/shared/testkit/awstest"
)

type cost struct {
	page
	most int // calls, and read units as well
}

func expectCost(t *testing.T, tree *rank.Tree, meter *awstest.Meter, c cost) {
	t.Helper()
	meter.Reset()
	if _, err := tree.Find(t.Context(), rank.Filter{Label: c.label}, c.offset); err != nil {
		t.Fatal(err)
	}
	if meter.Calls() > c.most || meter.ReadUnits() > float64(c.most) || meter.WriteUnits() != 0 {
		t.Errorf("find %+v: %d calls, %v units; want at most %d", c.page, meter.Calls(), meter.ReadUnits(), c.most)
	}
}

// TestFindCosts asserts calls and units, which do not depend on the machine. The calls of Find wait for each other. The
// cost depends on the numbers of the entries, so the large trees have a gap of numbers without entries.
func TestFindCosts(t *testing.T) {
	const group = 1_048_576 // numbers below the first group of nodes
	d, numbers, entries := newDirectory(t), 0, int64(0)
	client, meter := awstest.Metered(d.client)
	tree := d.through(client).tree
	for _, c := range []struct{ numbers, added, most int }{{10, 10, 2}, {100_000, 99_990, 2}, {group, 20_000, 2},
		{1_400_000, 20_000, 3}} {
		if gap := c.numbers - numbers - c.added; gap > 0 {
			if _, _, err := d.tree.Allocate(t.Context(), gap, time.UnixMilli(1)); err != nil {
				t.Fatal(err)
			}
		}
		fill(t, d, c.added)
		numbers, entries = c.numbers, entries+int64(c.added)
		t.Run(fmt.Sprint(numbers), func(t *testing.T) {
			random := rand.New(rand.NewPCG(3, 4))
			for range 50 {
				label := append([]string{""}, labels...)[random.IntN(len(labels)+1)]
				expectCost(t, tree, meter, cost{page{label: label, offset: random.Int64N(entries)}, c.most})
			}
			expectCost(t, tree, meter, cost{page{label: "", offset: entries - 1}, c.most})
			expectCost(t, tree, meter, cost{page{label: "", offset: min(entries, 120_000) - 1}, 2})
			expectCost(t, tree, meter, cost{page{label: "", offset: 0}, 1})
			expectCost(t, tree, meter, cost{page{label: "admin", offset: 31}, 1})
			expectCost(t, tree, meter, cost{page{label: "", offset: entries}, 1})
			expectCost(t, tree, meter, cost{page{label: "guest", offset: 1 << 40}, 1})
		})
	}
}

func TestCostsOfTotalsAllocateAndChanges(t *testing.T) {
	d := newDirectory(t)
	fill(t, d, 100)
	client, meter := awstest.Metered(d.client)
	metered := d.through(client)
	if _, err := metered.tree.Totals(t.Context()); err != nil || meter.Calls() != 1 || meter.ReadUnits() != 1 {
		t.Errorf("totals: %d calls, %v units, %v; want 1 of each", meter.Calls(), meter.ReadUnits(), err)
	}
	meter.Reset()
	if _, _, err := metered.tree.Allocate(t.Context(), 1, time.UnixMilli(2)); err != nil || meter.WriteUnits() != 1 {
		t.Errorf("allocate: %v units, %v; want 1", meter.WriteUnits(), err)
	}
	meter.Reset()
	changes := metered.tree.Changes()
	changes.Add(at(99, "admin"))
	if err := metered.write(t.Context(), changes); err != nil || meter.Calls() != 1 || meter.WriteUnits() != 6 {
		t.Errorf("write the counts of one entry: %d calls, %v units, %v; want 1 and 6", meter.Calls(),
			meter.WriteUnits(), err)
	}
}

// TestFullNodesStayBelowOneUnit writes the nodes of a group of each level with the counts of a full tree with five
// labels. Each is written for one unit, and all are read for one unit.
func TestFullNodesStayBelowOneUnit(t *testing.T) {
	d := newDirectory(t)
	client, meter := awstest.Metered(d.client)
	tree := rank.New(client, d.table, "full", labels)
	expect := func(what string, writes, reads float64) {
		t.Helper()
		if meter.WriteUnits() != writes || meter.ReadUnits() != reads {
			t.Errorf("%s takes %v write units and %v read units, want %v and %v", what, meter.WriteUnits(), meter.ReadUnits(),
				writes, reads)
		}
		meter.Reset()
	}
	put := func(node string, count string, versions bool) {
		t.Helper()
		item := fullNode(count, versions)
		maps.Copy(item, nodeKey(node))
		item["pk"] = text(strings.Replace(nodeKey(node)["pk"].(*types.AttributeValueMemberS).Value, "users", "full", 1))
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.table, Item: item}); err != nil {
			t.Fatal(err)
		}
		expect("writing "+node, 1, 0)
	}
	put("1#31/root", "209715", false)
	for sibling := range 4 {
		put(fmt.Sprint("1#0/", sibling), "1638", false)
		put(fmt.Sprint("2#0/", sibling), "13", true)
	}
	// The root of a list with 1,048,576 numbers, beside the full group below it.
	root := map[string]types.AttributeValue{"pk": text("rank#full#1#0"), "sk": text("root"),
		"m": &types.AttributeValueMemberN{Value: "12"}}
	for label := range labels {
		root["0"+strconv.Itoa(label)] = &types.AttributeValueMemberN{Value: "209715"}
	}
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.table, Item: root}); err != nil {
		t.Fatal(err)
	}
	expect("writing the root", 1, 0)
	if _, err := tree.Find(t.Context(), rank.Filter{}, 5_000); err != nil {
		t.Fatal(err)
	}
	expect("finding a place", 0, 2)
}

// fullNode returns a node with the count for all labels of all children.
func fullNode(count string, versions bool) map[string]types.AttributeValue {
	item := map[string]types.AttributeValue{"m": &types.AttributeValueMemberN{Value: "12"}}
	for child := range int64(32) {
		digit := strconv.FormatInt(child, 32)
		for label := range labels {
			item[digit+strconv.Itoa(label)] = &types.AttributeValueMemberN{Value: count}
		}
		if versions {
			item[digit+"v"] = &types.AttributeValueMemberN{Value: "99999"}
		}
	}
	return item
}

// BenchmarkFind finds places at random offsets, with all labels.
func BenchmarkFind(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			d := newDirectory(b)
			fill(b, d, size)
			client, meter := awstest.Metered(d.client)
			tree := d.through(client).tree
			random := rand.New(rand.NewPCG(5, 6))
			for b.Loop() {
				label := append([]string{""}, labels...)[random.IntN(len(labels)+1)]
				if _, err := tree.Find(b.Context(), rank.Filter{Label: label}, random.Int64N(int64(size/len(labels)))); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(meter.ReadUnits()/float64(b.N), "RCU/op")
			b.ReportMetric(float64(meter.Calls())/float64(b.N), "calls/op")
		})
	}
}
