package build

import (
	"context"
	"slices"
	"sync"
)

// maxBuilds is how many builds run at the same time. The compiler itself uses all processors.
const maxBuilds = 2

// turns gives builds their turns. A build that a request waits for goes first.
type turns struct {
	mu      sync.Mutex
	running int
	waiting []*turn
}

type turn struct {
	name    string
	isFirst bool
	begins  chan struct{}
}

// take waits until a build may begin. The caller must call done after it, unless take fails.
func (q *turns) take(ctx context.Context, name string) error {
	q.mu.Lock()
	t := &turn{name: name, begins: make(chan struct{})}
	q.waiting = append(q.waiting, t)
	q.next()
	q.mu.Unlock()
	select {
	case <-t.begins:
		return nil
	case <-ctx.Done():
		q.leave(t)
		return ctx.Err()
	}
}

// leave removes a turn whose caller has given up, or ends it if it has just begun.
func (q *turns) leave(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	}
	q.running--
	q.next()
}

func (q *turns) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	q.next()
}

// putFirst lets the named build begin before all others that wait.
func (q *turns) putFirst(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.waiting {
		t.isFirst = t.isFirst || t.name == name
	}
}

// next lets builds begin while there are free places. The caller holds the lock.
func (q *turns) next() {
	for q.running < maxBuilds && len(q.waiting) > 0 {
		i := max(0, slices.IndexFunc(q.waiting, func(t *turn) bool { return t.isFirst }))
		t := q.waiting[i]
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.running++
		close(t.begins)
	}
}
