package lambda

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// pool manages the sandboxes of one function. It has at most limit slots. A caller waits only if
// all slots are in use; a released slot goes to the first waiting caller.
type pool struct {
	runtime  *Runtime
	reserved concurrency // if the function has reserved concurrency

	mu         sync.Mutex
	function   Function
	generation int     // of the binary and the configuration
	slots      int     // acquired or idle
	idle       []*slot // the most recently used is the last
	waiting    []chan *slot
	stopped    bool
}

// slot is the right to run one process. It has no sandbox until its holder starts one.
type slot struct {
	sandbox *sandbox
	since   time.Time // idle since
}

// acquire returns a slot for the caller's exclusive use. The caller must pass it to serve.
func (p *pool) acquire(ctx context.Context) (*slot, error) {
	turn, timeout := p.requestSlot()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	select {
	case s, ok := <-turn:
		return slotOrStopped(s, ok)
	default: // a free slot takes precedence over an ended context
	}
	select {
	case s, ok := <-turn:
		return slotOrStopped(s, ok)
	case <-deadline.C:
	case <-ctx.Done():
	}
	p.cancelRequest(turn)
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	return nil, ErrThrottled
}

func slotOrStopped(s *slot, ok bool) (*slot, error) {
	if !ok {
		return nil, ErrStopped
	}
	return s, nil
}

// requestSlot returns a channel that receives a slot, at once if one is free. stop closes it.
func (p *pool) requestSlot() (chan *slot, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turn := make(chan *slot, 1)
	switch last := len(p.idle) - 1; {
	case p.stopped:
		close(turn)
	case last >= 0:
		turn <- p.idle[last]
		p.idle = p.idle[:last]
	case p.slots < p.limit():
		p.slots++
		turn <- &slot{}
	default:
		p.waiting = append(p.waiting, turn)
	}
	return turn, p.function.Timeout
}

func (p *pool) limit() int {
	most := p.runtime.config.MaxSandboxes
	if own := p.function.Concurrency; own > 0 {
		return min(own, most)
	}
	return most
}

// cancelRequest stops waiting for a slot. If one arrived meanwhile, it releases that.
func (p *pool) cancelRequest(turn chan *slot) {
	p.mu.Lock()
	i := slices.Index(p.waiting, turn)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		return
	}
	if s, ok := <-turn; ok {
		p.release(s)
	}
}

// release returns a slot to the pool. Its sandbox may have exited or be outdated.
func (p *pool) release(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.sandbox != nil && (p.stopped || s.sandbox.generation != p.generation || s.sandbox.hasExited()) {
		s.sandbox.retire()
		s.sandbox = nil
	}
	switch {
	case len(p.waiting) > 0:
		p.waiting[0] <- s
		p.waiting = p.waiting[1:]
	case s.sandbox == nil:
		p.slots--
	default:
		s.since = time.Now()
		p.idle = append(p.idle, s)
	}
}

// drop removes an idle sandbox whose process has exited. If the sandbox is in use, its holder
// replaces it.
func (p *pool) drop(s *sandbox) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(idle *slot) bool {
		if idle.sandbox != s {
			return false
		}
		p.slots--
		return true
	})
}

// reload retires idle sandboxes now and busy ones when they are released. If f is not nil, it
// becomes the function's new configuration.
func (p *pool) reload(f *Function) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f != nil {
		p.function = *f
	}
	p.generation++
	p.retireIdle(len(p.idle))
}

// stop retires idle sandboxes and fails all waiting callers. The Runtime ends busy sandboxes.
func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	p.retireIdle(len(p.idle))
	for _, turn := range p.waiting {
		close(turn)
	}
	p.waiting = nil
}

func (p *pool) shrink(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	unused := 0
	for i, s := range p.idle {
		last := i == len(p.idle)-1
		age := now.Sub(s.since)
		if age >= p.runtime.config.IdleTimeout || !last && age >= p.runtime.config.ShrinkAfter {
			unused = i + 1
		}
	}
	p.retireIdle(unused)
}

// retireIdle ends the n sandboxes that have been idle longest.
func (p *pool) retireIdle(n int) {
	for _, s := range p.idle[:n] {
		s.sandbox.retire()
	}
	p.idle = slices.Delete(p.idle, 0, n)
	p.slots -= n
}

func (p *pool) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}

// current returns the function's configuration and its generation.
func (p *pool) current() (Function, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.function, p.generation
}

// serve runs an invocation in the slot and releases the slot. It starts a sandbox if the slot has
// none, and replaces one that exited while it was idle.
func (p *pool) serve(s *slot, payload []byte) outcome {
	defer p.release(s)
	inv := newInvocation(payload)
	for {
		if s.sandbox == nil {
			if failed := p.start(s, inv); failed != nil {
				return *failed
			}
		}
		if s.sandbox.run(inv) {
			return p.outcome(inv)
		}
		if inv.cold {
			return *p.failed(inv, s.sandbox.exitFailure(inv.id))
		}
		s.sandbox = nil
	}
}
