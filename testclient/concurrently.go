package testclient

import "sync"

// Concurrently calls f n times concurrently, with 0 to n-1, and returns how often it returned each value.
func Concurrently(n int, f func(i int) int) map[int]int {
	var (
		mu     sync.Mutex
		counts = map[int]int{}
		all    sync.WaitGroup
	)
	for i := range n {
		all.Go(func() {
			result := f(i)
			mu.Lock()
			defer mu.Unlock()
			counts[result]++
		})
	}
	all.Wait()
	return counts
}
