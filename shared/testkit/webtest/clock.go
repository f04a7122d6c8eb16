package webtest

import (
	"sync"
	"time"

	"portside/testclient"
)

// Clock is a clock that advances only when a test calls Advance.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a Clock that is set to now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Concurrently runs f n times concurrently and returns how often it returned each value.
func Concurrently(n int, f func(i int) int) map[int]int { return testclient.Concurrently(n, f) }
