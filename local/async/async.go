// Package async invokes functions asynchronously, as AWS Lambda does for invocations of type Event.
//
// The caller of Invoke never waits. When a function fails, the queue retries the event twice, each
// time after a delay, and then drops it with a log line. Throttling does not count as a failure.
// The queue bounds both the number and the bytes of pending events. Events are in memory only: when
// the stack stops, events that it could not deliver are lost, and the queue logs their number.
package async

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"portside/local/lambda"
)

// MaxPayloadBytes is Lambda's limit on the payload of an asynchronous invocation.
const MaxPayloadBytes = 1 << 20

// Event is one invocation.
type Event struct {
	Function    string
	Payload     []byte
	Description string // names the event in log lines, after "on"
}

// Invoker invokes a function synchronously. The local stack implements it.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config holds the parameters of New. A zero limit means the default in the field's comment.
type Config struct {
	Invoker Invoker
	// RetryDelays are the delays before each retry; their number is the number of retries. The
	// default is 1 s and 2 s. AWS waits minutes.
	RetryDelays  []time.Duration
	Concurrency  int // concurrent invocations per function; default 10
	MaxEvents    int // pending events; default 10,000
	MaxBytes     int // bytes of pending payloads; default 64 MB
	Log          func(line string)
	RecoveryHint string // ends the log line about lost events: how to recover from the loss
}

// throttledDelay comes on top of the time that the runtime waits for a sandbox.
const throttledDelay = time.Second

// Queue delivers events. It is safe for concurrent use.
type Queue struct {
	config  Config
	ctx     context.Context // of all invocations
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	queues   map[string]*functionQueue
	events   int // neither delivered nor dropped yet
	bytes    int
	started  bool
	stopping bool
	full     bool // no event was admitted since the last rejection
}

// functionQueue holds the events of one function, so that a slow function does not delay others.
type functionQueue struct {
	waiting []attempt
	workers int
}

func (l *functionQueue) pop() attempt {
	a := l.waiting[0]
	l.waiting[0] = attempt{} // releases the payload
	l.waiting = l.waiting[1:]
	return a
}

type attempt struct {
	Event
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
	q := &Queue{config: c, queues: map[string]*functionQueue{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Invoke adds an event and never waits. If the queue is full, it drops the event and logs that. The
// caller must not change the payload afterwards.
func (q *Queue) Invoke(e Event) {
	if len(e.Payload) > MaxPayloadBytes {
		q.config.Log(fmt.Sprintf("%s not invoked on %s: the event is larger than %d KB", e.Function, e.Description, MaxPayloadBytes>>10))
		return
	}
	q.mu.Lock()
	taken, first := q.admit(e)
	q.mu.Unlock()
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
	if q.events >= q.config.MaxEvents || q.bytes+len(e.Payload) > q.config.MaxBytes {
		first = !q.full
		q.full = true
		return false, first
	}
	q.full = false
	q.events++
	q.bytes += len(e.Payload)
	q.push(attempt{Event: e})
	return true, false
}

// push appends a to its function's queue. It needs the lock.
func (q *Queue) push(a attempt) {
	l := q.queues[a.Function]
	if l == nil {
		l = &functionQueue{}
		q.queues[a.Function] = l
	}
	l.waiting = append(l.waiting, a)
	q.startWorkers(l)
}

func (q *Queue) startWorkers(l *functionQueue) {
	for q.started && len(l.waiting) > 0 && l.workers < q.config.Concurrency {
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
// cancels running invocations and logs how many events are lost.
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
	defer q.mu.Unlock()
	if q.events > 0 {
		q.config.Log(fmt.Sprintf("events lost because they were not delivered before the stack stopped: %d%s", q.events, q.config.RecoveryHint))
		q.events = 0
	}
}

// runWorker delivers the events of l until there are none.
func (q *Queue) runWorker(l *functionQueue, a attempt) {
	for more := true; more; {
		q.deliver(a)
		a, more = q.next(l)
	}
}

func (q *Queue) next(l *functionQueue) (attempt, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.waiting) == 0 || q.ctx.Err() != nil {
		l.workers--
		return attempt{}, false
	}
	return l.pop(), true
}

func (q *Queue) deliver(a attempt) {
	result, err := q.config.Invoker.Invoke(q.ctx, a.Function, a.Payload)
	switch {
	case err == nil && result.FunctionError == "":
		q.remove(a)
	case q.ctx.Err() != nil:
	case errors.Is(err, lambda.ErrThrottled):
		q.retryAfter(a, throttledDelay)
	case a.failed < len(q.config.RetryDelays):
		a.failed++
		q.retryAfter(a, q.config.RetryDelays[a.failed-1])
	default:
		q.remove(a)
		q.config.Log(fmt.Sprintf("%s failed %d times on %s; the event is dropped: %s",
			a.Function, a.failed+1, a.Description, failureReason(result, err)))
	}
}

// remove stops counting an event that was delivered or dropped.
func (q *Queue) remove(a attempt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events--
	q.bytes -= len(a.Payload)
}

// retryAfter delivers an event again after a delay. No worker waits for the delay.
func (q *Queue) retryAfter(a attempt, delay time.Duration) {
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
