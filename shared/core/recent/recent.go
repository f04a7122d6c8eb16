// Package recent keeps values in memory for a short time.
package recent

import (
	"sync"
	"time"
)

// Cache keeps the latest values by their keys, each for the same time. A new key replaces the oldest one in a full
// cache, so its memory is bounded. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	life time.Duration
	now  func() time.Time

	mu     sync.Mutex
	values map[K]value[V]
	keys   []K // a ring, in the order in which they were added
	oldest int
	size   int
}

type value[V any] struct {
	kept  V
	until time.Time
}

// New returns an empty cache of at most size values, which must be above zero.
func New[K comparable, V any](size int, life time.Duration, now func() time.Time) *Cache[K, V] {
	return &Cache[K, V]{life: life, now: now, size: size, values: map[K]value[V]{}}
}

// Get returns the value of a key, or false if the value is missing or too old.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.values[key]
	if !ok || !c.now().Before(found.until) {
		var none V
		return none, false
	}
	return found.kept, true
}

// Put keeps the value of a key from now on.
func (c *Cache[K, V]) Put(key K, kept V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.values[key]; !known {
		c.add(key)
	}
	c.values[key] = value[V]{kept: kept, until: c.now().Add(c.life)}
}

func (c *Cache[K, V]) add(key K) {
	if len(c.keys) < c.size {
		c.keys = append(c.keys, key)
		return
	}
	delete(c.values, c.keys[c.oldest])
	c.keys[c.oldest] = key
	c.oldest = (c.oldest + 1) % c.size
}
