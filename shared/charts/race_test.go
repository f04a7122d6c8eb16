package charts_test

import (
	"context"
	"testing"

	"portside/shared/charts"
)

// watched is a bucket that runs hooks before and after calls, so that a test can act in between.
type watched struct {
	charts.Bucket
	before, after map[string]func() // by the name of the call; each runs once
}

func told(hooks map[string]func(), call string) {
	if hook := hooks[call]; hook != nil {
		delete(hooks, call)
		hook()
	}
}

func (w watched) Put(ctx context.Context, key string, body []byte, over string) error {
	told(w.before, "put "+key)
	return w.Bucket.Put(ctx, key, body, over)
}

func (w watched) Delete(ctx context.Context, object charts.Object) error {
	told(w.before, "delete "+object.Key)
	return w.Bucket.Delete(ctx, object)
}

func (w watched) Copy(ctx context.Context, from charts.Object, to string) error {
	told(w.before, "copy "+from.Key)
	return w.Bucket.Copy(ctx, from, to)
}

func (w watched) List(ctx context.Context, prefix string) ([]charts.Object, error) {
	told(w.before, "list "+prefix)
	all, err := w.Bucket.List(ctx, prefix)
	told(w.after, "list "+prefix)
	return all, err
}

const racedKey = charts.PublishedPrefix + "app-1.0.0.tgz"

// race is something that another worker does between two calls of the indexer.
type race struct {
	name    string
	prepare func(p *port)
	before  string // call of ours
	hook    func(p *port)
	after   string // call of ours
	next    func(p *port)
	rebuild bool
	listed  string
	want    []byte // what is published in the end
}

func races(tb testing.TB) []race {
	tb.Helper()
	const file, key, other = "app-1.0.0.tgz", racedKey, "app-2.0.0.tgz"
	first, second, third := chart(tb, "app", "1.0.0", "first"), chart(tb, "app", "1.0.0", "second"), chart(tb, "app", "2.0.0", "")
	return []race{
		{
			name: "withdrawn before the index is written", prepare: func(p *port) {
				p.publish(other, third)
				p.sync(other)
				p.publish(file, first)
			},
			before: "put index.yaml", hook: func(p *port) { p.withdraw(file); p.sync(file) }, listed: other,
		},
		{
			name: "published before the index is written", prepare: func(p *port) { p.publish(file, first); p.sync(file); p.withdraw(file) },
			before: "put index.yaml", hook: func(p *port) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
		{
			name: "another indexed before the index is written", prepare: func(p *port) { p.publish(file, first) },
			before: "put index.yaml", hook: func(p *port) { p.publish(other, third); p.sync(other) },
			listed: file + " " + other, want: first,
		},
		{
			name: "others were accepted first", prepare: func(p *port) { p.publish(file, first) },
			before: "put archives/" + file, hook: func(p *port) { p.publish(file, second); p.sync(file) }, listed: file, want: second,
		},
		{
			name: "mended before it is copied away", prepare: func(p *port) { p.publish(file, []byte("bad")) },
			before: "copy " + key, hook: func(p *port) { p.publish(file, first) }, listed: file, want: first,
		},
		{
			name: "mended before it is deleted", prepare: func(p *port) { p.publish(file, []byte("bad")) },
			before: "delete " + key, hook: func(p *port) { p.publish(file, first) }, listed: file, want: first,
		},
		{
			name: "withdrawn before it is put back", prepare: func(p *port) { p.publish(file, first); p.sync(file); p.publish(file, second) },
			before: "put " + key, hook: func(p *port) { p.withdraw(file); p.sync(file) }, listed: "",
		},
		{
			name: "indexed beside a rebuild", rebuild: true, prepare: func(p *port) {
				p.publish(other, third)
				p.sync(other)
				p.withdraw(other)
			},
			before: "put index.yaml", hook: func(p *port) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
		{
			name: "away while a rebuild lists", rebuild: true, prepare: func(p *port) { p.publish(file, first); p.sync(file) },
			before: "list charts/", hook: func(p *port) { p.withdraw(file) },
			after: "list charts/", next: func(p *port) { p.publish(file, first); p.sync(file) }, listed: file, want: first,
		},
	}
}

// TestOtherWorkersBetweenTwoCalls checks that the indexer notices changes that another worker
// makes, and completes, between two of its calls.
func TestOtherWorkersBetweenTwoCalls(t *testing.T) {
	for _, race := range races(t) {
		t.Run(race.name, func(t *testing.T) {
			p := newPort(t)
			race.prepare(p)
			w := watched{p.bucket, map[string]func(){race.before: func() { race.hook(p) }}, map[string]func(){}}
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
				t.Fatalf("%v; not reached: %v", err, w.before)
			}
			if got := p.listed(); got != race.listed {
				t.Errorf("index %q, want %q", got, race.listed)
			}
			p.expect(racedKey, race.want)
		})
	}
}
