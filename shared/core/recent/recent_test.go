package recent

import (
	"sync"
	"testing"
	"time"
)

// clock is a time that the test sets.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func newCache(size int) (*Cache[int, string], *clock) {
	c := &clock{time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	return New[int, string](size, time.Minute, c.now), c
}

func check(t *testing.T, c *Cache[int, string], key int, want string) {
	t.Helper()
	if got, ok := c.Get(key); got != want || ok != (want != "") {
		t.Errorf("Get(%d) = %q, %v; want %q", key, got, ok, want)
	}
}

func TestValuesExpire(t *testing.T) {
	c, at := newCache(3)
	check(t, c, 1, "")
	c.Put(1, "one")
	at.Time = at.Add(time.Minute - 1)
	check(t, c, 1, "one")
	at.Time = at.Add(1)
	check(t, c, 1, "")
	c.Put(1, "again")
	check(t, c, 1, "again")
	if len(c.keys) != 1 {
		t.Errorf("one key is in the ring %d times", len(c.keys))
	}
}

func TestFullCacheForgetsTheOldest(t *testing.T) {
	c, _ := newCache(3)
	for key := range 8 {
		c.Put(key, "x")
		c.Put(key, "value")
	}
	for key, want := range []string{"", "", "", "", "", "value", "value", "value"} {
		check(t, c, key, want)
	}
	if len(c.values) != 3 || len(c.keys) != 3 {
		t.Errorf("%d values and %d keys, want 3", len(c.values), len(c.keys))
	}
}

func TestConcurrentUse(t *testing.T) {
	c, _ := newCache(10)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for key := range 1_000 {
				c.Put(key%25, "x")
				c.Get(key % 20)
			}
		})
	}
	workers.Wait()
	if len(c.values) != 10 {
		t.Errorf("%d values, want 10", len(c.values))
	}
}
