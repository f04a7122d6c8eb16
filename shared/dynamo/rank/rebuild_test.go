package rank_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
	"portside/shared/dynamo/rank"
	"portside/shared/testkit/awstest"
)

// populate creates entries in three lowest nodes, one of them at a distance.
func populate(t *testing.T, d *directory) {
	t.Helper()
	for i, gap := range []int{0, 3_000, 70_000} {
		if gap > 0 {
			if _, _, err := d.tree.Allocate(t.Context(), gap, time.UnixMilli(1)); err != nil {
				t.Fatal(err)
			}
		}
		for j := range 5 {
			if _, err := d.create(t.Context(), labels[(i+j)%len(labels)]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// nodeKey returns the key of a node such as "2#0/3": the fourth one of the first group of level 2.
func nodeKey(node string) map[string]types.AttributeValue {
	group, sibling, _ := strings.Cut(node, "/")
	return map[string]types.AttributeValue{"pk": text("rank#users#" + group), "sk": text(sibling)}
}

// damage applies an update expression to a node.
func damage(t *testing.T, d *directory, node, update string) {
	t.Helper()
	names := map[string]string{}
	for word := range strings.FieldsSeq(strings.ReplaceAll(update, ",", " ")) {
		if strings.HasPrefix(word, "#") {
			names[word] = word[1:]
		}
	}
	input := &dynamodb.UpdateItemInput{
		TableName: &d.table, UpdateExpression: &update, ExpressionAttributeNames: names,
		Key: nodeKey(node),
	}
	if strings.Contains(update, ":n") {
		input.ExpressionAttributeValues = map[string]types.AttributeValue{":n": &types.AttributeValueMemberN{Value: "-7"}}
	}
	if _, err := d.client.UpdateItem(t.Context(), input); err != nil {
		t.Fatal(err)
	}
}

func drop(t *testing.T, d *directory, node string) {
	t.Helper()
	_, err := d.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: &d.table, Key: nodeKey(node),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkEverything compares every page of every label with a full scan.
func checkEverything(t *testing.T, d *directory) {
	t.Helper()
	all := d.walk(t)
	checkTotals(t, d.tree, all)
	for _, label := range append([]string{""}, labels...) {
		for offset := range int64(len(all) + 1) {
			checkPlace(t, d.tree, all, page{label: label, offset: offset})
		}
	}
}

func TestRebuildCorrectsWrongNodes(t *testing.T) {
	cases := []struct {
		name  string
		apply func(*testing.T, *directory)
		wrong int
	}{
		{"nothing", func(*testing.T, *directory) {}, 0},
		{"root missing", func(t *testing.T, d *directory) { drop(t, d, "1#0/root") }, 1},
		{"whole path missing", func(t *testing.T, d *directory) {
			for _, node := range []string{"1#0/root", "1#0/0", "2#0/0"} {
				drop(t, d, node)
			}
		}, 3},
		{"negative count", func(t *testing.T, d *directory) { damage(t, d, "1#0/0", "ADD #00 :n") }, 1},
		{"count of an unknown label", func(t *testing.T, d *directory) { damage(t, d, "1#0/root", "SET #07 = :n") }, 1},
		{"count removed", func(t *testing.T, d *directory) { damage(t, d, "2#0/0", "REMOVE #00") }, 1},
		{"counts without entries", func(t *testing.T, d *directory) { damage(t, d, "2#2/2", "ADD #4v :n, #42 :n") }, 1},
		{"counts beyond the last number", func(t *testing.T, d *directory) {
			damage(t, d, "1#9/0", "SET #00 = :n")
			damage(t, d, "1#0/root", "SET #90 = :n")
		}, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDirectory(t)
			populate(t, d)
			c.apply(t, d)
			last := rank.Progress{}
			done, err := d.tree.Rebuild(t.Context(), d.source, func(p rank.Progress) { last = p })
			if err != nil || done.Wrong != c.wrong || done != last || done.Numbers != done.Of {
				t.Errorf("rebuild = %+v, %v, last progress %+v; want %d wrong", done, err, last, c.wrong)
			}
			checkEverything(t, d)
		})
	}
}

func TestRebuildEmptyTree(t *testing.T) {
	d := newDirectory(t)
	if done, err := d.tree.Rebuild(t.Context(), d.source, nil); err != nil || done.Wrong != 0 || done.Nodes != 1 {
		t.Errorf("rebuild = %+v, %v; want only the root checked", done, err)
	}
}

// TestRebuildDuringWrites repairs a damaged tree while other writers work, from its first read to
// its last write.
func TestRebuildDuringWrites(t *testing.T) {
	d := newDirectory(t)
	populate(t, d)
	for _, node := range []string{"1#0/root", "1#0/0", "2#0/0", "2#0/1"} {
		drop(t, d, node)
	}
	var workers sync.WaitGroup
	started, stop := make(chan struct{}, 3), make(chan struct{})
	for worker := range uint64(3) {
		workers.Go(func() {
			random := rand.New(rand.NewPCG(worker, 9))
			for {
				work(t, d, random, 5)
				select {
				case started <- struct{}{}:
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	done, err := d.tree.Rebuild(t.Context(), d.source, nil)
	close(stop)
	workers.Wait()
	if err != nil || done.Wrong < 4 {
		t.Errorf("rebuild = %+v, %v; want at least 4 wrong", done, err)
	}
	again, err := d.tree.Rebuild(t.Context(), d.source, nil)
	if err != nil || again.Wrong != 0 {
		t.Errorf("second rebuild = %+v, %v; want nothing wrong", again, err)
	}
	checkTotals(t, d.tree, d.walk(t))
}

// TestRebuildDetectsChangesBetweenReads makes a change just after the entries were read, in each
// place where only the version shows it.
func TestRebuildDetectsChangesBetweenReads(t *testing.T) {
	for _, update := range []string{"REMOVE #zz", "REMOVE #00", "ADD #0v :n, #00 :n"} {
		d := newDirectory(t)
		populate(t, d)
		damage(t, d, "2#0/0", update)
		changed := false
		source := func(ctx context.Context, from, to int64) iter.Seq2[rank.Entry, error] {
			return func(yield func(rank.Entry, error) bool) {
				for e, err := range d.source(ctx, from, to) {
					if !yield(e, err) {
						return
					}
				}
				if from == 0 && !changed {
					changed = true
					if err := d.move(ctx, rank.Entry{Number: 1, Label: "manager"}, "admin"); err != nil {
						t.Error(err)
					}
				}
			}
		}
		if _, err := d.tree.Rebuild(t.Context(), source, nil); err != nil {
			t.Errorf("%s: %v", update, err)
		}
		checkEverything(t, d)
	}
}

// TestConcurrentRebuilds runs a whole rebuild between another one's measurement of a node and its
// correction, for the first correction of the node and for a later one.
func TestConcurrentRebuilds(t *testing.T) {
	d := newDirectory(t)
	populate(t, d)
	for range 2 {
		for _, node := range []string{"1#0/root", "1#0/0", "2#0/0"} {
			damage(t, d, node, "SET #00 = :n")
		}
		client := awstest.Faulty(d.client, func(operation string, n int) error {
			if operation != "UpdateItem" || n != 1 {
				return nil
			}
			_, err := d.tree.Rebuild(t.Context(), d.source, nil)
			return err
		})
		if _, err := d.through(client).tree.Rebuild(t.Context(), d.source, nil); err != nil {
			t.Fatal(err)
		}
		checkEverything(t, d)
	}
}

func TestRebuildUnderContention(t *testing.T) {
	for conflicts, want := range map[int]error{1: nil, 20: nil, 1_000_000: rank.ErrContended} {
		t.Run(fmt.Sprint(conflicts), func(t *testing.T) {
			d := newDirectory(t)
			populate(t, d)
			damage(t, d, "2#0/0", "REMOVE #00")
			damage(t, d, "1#0/root", "SET #00 = :n, #14 = :n, #v4 = :n")
			client := awstest.Faulty(d.client, func(operation string, n int) error {
				switch {
				case n > conflicts:
					return nil
				case operation == "UpdateItem":
					return &types.TransactionConflictException{Message: aws.String("injected")}
				case operation == "TransactGetItems":
					return awstest.TransactionConflict(33)
				}
				return nil
			})
			_, err := d.through(client).tree.Rebuild(t.Context(), d.source, nil)
			if !errors.Is(err, want) || want != nil && fault.KindOf(err) != fault.Unavailable {
				t.Fatalf("rebuild = %v, want %v", err, want)
			}
			if want == nil {
				checkEverything(t, d)
			}
		})
	}
}

func TestRebuildReportsBadSources(t *testing.T) {
	broken := errors.New("the source is broken")
	cases := map[string]struct {
		entry rank.Entry
		err   error
	}{
		"error": {err: broken}, "label": {entry: rank.Entry{Label: "nobody"}},
		"number": {entry: rank.Entry{Number: 2048, Label: "admin"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := newDirectory(t)
			populate(t, d)
			source := func(context.Context, int64, int64) iter.Seq2[rank.Entry, error] {
				return func(yield func(rank.Entry, error) bool) { yield(c.entry, c.err) }
			}
			if _, err := d.tree.Rebuild(t.Context(), source, nil); err == nil || c.err != nil && !errors.Is(err, c.err) {
				t.Errorf("%s: rebuild = %v, want an error", name, err)
			}
		})
	}
}
