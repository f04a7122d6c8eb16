package crashes

import (
	"fmt"
	"slices"
	"sync"

	"portside/local/crashpoint"
)

// point is a moment at which a function is killed: its nth call of an operation in a flow.
type point struct {
	call   crashpoint.Call
	nth    int // from 0
	action crashpoint.Action
}

// String implements fmt.Stringer.
func (p point) String() string {
	when := "before"
	if p.action == crashpoint.KillAfter {
		when = "after"
	}
	return fmt.Sprintf("%s %s %s %s %d", when, p.call.Function, p.call.Service, p.call.Operation, p.nth+1)
}

// killer is the hook of the stack. It records the calls of the functions of a flow, and kills a function at one of
// them.
type killer struct {
	mu        sync.Mutex
	functions []string
	counts    map[crashpoint.Call]int
	calls     []point // in the order in which they began
	target    point
	killed    bool
}

// watch begins to record the calls of functions. It kills the one that makes the call of target, once. The zero point
// kills no function.
func (k *killer) watch(target point, functions ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.functions, k.counts, k.calls = functions, map[crashpoint.Call]int{}, nil
	k.target, k.killed = target, false
}

// stop ends recording and killing.
func (k *killer) stop() { k.watch(point{}) }

// decide implements crashpoint.Hook.
func (k *killer) decide(c crashpoint.Call) crashpoint.Action {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.functions, c.Function) {
		return crashpoint.Forward
	}
	p := point{call: c, nth: k.counts[c]}
	k.counts[c]++
	k.calls = append(k.calls, p)
	if k.killed || k.target.action == crashpoint.Forward || p.call != k.target.call || p.nth != k.target.nth {
		return crashpoint.Forward
	}
	k.killed = true
	return k.target.action
}

// hasKilled reports whether the call of the target was made.
func (k *killer) hasKilled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.killed
}

// watched returns the functions that are recorded.
func (k *killer) watched() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.functions
}

// recorded returns the number of calls so far.
func (k *killer) recorded() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.calls)
}

// points returns the points of the recorded calls: before and after the first read and each call that can change
// something.
func (k *killer) points() []point {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []point
	hasRead := false
	for _, p := range k.calls {
		if p.call.IsRead() && hasRead {
			continue
		}
		hasRead = hasRead || p.call.IsRead()
		before, after := p, p
		before.action, after.action = crashpoint.KillBefore, crashpoint.KillAfter
		all = append(all, before, after)
	}
	return all
}
