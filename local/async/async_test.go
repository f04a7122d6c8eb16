package async_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portside/local/async"
	"portside/local/lambda"
)

// function answers invocations by a rule and remembers when they came.
type function struct {
	began time.Time
	rule  func(ctx context.Context, try int, payload string) (lambda.Result, error)

	mu    sync.Mutex
	calls []string // payload and time
	said  []string
}

func (f *function) Invoke(ctx context.Context, name string, payload []byte) (lambda.Result, error) {
	f.mu.Lock()
	f.calls = append(f.calls, fmt.Sprintf("%s(%s) at %v", name, payload, time.Since(f.began)))
	try := len(f.calls)
	f.mu.Unlock()
	return f.rule(ctx, try, string(payload))
}

func (f *function) say(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, line)
}

// pass lets time of the test's own go by.
func pass(d time.Duration) { <-time.After(d) }

type rule = func(ctx context.Context, try int, payload string) (lambda.Result, error)

func well(context.Context, int, string) (lambda.Result, error) { return lambda.Result{}, nil }

func broken(context.Context, int, string) (lambda.Result, error) {
	return lambda.Result{FunctionError: lambda.Unhandled, Payload: []byte(`{"errorMessage":"no\nluck"}`)}, nil
}

// hang lasts until its caller gives up.
func hang(ctx context.Context, _ int, _ string) (lambda.Result, error) {
	<-ctx.Done()
	return lambda.Result{}, ctx.Err()
}

func start(r rule, change func(*async.Config)) (*async.Queue, *function) {
	f := &function{began: time.Now(), rule: r} //nolint:forbidigo // the clock of the bubble
	config := async.Config{Invoker: f, Say: f.say}
	if change != nil {
		change(&config)
	}
	return async.New(config), f
}

func event(payload string) async.Event {
	return async.Event{Function: "F", Payload: []byte(payload), About: "event " + payload}
}

func (f *function) check(t *testing.T, calls, said []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.calls, calls) || !slices.Equal(f.said, said) {
		t.Errorf("calls %q, said %q\nwant  %q, said %q", f.calls, f.said, calls, said)
	}
}

func TestFailuresAreTriedThreeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := start(broken, nil)
		q.Invoke(event("1")) // which waits for Start
		q.Start()
		pass(time.Hour)
		q.Stop(t.Context())
		f.check(t, []string{"F(1) at 0s", "F(1) at 1s", "F(1) at 3s"},
			[]string{`F failed 3 times on event 1, which is given up: "no\nluck"`})
	})
}

func TestATryThatGoesWellIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := start(func(_ context.Context, try int, _ string) (lambda.Result, error) {
			if try == 1 {
				return lambda.Result{}, errors.New("does not build")
			}
			return lambda.Result{}, nil
		}, func(c *async.Config) { c.Pauses = []time.Duration{time.Minute} })
		q.Start()
		q.Invoke(event("1"))
		pass(time.Hour)
		q.Stop(t.Context())
		f.check(t, []string{"F(1) at 0s", "F(1) at 1m0s"}, nil)
	})
}

func TestThrottledIsNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := start(func(_ context.Context, try int, _ string) (lambda.Result, error) {
			if try <= 10 {
				return lambda.Result{}, lambda.ErrThrottled
			}
			return lambda.Result{}, nil
		}, nil)
		q.Start()
		q.Invoke(event("1"))
		pass(time.Hour)
		q.Stop(t.Context())
		if len(f.calls) != 11 || len(f.said) != 0 {
			t.Errorf("calls %q, said %q", f.calls, f.said)
		}
	})
}

func TestWhatDoesNotFitIsSaidOnce(t *testing.T) {
	for name, change := range map[string]func(*async.Config){
		"events": func(c *async.Config) { c.MaxEvents = 2 },
		"bytes":  func(c *async.Config) { c.MaxBytes = 2 },
	} {
		synctest.Test(t, func(t *testing.T) {
			q, f := start(well, change)
			for _, payload := range []string{"1", "2", "3", "4"} {
				q.Invoke(event(payload))
			}
			q.Start()
			synctest.Wait()
			q.Invoke(event("5"))
			q.Invoke(event(strings.Repeat("x", async.MaxPayload+1)))
			q.Stop(t.Context())
			if len(f.calls) != 3 || len(f.said) != 2 || !strings.HasPrefix(f.said[0], "F is not invoked on event 3: too many") ||
				!strings.HasSuffix(f.said[1], "the event is larger than 1024 KB") {
				t.Errorf("%s: calls %q, said %.200q", name, f.calls, f.said)
			}
		})
	}
}

func TestOneFunctionDoesNotHoldUpAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		q, f := start(func(ctx context.Context, try int, payload string) (lambda.Result, error) {
			if payload == "quick" {
				return lambda.Result{}, nil
			}
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			return hang(ctx, try, payload)
		}, func(c *async.Config) { c.Concurrency = 3 })
		q.Start()
		for range 10 {
			q.Invoke(event("slow"))
		}
		q.Invoke(async.Event{Function: "Other", Payload: []byte("quick")})
		synctest.Wait()
		if most != 3 || !slices.Contains(f.calls, "Other(quick) at 0s") {
			t.Errorf("%d at a time, calls %q", most, f.calls)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		q.Stop(ctx)
		if len(f.calls) != 4 || !slices.Equal(f.said, []string{"events lost at the end, since they were not delivered in time: 10"}) {
			t.Errorf("calls %q, said %q", f.calls, f.said)
		}
	})
}

func TestStopDeliversWhatWaitsAndTriesNothingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := start(func(_ context.Context, _ int, payload string) (lambda.Result, error) {
			pass(time.Millisecond)
			if payload == "1" {
				return lambda.Result{FunctionError: lambda.Unhandled}, nil
			}
			return lambda.Result{}, nil
		}, func(c *async.Config) { c.Concurrency = 1 })
		q.Start()
		for _, payload := range []string{"1", "2", "3"} {
			q.Invoke(event(payload))
		}
		q.Stop(t.Context())
		q.Invoke(event("4"))
		pass(time.Hour)
		f.check(t, []string{"F(1) at 0s", "F(2) at 1ms", "F(3) at 2ms"},
			[]string{"events lost at the end, since they were not delivered in time: 1"})
	})
}
