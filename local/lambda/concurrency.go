package lambda

import "sync/atomic"

// concurrency counts concurrent invocations. Invocations that wait for a process count, because on AWS they would have
// one.
type concurrency struct{ running atomic.Int64 }

// enter counts an invocation. It returns false if that would exceed the limit.
func (c *concurrency) enter(limit int) bool {
	if c.running.Add(1) <= int64(limit) {
		return true
	}
	c.leave()
	return false
}

func (c *concurrency) leave() { c.running.Add(-1) }

// enter counts an invocation of the function: against its reserved concurrency or, if it has none, against the
// concurrency that the other functions of the account share.
func (p *pool) enter() (leave func(), err error) {
	counter, limit := &p.runtime.unreserved, p.runtime.config.Concurrency
	if f, _ := p.current(); f.Concurrency > 0 {
		counter, limit = &p.reserved, f.Concurrency
	}
	if !counter.enter(limit) {
		return nil, ErrThrottled
	}
	return counter.leave, nil
}
