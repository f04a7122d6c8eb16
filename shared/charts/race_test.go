package charts_test

import (
	"context"
	"testing"

	"portside/shared/charts"
)

// hookedBucket is a bucket that runs hooks before and after calls, so that a test can act in between.
type hookedBucket struct {
	charts.Bucket
	before, after map[string]func() // by the name of the call; each runs once
}

func runHook(hooks map[string]func(), call string) {
	if hook := hooks[call]; hook != nil {
		delete(hooks, call)
		hook()
	}
}

func (w hookedBucket) Put(ctx context.Context, key string, body []byte, over string) error {
	runHook(w.before, "put "+key)
	return w.Bucket.Put(ctx, key, body, over)
}

func (w hookedBucket) Delete(ctx context.Context, object charts.Object) error {
	runHook(w.before, "delete "+object.Key)
	return w.Bucket.Delete(ctx, object)
}

func (w hookedBucket) Copy(ctx context.Context, from charts.Object, to string) error {
	runHook(w.before, "copy "+from.Key)
	return w.Bucket.Copy(ctx, from, to)
}

func (w hookedBucket) List(ctx context.Context, prefix string) ([]charts.Object, error) {
	runHook(w.before, "list "+prefix)
	all, err := w.Bucket.List(ctx, prefix)
	runHook(w.after, "list "+prefix)
	return all, err
}

const racedKey = charts.PublishedPrefix + "app-1.0.0.tgz"

// race is an action of another worker between two calls of the indexer.
type race struct {
	name    string
	prepare func(p *fixture)
	before  string // call of the indexer before which hook runs
	hook    func(p *fixture)
	after   string // call of the indexer after which next runs
	next    func(p *fixture)
	rebuild bool
	listed  string
	want    []byte // the published contents in the end
}

func races(tb testing.TB) []race {
	tb.Helper()
	const file, key, other = "app-1.0.0.tgz", racedKey, "app-2.0.0.tgz"
	first, second, third := chart(tb, "app", "1.0.0", "first"), chart(tb, "app", "1.0.0", "second"),
		chart(tb, "app", "2.0.0", "")
	return []race{
		{
			name: "withdrawn before the index is written", prepare: func(p *fixture) {
				p.publish(other, third)
				p.sync(other)
				p.publish(file, first)
			},
			before: "put index.yaml", hook: func(p *fixture) { p.withdraw(file); p.sync(file) }, listed: other,
		},
		{
			name: "published before the index is written", prepare: func(p *fixture) { p.publish(file, first); p.sync(file); p.withdraw(file) },
			before: "put index.yaml", hook: func(p *fixture) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
		{
			name: "another indexed before the index is written", prepare: func(p *fixture) { p.publish(file, first) },
			before: "put index.yaml", hook: func(p *fixture) { p.publish(other, third); p.sync(other) },
			listed: file + " " + other, want: first,
		},
		{
			name: "other contents were accepted first", prepare: func(p *fixture) { p.publish(file, first) },
			before: "put archives/" + file, hook: func(p *fixture) { p.publish(file, second); p.sync(file) }, listed: file, want: second,
		},
		{
			name: "fixed before it is copied away", prepare: func(p *fixture) { p.publish(file, []byte("bad")) },
			before: "copy " + key, hook: func(p *fixture) { p.publish(file, first) }, listed: file, want: first,
		},
		{
			name: "fixed before it is deleted", prepare: func(p *fixture) { p.publish(file, []byte("bad")) },
			before: "delete " + key, hook: func(p *fixture) { p.publish(file, first) }, listed: file, want: first,
		},
		{
			name: "withdrawn before it is put back", prepare: func(p *fixture) { p.publish(file, first); p.sync(file); p.publish(file, second) },
			before: "put " + key, hook: func(p *fixture) { p.withdraw(file); p.sync(file) }, listed: "",
		},
		{
			name: "indexed during a rebuild", rebuild: true, prepare: func(p *fixture) {
				p.publish(other, third)
				p.sync(other)
				p.withdraw(other)
			},
			before: "put index.yaml", hook: func(p *fixture) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
		{
			name: "withdrawn while a rebuild lists", rebuild: true, prepare: func(p *fixture) { p.publish(file, first); p.sync(file) },
			before: "list charts/", hook: func(p *fixture) { p.withdraw(file) },
			after: "list charts/", next: func(p *fixture) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
	}
}

// TestChangesByOtherWorkers checks that the indexer detects changes that another worker starts
// and completes between two of its calls.
func TestChangesByOtherWorkers(t *testing.T) {
	for _, race := range races(t) {
		t.Run(race.name, func(t *testing.T) {
			p := newFixture(t)
			race.prepare(p)
			w := hookedBucket{p.bucket, map[string]func(){race.before: func() { race.hook(p) }}, map[string]func(){}}
			if race.next != nil {
				w.after[race.after] = func() { race.next(p) }
			}
			var err error
			if race.rebuild {
				_, err = p.over(w).Rebuild(t.Context())
			} else {
				_, err = p.over(w).Sync(t.Context(), racedKey)
			}
			if err != nil || len(w.before)+len(w.after) > 0 {
				t.Fatalf("error %v; hooks that did not run: %v", err, w.before)
			}
			if got := p.listed(); got != race.listed {
				t.Errorf("index %q, want %q", got, race.listed)
			}
			p.expect(racedKey, race.want)
		})
	}
}
