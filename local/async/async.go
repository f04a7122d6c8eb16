// Package async invokes functions as AWS Lambda does for events that nobody waits for.
//
// What must stay true: whoever hands an event over never waits; an event whose function fails is
// tried again twice, after a pause each, and then given up with a line in the log, so that no
// failure is silent; a function whose sandboxes are all busy has not failed; and what waits is
// bounded, in events and in bytes. The events live in memory only: the end of the stack loses what
// it could not deliver any more, and says so.
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

// MaxPayload is the largest event, in bytes, as for Lambda's invocations of type Event.
const MaxPayload = 1 << 20

// Event is one invocation.
type Event struct {
	Function string
	Payload  []byte
	About    string // names the event in the log, after "on"
}

// Invoker runs a function and says how it went; the local stack is one.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config is what New needs. A zero limit stands for the default that is named beside it.
type Config struct {
	Invoker Invoker
	// Pauses are the times before the second and each further try; 1 s and 2 s, where AWS waits
	// minutes. There is one try more than pauses.
	Pauses      []time.Duration
	Concurrency int // 10 invocations of one function at a time
	MaxEvents   int // 10,000 events that wait, run or pause
	MaxBytes    int // 64 MB of them
	Say         func(line string)
	Mend        string // what Stop says behind how many events were lost: how to make up for them
}

// throttledPause is in addition to the time that the runtime waits for a sandbox.
const throttledPause = time.Second

// Queue delivers events. Its methods may be called from any goroutine.
type Queue struct {
	config Config
	ctx    context.Context // of all invocations
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	lanes    map[string]*lane
	events   int // not yet delivered or given up
	bytes    int
	started  bool
	stopping bool
	full     bool // since something was last taken
}

// lane is what waits for one function, so that a slow one does not hold up the others.
type lane struct {
	waiting []attempt
	workers int
}

func (l *lane) pop() attempt {
	a := l.waiting[0]
	l.waiting[0] = attempt{} // or its payload would stay in memory
	l.waiting = l.waiting[1:]
	return a
}

type attempt struct {
	Event
	failed int
}

// New returns a queue that takes events and holds them until Start.
func New(c Config) *Queue {
	if c.Pauses == nil {
		c.Pauses = []time.Duration{time.Second, 2 * time.Second}
	}
	c.Concurrency = cmp.Or(c.Concurrency, 10)
	c.MaxEvents = cmp.Or(c.MaxEvents, 10_000)
	c.MaxBytes = cmp.Or(c.MaxBytes, 64<<20)
	q := &Queue{config: c, lanes: map[string]*lane{}}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// Invoke hands over an event, whose payload must not change afterwards. It never waits: an event
// that the queue cannot take is lost, and the log says so.
func (q *Queue) Invoke(e Event) {
	if len(e.Payload) > MaxPayload {
		q.config.Say(fmt.Sprintf("%s is not invoked on %s: the event is larger than %d KB", e.Function, e.About, MaxPayload>>10))
		return
	}
	q.mu.Lock()
	taken, first := q.take(e)
	q.mu.Unlock()
	if !taken && first {
		q.config.Say(fmt.Sprintf("%s is not invoked on %s: too many events wait; the next ones are lost until there is room",
			e.Function, e.About))
	}
}

// take admits an event; first is true for the first of a row that were not admitted.
func (q *Queue) take(e Event) (taken, first bool) {
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

// push needs the lock.
func (q *Queue) push(a attempt) {
	l := q.lanes[a.Function]
	if l == nil {
		l = &lane{}
		q.lanes[a.Function] = l
	}
	l.waiting = append(l.waiting, a)
	q.employ(l)
}

func (q *Queue) employ(l *lane) {
	for q.started && len(l.waiting) > 0 && l.workers < q.config.Concurrency {
		first := l.pop()
		l.workers++
		q.work.Go(func() { q.serve(l, first) })
	}
}

// Start begins to deliver.
func (q *Queue) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.started = true
	for _, l := range q.lanes {
		q.employ(l)
	}
}

// Stop takes no more events and tries none again, waits for what it can still deliver until ctx
// ends, and then ends what runs. It says how many events it lost.
func (q *Queue) Stop(ctx context.Context) {
	q.mu.Lock()
	q.stopping = true
	q.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		q.work.Wait()
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
		q.config.Say(fmt.Sprintf("events lost at the end, since they were not delivered in time: %d%s", q.events, q.config.Mend))
		q.events = 0
	}
}

// serve is one worker: it delivers what waits in the lane, and ends when nothing does.
func (q *Queue) serve(l *lane, a attempt) {
	for more := true; more; {
		q.try(a)
		a, more = q.next(l)
	}
}

func (q *Queue) next(l *lane) (attempt, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.waiting) == 0 || q.ctx.Err() != nil {
		l.workers--
		return attempt{}, false
	}
	return l.pop(), true
}

func (q *Queue) try(a attempt) {
	result, err := q.config.Invoker.Invoke(q.ctx, a.Function, a.Payload)
	switch {
	case err == nil && result.FunctionError == "":
		q.leave(a)
	case q.ctx.Err() != nil:
	case errors.Is(err, lambda.ErrThrottled):
		q.again(a, throttledPause)
	case a.failed < len(q.config.Pauses):
		a.failed++
		q.again(a, q.config.Pauses[a.failed-1])
	default:
		q.leave(a)
		q.config.Say(fmt.Sprintf("%s failed %d times on %s, which is given up: %s",
			a.Function, a.failed+1, a.About, reason(result, err)))
	}
}

// leave ends the life of an event.
func (q *Queue) leave(a attempt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.events--
	q.bytes -= len(a.Payload)
}

// again tries an event after a pause. An event that pauses has no worker.
func (q *Queue) again(a attempt, pause time.Duration) {
	time.AfterFunc(pause, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if !q.stopping {
			q.push(a)
		}
	})
}

// reason is the function's own message, where it has one.
func reason(result lambda.Result, err error) string {
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
