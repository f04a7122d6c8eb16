package charts_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"portside/shared/charts"
)

var errCrashed = errors.New("crashed")

// crashingBucket is a bucket whose process crashes at a given call: that call and all later ones fail.
// If lost is set, the call takes place and only its response is lost.
type crashingBucket struct {
	charts.Bucket
	mu    sync.Mutex
	at    int
	lost  bool
	calls int
}

// next reports whether the call takes place, and whether its response arrives.
func (m *crashingBucket) next() (takesPlace, arrives bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.calls < m.at || m.calls == m.at && m.lost, m.calls < m.at
}

func (m *crashingBucket) crashed() bool { return m.calls >= m.at }

func (m *crashingBucket) do(call func() error) error {
	takesPlace, arrives := m.next()
	if takesPlace {
		if err := call(); arrives {
			return err
		}
	}
	return errCrashed
}

func (m *crashingBucket) Get(ctx context.Context, key string, limit int64) (object charts.Object, err error) {
	err = m.do(func() error { object, err = m.Bucket.Get(ctx, key, limit); return err })
	return object, err
}

func (m *crashingBucket) Put(ctx context.Context, key string, body []byte, over string) error {
	return m.do(func() error { return m.Bucket.Put(ctx, key, body, over) })
}

func (m *crashingBucket) Copy(ctx context.Context, from charts.Object, to string) error {
	return m.do(func() error { return m.Bucket.Copy(ctx, from, to) })
}

func (m *crashingBucket) Delete(ctx context.Context, object charts.Object) error {
	return m.do(func() error { return m.Bucket.Delete(ctx, object) })
}

func (m *crashingBucket) List(ctx context.Context, prefix string) (all []charts.Object, err error) {
	err = m.do(func() error { all, err = m.Bucket.List(ctx, prefix); return err })
	return all, err
}

// TestCrashAtEveryCall checks that repeating an event after a crash leads to the same state as no
// crash.
func TestCrashAtEveryCall(t *testing.T) {
	t.Parallel()
	const file, other = "app-1.0.0.tgz", "app-0.9.0.tgz"
	first, second := chart(t, "app", "1.0.0", "first"), chart(t, "app", "1.0.0", "second")
	scenarios := []struct {
		name      string
		prepare   func(p *fixture)
		listed    string
		published []byte
		rejected  []byte
	}{
		{"publish", func(p *fixture) { p.publish(file, first) }, other + " " + file, first, nil},
		{"withdraw", func(p *fixture) { p.publish(file, first); p.sync(file); p.withdraw(file) }, other, nil, nil},
		{"overwrite", func(p *fixture) { p.publish(file, first); p.sync(file); p.publish(file, second) }, other + " " + file, first, second},
		{"reject", func(p *fixture) { p.publish(file, []byte("bad")) }, other, nil, []byte("bad")},
		{"lose the index", func(p *fixture) {
			p.publish(file, first)
			if err := p.bucket.Put(p.tb.Context(), charts.IndexKey, []byte("bad"), charts.Anything); err != nil {
				p.tb.Fatal(err)
			}
		}, other + " " + file, first, nil},
	}
	for _, scenario := range scenarios {
		t.Run(scenario.name, func(t *testing.T) {
			t.Parallel()
			for at, crashed := 1, true; crashed; at++ {
				for _, lost := range []bool{false, true} {
					p := newFixture(t)
					p.publish(other, chart(t, "app", "0.9.0", ""))
					p.sync(other)
					scenario.prepare(p)
					m := &crashingBucket{Bucket: p.bucket, at: at, lost: lost}
					_, err := p.over(m).Sync(t.Context(), charts.PublishedPrefix+file)
					crashed = m.crashed()
					if crashed != errors.Is(err, errCrashed) || !crashed && err != nil {
						t.Fatalf("call %d: %v", at, err)
					}
					p.sync(file)
					if got := p.listed(); got != scenario.listed {
						t.Errorf("call %d, lost %v: index %q, want %q", at, lost, got, scenario.listed)
					}
					p.expect(charts.PublishedPrefix+file, scenario.published)
					p.expect(charts.RejectedPrefix+file, scenario.rejected)
				}
			}
		})
	}
}

func (p *fixture) expect(key string, want []byte) {
	p.tb.Helper()
	if got := p.get(key); !bytes.Equal(got, want) {
		p.tb.Errorf("%s has %d bytes, want %d", key, len(got), len(want))
	}
}
