// Package parallel runs the calls of one request at the same time, with a limit, so that a page of
// results takes about as long as its slowest calls and never more connections than the limit.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each calls f with 0 to n-1, at most limit calls at a time, and returns when all calls have
// returned. After an error it starts no further calls, and it returns the first error.
func Each(n, limit int, f func(i int) error) error {
	var running sync.WaitGroup
	var next atomic.Int64
	var once sync.Once
	var first error
	for range min(n, limit) {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := f(int(i)); err != nil {
					once.Do(func() { first = err })
					next.Store(int64(n))
				}
			}
		})
	}
	running.Wait()
	return first
}
