package webtest

import (
	"sync"
	"time"
)

// Clock stands still until a test moves it.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a Clock that shows the time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock on.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// AtOnce runs f n times concurrently and counts what it returns.
func AtOnce(n int, f func(i int) int) map[int]int {
	var (
		mu     sync.Mutex
		counts = map[int]int{}
		all    sync.WaitGroup
	)
	for i := range n {
		all.Go(func() {
			status := f(i)
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	all.Wait()
	return counts
}
