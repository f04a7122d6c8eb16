package rank_test

import (
	"context"
	"fmt"
	"iter"
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
	if _, err := tree.Find(t.Context(), c.label, c.offset); err != nil {
		t.Fatal(err)
	}
	if meter.Calls() > c.most || meter.ReadUnits() > float64(c.most) || meter.WriteUnits() != 0 {
		t.Errorf("find %+v: %d calls, %v units; want at most %d", c.page, meter.Calls(), meter.ReadUnits(), c.most)
	}
}

// TestFindCosts asserts calls and units, which do not depend on the machine.
func TestFindCosts(t *testing.T) {
	for _, size := range []int{10, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			d := newDirectory(t)
			fill(t, d, size)
			client, meter := awstest.Metered(d.client)
			tree := d.through(client).tree
			random := rand.New(rand.NewPCG(3, 4))
			for range 50 {
				label := append([]string{""}, labels...)[random.IntN(len(labels)+1)]
				expectCost(t, tree, meter, cost{page{label, random.Int64N(int64(size))}, 4})
			}
			expectCost(t, tree, meter, cost{page{"", 0}, 1})
			expectCost(t, tree, meter, cost{page{"admin", 31}, 1})
			expectCost(t, tree, meter, cost{page{"", int64(size)}, 1})
			expectCost(t, tree, meter, cost{page{"guest", 1 << 40}, 1})
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
	changes.Add(99, "admin")
	if err := metered.write(t.Context(), changes); err != nil || meter.Calls() != 1 || meter.WriteUnits() != 8 {
		t.Errorf("write the counts of one entry: %d calls, %v units, %v; want 1 and 8", meter.Calls(), meter.WriteUnits(), err)
	}
}

// TestFullNodesStayBelowOneUnit writes a node of each level with the counts of a full tree with five labels.
func TestFullNodesStayBelowOneUnit(t *testing.T) {
	d := newDirectory(t)
	client, meter := awstest.Metered(d.client)
	for level, perLabel := range []string{"419430", "13107", "409", "13"} {
		item := map[string]types.AttributeValue{
			"pk": text(fmt.Sprintf("rank#projects#%d#%s", level, strings.Repeat("v", level))), "sk": text("rank"),
			"m": &types.AttributeValueMemberN{Value: "12"},
		}
		for child := range int64(32) {
			digit := strconv.FormatInt(child, 32)
			for label := range labels {
				item[digit+strconv.Itoa(label)] = &types.AttributeValueMemberN{Value: perLabel}
			}
			if level == 3 {
				item[digit+"v"] = &types.AttributeValueMemberN{Value: "99999"}
			}
		}
		meter.Reset()
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.table, Item: item}); err != nil {
			t.Fatal(err)
		}
		if meter.WriteUnits() != 1 {
			t.Errorf("a full node of level %d takes %v write units, want 1", level, meter.WriteUnits())
		}
	}
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
				if _, err := tree.Find(b.Context(), label, random.Int64N(int64(size/len(labels)))); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(meter.ReadUnits()/float64(b.N), "RCU/op")
			b.ReportMetric(float64(meter.Calls())/float64(b.N), "calls/op")
		})
	}
}

// BenchmarkRebuild rebuilds a correct tree of a million entries from a source without costs.
func BenchmarkRebuild(b *testing.B) {
	d := newDirectory(b)
	fill(b, d, 1_000_000)
	client, meter := awstest.Metered(d.client)
	tree := d.through(client).tree
	source := func(_ context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
		return func(yield func(rank.Entry, error) bool) {
			for number := from; number < min(to, 1_000_000); number++ {
				if !yield(rank.Entry{Number: number, Label: labels[number%int64(len(labels))]}, nil) {
					return
				}
			}
		}
	}
	for b.Loop() {
		if done, err := tree.Rebuild(b.Context(), source, nil); err != nil || done.Wrong != 0 {
			b.Fatalf("rebuild = %+v, %v; want nothing wrong", done, err)
		}
	}
	b.ReportMetric(meter.ReadUnits()/float64(b.N), "RCU/op")
	b.ReportMetric(float64(meter.Calls())/float64(b.N), "calls/op")
}
