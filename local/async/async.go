// Package async invokes functions asynchronously, as AWS Lambda does for invocations of type Event.
//
// The caller of Invoke never waits. When a function fails, the queue retries the event as often as
// the function's Policy allows, each time after a delay. Throttling does not count as a failure. After
// the last attempt, or when the event is too old, the queue writes Lambda's record of the failure to
// the Policy's destination. Without a destination it drops the event. Both cause a log line.
// The queue bounds both the number and the bytes of pending events. Events are in memory only: when
// the stack stops, events that it could not deliver go to the destination, too. Events without a
// destination are lost, and the queue logs their number.
package async

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"portside/local/lambda"
)

// MaxPayloadBytes is Lambda's limit on the payload of an asynchronous invocation.
const MaxPayloadBytes = 1 << 20

// Event is one invocation.
type Event struct {
	Function    string
	Payload     []byte
	Description string // names the event in log lines, after "on"
	// Done is called after the last attempt, with its result; it may be nil. It is not called for
	// events that are pending when the queue stops.
	Done func(lambda.Result, error)
}

// Invoker invokes a function synchronously. The local stack implements it.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config holds the parameters of New. A zero limit means the default in the field's comment.
type Config struct {
	Invoker Invoker
	// Policy returns the settings of a function. Nil means DefaultPolicy for all functions.
	Policy func(function string) Policy
	// Keep writes the record of a failed event to the Policy's destination, and returns where it is.
	Keep func(ctx context.Context, f Failure) (location string, err error)
	// RetryDelays are the delays before each retry. The last one applies to further retries, too.
	// The default is 1 s and 2 s. AWS waits minutes.
	RetryDelays  []time.Duration
	Concurrency  int // concurrent invocations per function; default 10
	MaxEvents    int // pending events; default 10,000
	MaxBytes     int // bytes of pending payloads; default 64 MB
	Log          func(line string)
	RecoveryHint string // ends the log line about lost events: how to recover from the loss
}

// throttledDelay is the delay after a throttled invocation. AWS waits 1 s at first, too.
const throttledDelay = time.Second

// Queue delivers events. It is safe for concurrent use.
type Queue struct {
	config  Config
	ctx     context.Context // of all invocations
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	queues   map[string]*functionQueue
	pending  map[*attempt]bool // neither delivered nor dropped yet
	bytes    int
	started  bool
	stopping bool
	full     bool // no event was admitted since the last rejection
}

// functionQueue holds the events of one function, so that a slow function does not delay others.
type functionQueue struct {
	limit   int // on workers
	waiting []*attempt
	workers int
}

func (l *functionQueue) pop() *attempt {
	a := l.waiting[0]
	l.waiting[0] = nil // releases the payload
	l.waiting = l.waiting[1:]
	return a
}

type attempt struct {
	Event
	id     string // of the invocation
	since  time.Time
	failed int
}

// New returns a queue that holds events until Start.
func New(c Config) *Queue {
	if c.RetryDelays == nil {
		c.RetryDelays = []time.Duration{time.Second, 2 * time.Second}
	}
	c.Concurrency = cmp.Or(c.Concurrency, 10)
	c.MaxEvents = cmp.Or(c.MaxEvents, 10_000)
	c.MaxBytes = cmp.Or(c.MaxBytes, 64<<20)
	if c.Policy == nil {
		c.Policy = func(string) Policy { return DefaultPolicy }
	}
	q := &Queue{config: c, queues: map[string]*functionQueue{}, pending: map[*attempt]bool{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Invoke adds an event and never waits. If the queue is full, it drops the event and logs that. The
// caller must not change the payload afterwards.
func (q *Queue) Invoke(e Event) {
	if len(e.Payload) > MaxPayloadBytes {
		e.report(lambda.Result{}, errNotAdmitted)
		q.config.Log(fmt.Sprintf("%s not invoked on %s: the event is larger than %d KB", e.Function, e.Description,
			MaxPayloadBytes>>10))
		return
	}
	q.mu.Lock()
	taken, first := q.admit(e)
	q.mu.Unlock()
	if !taken {
		e.report(lambda.Result{}, errNotAdmitted)
	}
	if !taken && first {
		q.config.Log(fmt.Sprintf("%s not invoked on %s: too many events are pending; further ones are dropped until there is room",
			e.Function, e.Description))
	}
}

// admit adds an event if there is room. first is true for the first event of a row of rejected
// ones. It needs the lock.
func (q *Queue) admit(e Event) (taken, first bool) {
	if q.stopping {
		return false, false
	}
	if len(q.pending) >= q.config.MaxEvents || q.bytes+len(e.Payload) > q.config.MaxBytes {
		first = !q.full
		q.full = true
		return false, first
	}
	q.full = false
	a := &attempt{Event: e, id: uuid.NewString(), since: time.Now()}
	q.pending[a] = true
	q.bytes += len(e.Payload)
	q.push(a)
	return true, false
}

// push appends a to its function's queue. It needs the lock.
func (q *Queue) push(a *attempt) {
	l := q.queues[a.Function]
	if l == nil {
		l = &functionQueue{limit: q.config.Concurrency}
		if own := q.config.Policy(a.Function).Concurrency; own > 0 {
			l.limit = min(own, l.limit)
		}
		q.queues[a.Function] = l
	}
	l.waiting = append(l.waiting, a)
	q.startWorkers(l)
}

func (q *Queue) startWorkers(l *functionQueue) {
	for q.started && len(l.waiting) > 0 && l.workers < l.limit {
		first := l.pop()
		l.workers++
		q.running.Go(func() { q.runWorker(l, first) })
	}
}

// Start begins delivery.
func (q *Queue) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.started = true
	for _, l := range q.queues {
		q.startWorkers(l)
	}
}

// Stop rejects new events, stops retries, and delivers pending events until ctx ends. Then it
// cancels running invocations, writes the events that are left to their destinations, and logs how
// many events are lost.
func (q *Queue) Stop(ctx context.Context) {
	q.mu.Lock()
	q.stopping = true
	q.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		q.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		q.cancel()
		<-ended
	}
	q.cancel()
	q.mu.Lock()
	left := slices.Collect(maps.Keys(q.pending))
	clear(q.pending)
	q.mu.Unlock()
	lost := 0
	for _, a := range left {
		if q.config.Policy(a.Function).Destination == "" {
			lost++
			continue
		}
		q.keep(ctx, q.failure(a, RetriesExhausted, lambda.Result{}), errStopped)
	}
	if lost > 0 {
		q.config.Log(fmt.Sprintf("events lost because they were not delivered before the stack stopped: %d%s", lost,
			q.config.RecoveryHint))
	}
}

// errNotAdmitted is the result of events for which the queue has no room.
var errNotAdmitted = errors.New("too many events are pending, or the event is too large")

// errStopped is the reason for events that the queue could not deliver before it stopped.
var errStopped = errors.New("the stack stopped")

// runWorker delivers the events of l until none is left.
func (q *Queue) runWorker(l *functionQueue, a *attempt) {
	for more := true; more; {
		q.deliver(a)
		a, more = q.next(l)
	}
}

func (q *Queue) next(l *functionQueue) (*attempt, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.waiting) == 0 || q.ctx.Err() != nil {
		l.workers--
		return nil, false
	}
	return l.pop(), true
}

func (q *Queue) deliver(a *attempt) {
	policy := q.config.Policy(a.Function)
	if time.Since(a.since) > policy.MaxAge {
		q.fail(a, EventAgeExceeded, lambda.Result{}, fmt.Errorf("the event is older than %s", policy.MaxAge))
		return
	}
	result, err := q.config.Invoker.Invoke(q.ctx, a.Function, a.Payload)
	switch {
	case err == nil && result.FunctionError == "":
		q.remove(a)
		a.report(result, nil)
	case q.ctx.Err() != nil:
	case errors.Is(err, lambda.ErrThrottled):
		q.retryAfter(a, throttledDelay)
	case a.failed < policy.Retries:
		a.failed++
		q.retryAfter(a, q.config.RetryDelays[min(a.failed, len(q.config.RetryDelays))-1])
	default:
		a.failed++
		q.fail(a, RetriesExhausted, result, err)
	}
}

// fail ends the delivery of an event without success.
func (q *Queue) fail(a *attempt, c Condition, result lambda.Result, err error) {
	q.remove(a)
	q.keep(q.ctx, q.failure(a, c, result), err)
	a.report(result, err)
}

func (q *Queue) failure(a *attempt, c Condition, result lambda.Result) Failure {
	return Failure{
		Event: a.Event, ID: a.id, Condition: c, Attempts: a.failed, Result: result, Destination: q.config.Policy(a.Function).
			Destination,
	}
}

func (e Event) report(result lambda.Result, err error) {
	if e.Done != nil {
		e.Done(result, err)
	}
}

// keepTimeout bounds the time to write one record, also after the queue has stopped.
const keepTimeout = 5 * time.Second

// keep writes the record of a failed event to its destination, if it has one, and logs that.
func (q *Queue) keep(ctx context.Context, f Failure, err error) {
	line := fmt.Sprintf("%s failed %d times on %s", f.Function, f.Attempts, f.Description)
	if f.Attempts == 0 {
		line = fmt.Sprintf("%s did not finish %s", f.Function, f.Description)
	}
	reason := failureReason(f.Result, err)
	if f.Destination == "" {
		q.config.Log(fmt.Sprintf("%s; the event is dropped: %s", line, reason))
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	location, keepErr := q.config.Keep(ctx, f)
	if keepErr != nil {
		q.config.Log(fmt.Sprintf("%s; the event is dropped: %s; it could not be written to its destination: %v", line, reason,
			keepErr))
		return
	}
	q.config.Log(fmt.Sprintf("%s; the event is in %s: %s", line, location, reason))
}

// remove stops counting an event that was delivered or dropped.
func (q *Queue) remove(a *attempt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.pending, a)
	q.bytes -= len(a.Payload)
}

// retryAfter delivers an event again after a delay. No worker waits for the delay.
func (q *Queue) retryAfter(a *attempt, delay time.Duration) {
	time.AfterFunc(delay, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !q.stopping {
			q.push(a)
		}
	})
}

// failureReason returns the function's error message, if it has one.
func failureReason(result lambda.Result, err error) string {
	var failure struct {
		Message string `json:"errorMessage"`
	}
	switch {
	case json.Unmarshal(result.Payload, &failure) == nil && failure.Message != "":
		return fmt.Sprintf("%.500q", failure.Message)
	case err != nil:
		return err.Error()
	}
	return result.FunctionError
}
