package projectsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/projects"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/testclient/scale"
)

// populatedStore is a fixture whose items a test damages. It has six projects with alternating statuses: 0 and 5 are drafts.
type populatedStore struct {
	*fixture
	all []projects.Project
}

func newPopulatedStore(t *testing.T) *populatedStore {
	t.Helper()
	w := &populatedStore{fixture: newFixture(t)}
	for i := range 6 {
		w.all = append(w.all, w.create(t, fmt.Sprintf("project %d", i), projects.Statuses()[i%5]))
	}
	return w
}

func place(list string, n int64) items.Map { return items.Key("list#"+list, fmt.Sprintf("%010d", n)) }

func (w *populatedStore) drop(t *testing.T, key items.Map) {
	t.Helper()
	if _, err := w.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.table, Key: key}); err != nil {
		t.Fatal(err)
	}
}

func (w *populatedStore) put(t *testing.T, key, more items.Map) {
	t.Helper()
	whole := maps.Clone(key)
	maps.Copy(whole, more)
	if _, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.table, Item: whole}); err != nil {
		t.Fatal(err)
	}
}

func (w *populatedStore) set(t *testing.T, key items.Map, attribute string, value types.AttributeValue) {
	t.Helper()
	_, err := w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &w.table, Key: key, UpdateExpression: aws.String("SET #a = :v"),
		ExpressionAttributeNames: map[string]string{"#a": attribute}, ExpressionAttributeValues: items.Map{":v": value},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *populatedStore) project(i int) items.Map {
	return items.Key("project#"+w.all[i].ID, "project")
}

func ghost() items.Map {
	return items.Map{"id": items.Text("ghost"), "name": items.Text("ghost"), "status": items.Text("draft"), "created": items.Number(1)}
}

func TestRebuildRepairsEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(*testing.T, *populatedStore)
		want   lists.Repairs
	}{
		"none": {func(*testing.T, *populatedStore) {}, lists.Repairs{}},
		"entries gone": {func(t *testing.T, w *populatedStore) {
			w.drop(t, place("all", w.all[3].Number))
			w.drop(t, place("draft", w.all[5].Number))
		}, lists.Repairs{Resources: 2}},
		"entries outdated": {func(t *testing.T, w *populatedStore) {
			w.set(t, place("all", w.all[3].Number), "name", items.Text("old"))
			w.set(t, place("completed", w.all[3].Number), "status", items.Text("draft"))
		}, lists.Repairs{Resources: 1}},
		"in another list": {func(t *testing.T, w *populatedStore) {
			w.put(t, place("archived", w.all[0].Number), items.Map{"id": items.Text(w.all[0].ID)})
		}, lists.Repairs{Strays: 1}},
		"entries without a project": {func(t *testing.T, w *populatedStore) {
			w.put(t, place("all", 7_000_000), ghost())
			w.put(t, place("draft", 7_000_000), ghost())
			w.put(t, place("draft", 7_000_001), nil)
		}, lists.Repairs{Strays: 3}},
		"at the number of another": {func(t *testing.T, w *populatedStore) {
			w.put(t, place("all", w.all[1].Number), items.Map{"id": items.Text(w.all[2].ID)})
		}, lists.Repairs{Strays: 1, Resources: 1}},
		"counters gone": {func(t *testing.T, w *populatedStore) {
			w.drop(t, items.Key("rank#projects#1#0", "root"))
			w.drop(t, items.Key("rank#projects#2#0", "0"))
		}, lists.Repairs{Counters: 2}},
		"sequence behind": {func(t *testing.T, w *populatedStore) {
			w.set(t, items.Key("rank#projects", "sequence"), "next", items.Number(2))
		}, lists.Repairs{Sequence: true}},
		"all but the projects gone": {func(t *testing.T, w *populatedStore) {
			for _, item := range liststest.Scan(t, w.client, w.table) {
				if !strings.HasPrefix(liststest.Text(item, "pk"), "project#") {
					w.drop(t, items.Map{"pk": item["pk"], "sk": item["sk"]})
				}
			}
		}, lists.Repairs{Resources: 6, Sequence: true, Counters: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPopulatedStore(t)
			c.damage(t, w)
			var last lists.Progress
			repairs, err := w.store.Rebuild(t.Context(), func(p lists.Progress) { last = p })
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(repairs) != fmt.Sprint(c.want) || fmt.Sprint(last.Repairs) != fmt.Sprint(repairs) {
				t.Errorf("repairs = %+v, last progress = %+v; want %+v", repairs, last.Repairs, c.want)
			}
			if n := w.check(t); n != 6 {
				t.Errorf("%d projects, want 6", n)
			}
			if again, err := w.store.Rebuild(t.Context(), nil); err != nil || fmt.Sprint(again) != fmt.Sprint(lists.Repairs{}) {
				t.Errorf("second rebuild = %+v, %v; want no repairs", again, err)
			}
		})
	}
}

func TestRebuildReportsDisputes(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	w.set(t, w.project(3), "number", items.Number(w.all[2].Number))
	w.set(t, w.project(4), "status", items.Text("nonsense"))
	repairs, err := w.store.Rebuild(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var disputed []string
	for _, d := range repairs.Disputes {
		disputed = append(disputed, d.ID)
	}
	if want := []string{w.all[3].ID, w.all[4].ID}; !slices.Equal(slices.Sorted(slices.Values(disputed)), slices.Sorted(slices.Values(want))) {
		t.Errorf("disputes = %v, want %v", disputed, want)
	}
}

// TestRebuildResumesAfterInterruption interrupts a rebuild at its nth write, for every n, loses its response, and rebuilds again.
func TestRebuildResumesAfterInterruption(t *testing.T) {
	t.Parallel()
	interrupted := errors.New("interrupted")
	for stop, finished := 1, false; !finished; stop++ {
		w := newPopulatedStore(t)
		w.put(t, place("draft", 7_000_000), ghost())
		w.drop(t, place("all", w.all[3].Number))
		w.drop(t, items.Key("rank#projects#1#0", "root"))
		writes := 0
		faulty := awstest.Faulty(w.client, func(operation string, _ int) error {
			if operation != "UpdateItem" && operation != "TransactWriteItems" {
				return nil
			}
			if writes++; writes == stop {
				return awstest.Lost(interrupted)
			}
			return nil
		})
		_, err := w.over(faulty).Rebuild(t.Context(), nil)
		if finished = err == nil; !finished && !errors.Is(err, interrupted) {
			t.Fatal(err)
		}
		if _, err := w.store.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		w.check(t)
	}
}

// TestRebuildDuringSingleChanges changes projects just before the nth call of a rebuild, for each n of scale.Every.
func TestRebuildDuringSingleChanges(t *testing.T) {
	t.Parallel()
	first, step := scale.Every(5)
	for at, finished := first, false; !finished; at += step {
		w := newPopulatedStore(t)
		w.set(t, place("completed", w.all[3].Number), "name", items.Text("old"))
		w.put(t, place("draft", w.all[3].Number), items.Map{"id": items.Text(w.all[3].ID)})
		calls := 0
		racing := awstest.Faulty(w.client, func(string, int) error {
			if calls++; calls == at {
				w.interfere(t)
			}
			return nil
		})
		if _, err := w.over(racing).Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		w.check(t)
		finished = calls < at
	}
}

func (w *populatedStore) interfere(t *testing.T) {
	t.Helper()
	after := w.all[3]
	after.Status, after.Name = projects.OnHold, "new"
	if _, err := w.store.Update(context.WithoutCancel(t.Context()), w.all[3], after); err != nil {
		t.Errorf("change: %v", err)
	}
	if err := w.store.Delete(t.Context(), w.all[2], noon); err != nil {
		t.Errorf("delete: %v", err)
	}
	w.create(t, "new", projects.Archived)
}

// TestRebuildDuringConcurrentWrites damages the table and rebuilds it repeatedly while workers create, change and delete users.
func TestRebuildDuringConcurrentWrites(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	w.drop(t, items.Key("rank#projects#1#0", "root"))
	w.put(t, place("all", 30), ghost())
	w.set(t, place("draft", w.all[0].Number), "name", items.Text("old"))
	var workers sync.WaitGroup
	for n := range 3 {
		workers.Go(func() { w.work(t, n) })
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if repairs, err := w.store.Rebuild(t.Context(), nil); err != nil || len(repairs.Disputes) > 0 {
			t.Errorf("rebuild: %v; %+v", err, repairs)
		}
	}
	w.check(t)
}

// work changes projects at random. It accepts errors that the damage causes, and reports all other internal errors.
func (w *populatedStore) work(t *testing.T, worker int) {
	random := rand.New(rand.NewPCG(uint64(worker), 7))
	var mine []projects.Project
	for i := range 40 {
		status := projects.Statuses()[random.IntN(5)]
		switch choice := random.IntN(4); {
		case len(mine) < 3 || choice == 0:
			name := fmt.Sprintf("worker %d, project %d", worker, i)
			created, err := w.store.Create(t.Context(), projects.Creation{Project: newProject(name, status, noon)})
			if succeeded(t, err) {
				mine = append(mine, created.Project)
			}
		case choice == 1:
			at := random.IntN(len(mine))
			if succeeded(t, w.store.Delete(t.Context(), mine[at], noon)) {
				mine = slices.Delete(mine, at, at+1)
			}
		default:
			at := random.IntN(len(mine))
			after := mine[at]
			after.Status, after.Name = status, fmt.Sprintf("name %d", i)
			if changed, err := w.store.Update(t.Context(), mine[at], after); succeeded(t, err) {
				mine[at] = changed
			}
		}
	}
}

// succeeded reports whether err is nil. It accepts the error of a number that a stray list item occupies.
func succeeded(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && fault.KindOf(err) == fault.Internal && !strings.Contains(err.Error(), "rebuild-ranks") {
		t.Errorf("write during the rebuild: %v", err)
	}
	return err == nil
}
