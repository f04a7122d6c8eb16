package schedule

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"portside/local/lambda"
)

// Invoker invokes a function. lambda.Runtime implements it.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config holds the parameters of New.
type Config struct {
	Jobs    []Job
	Invoker Invoker
	Account Account
	// Log receives one Record for each run, from several goroutines concurrently. It may be nil.
	Log func(Record)
}

// Record describes one run of a schedule.
type Record struct {
	// Due is the scheduled time of the run.
	Due      time.Time
	ID       string
	Function string
	Cold     bool
	Duration time.Duration
	// Err is nil if the function succeeded.
	Err error
}

// Runner invokes functions when they are due.
type Runner struct {
	config Config
	due    []Expression
}

// New parses the expressions of all enabled jobs.
func New(c Config) (*Runner, error) {
	r := &Runner{config: c}
	r.config.Jobs = nil
	for _, job := range c.Jobs {
		if !job.Enabled {
			continue
		}
		e, err := Parse(job.Expression)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", job.ID, err)
		}
		if !ValidInput(job.Input) {
			return nil, fmt.Errorf("%s: the Input of a schedule must be JSON", job.ID)
		}
		r.config.Jobs = append(r.config.Jobs, job)
		r.due = append(r.due, e)
	}
	return r, nil
}

// Run invokes functions until ctx ends, which also cancels running invocations. It returns when
// they have ended.
func (r *Runner) Run(ctx context.Context) error {
	var running sync.WaitGroup
	for i := range r.config.Jobs {
		running.Go(func() { r.runJob(ctx, i, &running) })
	}
	running.Wait()
	return nil
}

func (r *Runner) runJob(ctx context.Context, i int, running *sync.WaitGroup) {
	due, ok := r.due[i].Next(now())
	for ok && waitUntil(ctx, due) {
		started := due // due changes during this run
		running.Go(func() { r.invoke(ctx, r.config.Jobs[i], started) })
		due, ok = r.nextDue(i, due)
	}
}

// nextDue returns the next time in the future. It counts from the last scheduled time, so that a
// rate does not drift, and skips times that have passed.
func (r *Runner) nextDue(i int, due time.Time) (time.Time, bool) {
	next, ok := r.due[i].Next(due)
	if ok && !next.After(now()) {
		return r.due[i].Next(now())
	}
	return next, ok
}

// now returns the time without the monotonic clock, which stops while a computer sleeps.
func now() time.Time { return time.Now().Round(0) }

// maxSleep bounds the delay of a run after the computer woke up or its clock was set.
const maxSleep = 30 * time.Second

func waitUntil(ctx context.Context, due time.Time) bool {
	for {
		left := due.Sub(now())
		if left <= 0 {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(left, maxSleep)):
		}
	}
}

func (r *Runner) invoke(ctx context.Context, job Job, due time.Time) {
	result, err := r.config.Invoker.Invoke(ctx, job.Function, job.Payload(r.config.Account, due))
	if err == nil && result.FunctionError != "" {
		err = errors.New(result.FunctionError + ": " + string(result.Payload))
	}
	if r.config.Log != nil {
		r.config.Log(Record{
			Due: due, ID: job.ID, Function: job.Function,
			Cold: result.Cold, Duration: result.Duration, Err: err,
		})
	}
}
