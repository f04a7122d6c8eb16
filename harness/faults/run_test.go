package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/harness/office"
	"portside/local/faultproxy"
	"portside/shared/core/fault"
)

// patience is how often a client repeats what fails.
const patience = 4

// longestRun bounds an attempt. It is how long a function may run on AWS at most. An attempt takes a fraction of a
// second, but many runs share the engines, and a busy machine is many times slower.
const longestRun = 15 * time.Minute

// start is the time of the clock at the beginning of a run. It is at noon before a leap day.
var start = time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC)

// request is a recorded request of a flow.
type request struct {
	call  faultproxy.Call
	place string
}

// plan is the fault of a run.
type plan struct {
	fault  faultproxy.Fault
	at     int  // number of the request, beginning with 1
	stays  bool // disturbs all later requests of the client's attempt, too
	noKeys bool // the client sends no idempotency keys
}

// isCrash reports whether it is as if the process was killed: before a request has an effect, or before it has the
// response.
func (p plan) isCrash() bool {
	return p.stays && (p.fault == faultproxy.Refuse || p.fault == faultproxy.Lose)
}

func (p plan) String() string {
	how := "once"
	if p.stays {
		how = "staying"
	}
	if p.noKeys {
		how += ", without keys"
	}
	return fmt.Sprintf("%s at request %d, %s", p.fault, p.at, how)
}

// run is one run of a flow.
type run struct {
	plan
	id      string
	tb      testing.TB
	letters office.Letters
	*world
	engines   *engines
	hasPeople bool

	mu       sync.Mutex
	armed    bool
	seen     int
	isDone   bool // the fault was done in this attempt
	requests []request
	visited  map[string]bool // places of requests, with or without the fault
	reached  map[string]bool // places with the fault
	problems []string
}

func newRun(tb testing.TB, p plan) *run {
	return &run{plan: p, id: uuid.NewString(), tb: tb, visited: map[string]bool{}, reached: map[string]bool{}}
}

// decide returns the fault of a request.
func (r *run) decide(call faultproxy.Call, place string) faultproxy.Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.visited[place] = true
	if !r.armed {
		return faultproxy.None
	}
	r.seen++
	if r.fault == faultproxy.None {
		r.requests = append(r.requests, request{call, place})
		return faultproxy.None
	}
	switch {
	case r.seen == r.at:
		return r.fault
	case !r.stays || r.seen < r.at || !r.isDone:
		return faultproxy.None
	case r.fault == faultproxy.Lose: // as if the process was killed before it got the response
		return faultproxy.Refuse
	}
	return r.fault
}

// done notes that a fault was done.
func (r *run) done(place string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isDone = true
	r.reached[place] = true
}

func (r *run) arm(armed bool) (wasDone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wasDone, r.armed, r.isDone = r.isDone, armed, false
	return wasDone
}

// isDisturbed reports whether a fault was done in the run.
func (r *run) isDisturbed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.reached) > 0
}

// stopped ends a run whose later steps make no sense.
type stopped struct{}

// problem notes a wrong result.
func (r *run) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// check notes a problem unless the condition is true.
func (r *run) check(holds bool, format string, args ...any) {
	if !holds {
		r.problem(format, args...)
	}
}

// must ends the run if err is not nil.
func (r *run) must(err error) {
	if err != nil {
		r.problem("a step without faults: %v", err)
		panic(stopped{})
	}
}

// do is a request of a client, which repeats it until it succeeds. After an attempt that a fault disturbed, the request
// may also answer with one of the errors in already, because that attempt took effect. Every other failure must be a
// documented refusal.
func (r *run) do(what string, send func(context.Context) error, already ...error) {
	r.repeat(what, send, func(err error) bool { return fault.KindOf(err) == fault.Unavailable }, already)
}

// event is an event, which the service delivers again after any error.
func (r *run) event(what string, handle func(context.Context) error) {
	r.repeat(what, handle, func(error) bool { return true }, nil)
}

func (r *run) repeat(what string, send func(context.Context) error, isRefusal func(error) bool, already []error) {
	var wasDone bool
	for range patience {
		r.arm(true)
		ctx, cancel := context.WithTimeout(r.tb.Context(), longestRun)
		err := send(ctx)
		cancel()
		wasDone = r.arm(false) || wasDone
		switch {
		case err == nil:
			return
		case !wasDone:
			r.problem("%s fails without a fault: %v", what, err)
			panic(stopped{})
		case slices.ContainsFunc(already, func(a error) bool { return errors.Is(err, a) }):
			return
		case !isRefusal(err):
			r.problem("%s answers with %v, of kind %d", what, err, fault.KindOf(err))
		}
	}
	r.problem("%s still fails after the fault", what)
	panic(stopped{})
}

// key returns an idempotency key, which is the same in all repeats, or "" if the client sends none.
func (r *run) key(name string) string {
	if r.noKeys {
		return ""
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.id+name)).String()
}
