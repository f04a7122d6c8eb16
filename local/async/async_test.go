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

// fakeFunction answers invocations by a rule and records them.
type fakeFunction struct {
	start time.Time
	rule  func(ctx context.Context, try int, payload string) (lambda.Result, error)

	mu     sync.Mutex
	calls  []string // function, payload and time of each invocation
	logged []string
}

func (f *fakeFunction) Invoke(ctx context.Context, name string, payload []byte) (lambda.Result, error) {
	f.mu.Lock()
	f.calls = append(f.calls, fmt.Sprintf("%s(%s) at %v", name, payload, time.Since(f.start)))
	try := len(f.calls)
	f.mu.Unlock()
	return f.rule(ctx, try, string(payload))
}

func (f *fakeFunction) log(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logged = append(f.logged, line)
}

// advance waits d on the fake clock of synctest.
func advance(d time.Duration) { <-time.After(d) }

type rule = func(ctx context.Context, try int, payload string) (lambda.Result, error)

func succeed(context.Context, int, string) (lambda.Result, error) { return lambda.Result{}, nil }

func fail(context.Context, int, string) (lambda.Result, error) {
	return lambda.Result{FunctionError: lambda.Unhandled, Payload: []byte(`{"errorMessage":"no\nluck"}`)}, nil
}

// hang blocks until the invocation is canceled.
func hang(ctx context.Context, _ int, _ string) (lambda.Result, error) {
	<-ctx.Done()
	return lambda.Result{}, ctx.Err()
}

func newQueue(r rule, change func(*async.Config)) (*async.Queue, *fakeFunction) {
	f := &fakeFunction{start: time.Now(), rule: r} //nolint:forbidigo // the clock of the synctest bubble
	config := async.Config{Invoker: f, Log: f.log}
	if change != nil {
		change(&config)
	}
	return async.New(config), f
}

func event(payload string) async.Event {
	return async.Event{Function: "F", Payload: []byte(payload), Description: "event " + payload}
}

func (f *fakeFunction) check(t *testing.T, calls, logged []string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.calls, calls) || !slices.Equal(f.logged, logged) {
		t.Errorf("calls %q, log %q\nwant  %q, log %q", f.calls, f.logged, calls, logged)
	}
}

func TestFailedEventIsRetriedTwiceThenDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := newQueue(fail, nil)
		q.Invoke(event("1")) // pending until Start
		q.Start()
		advance(time.Hour)
		q.Stop(t.Context())
		f.check(t, []string{"F(1) at 0s", "F(1) at 1s", "F(1) at 3s"},
			[]string{`F failed 3 times on event 1; the event is dropped: "no\nluck"`})
	})
}

func TestSuccessfulRetryEndsDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := newQueue(func(_ context.Context, try int, _ string) (lambda.Result, error) {
			if try == 1 {
				return lambda.Result{}, errors.New("does not build")
			}
			return lambda.Result{}, nil
		}, func(c *async.Config) { c.RetryDelays = []time.Duration{time.Minute} })
		q.Start()
		q.Invoke(event("1"))
		advance(time.Hour)
		q.Stop(t.Context())
		f.check(t, []string{"F(1) at 0s", "F(1) at 1m0s"}, nil)
	})
}

func TestThrottlingDoesNotCountAsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := newQueue(func(_ context.Context, try int, _ string) (lambda.Result, error) {
			if try <= 10 {
				return lambda.Result{}, lambda.ErrThrottled
			}
			return lambda.Result{}, nil
		}, nil)
		q.Start()
		q.Invoke(event("1"))
		advance(time.Hour)
		q.Stop(t.Context())
		if len(f.calls) != 11 || len(f.logged) != 0 {
			t.Errorf("calls %q, log %q", f.calls, f.logged)
		}
	})
}

func TestFullQueueLogsFirstDroppedEvent(t *testing.T) {
	for name, change := range map[string]func(*async.Config){
		"events": func(c *async.Config) { c.MaxEvents = 2 },
		"bytes":  func(c *async.Config) { c.MaxBytes = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, f := newQueue(succeed, change)
				for _, payload := range []string{"1", "2", "3", "4"} {
					q.Invoke(event(payload))
				}
				q.Start()
				synctest.Wait()
				q.Invoke(event("5"))
				q.Invoke(event(strings.Repeat("x", async.MaxPayloadBytes+1)))
				q.Stop(t.Context())
				if len(f.calls) != 3 || len(f.logged) != 2 ||
					!strings.HasPrefix(f.logged[0], "F not invoked on event 3: too many") ||
					!strings.HasSuffix(f.logged[1], "the event is larger than 1024 KB") {
					t.Errorf("%s: calls %q, log %.200q", name, f.calls, f.logged)
				}
			})
		})
	}
}

func TestSlowFunctionDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		q, f := newQueue(func(ctx context.Context, try int, payload string) (lambda.Result, error) {
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
			t.Errorf("%d concurrent invocations, want 3; calls %q", most, f.calls)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		q.Stop(ctx)
		if len(f.calls) != 4 || !slices.Equal(f.logged,
			[]string{"events lost because they were not delivered before the stack stopped: 10"}) {
			t.Errorf("calls %q, log %q", f.calls, f.logged)
		}
	})
}

func TestStopDeliversPendingEventsWithoutRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, f := newQueue(func(_ context.Context, _ int, payload string) (lambda.Result, error) {
			advance(time.Millisecond)
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
		advance(time.Hour)
		f.check(t, []string{"F(1) at 0s", "F(2) at 1ms", "F(3) at 2ms"},
			[]string{"events lost because they were not delivered before the stack stopped: 1"})
	})
}

// TestReservedConcurrencyBoundsDelivery has 5 events for a function of which 2 invocations may run at once.
func TestReservedConcurrencyBoundsDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		var mu sync.Mutex
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			running += by
			most = max(most, running)
		}
		q, _ := newQueue(func(context.Context, int, string) (lambda.Result, error) {
			count(1)
			advance(time.Second)
			count(-1)
			return lambda.Result{}, nil
		}, func(c *async.Config) {
			c.Policy = func(string) async.Policy { return async.Policy{MaxAge: time.Hour, Concurrency: 2} }
		})
		q.Start()
		for i := range 5 {
			q.Invoke(event(fmt.Sprint(i)))
		}
		advance(time.Hour)
		q.Stop(t.Context())
		if most != 2 {
			t.Errorf("%d invocations ran at once, want 2", most)
		}
	})
}
