package async_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/local/async"
	"portside/local/lambda"
)

// destination keeps the failures that a queue writes.
type destination struct {
	mu   sync.Mutex
	kept []async.Failure
	err  error
}

func (d *destination) keep(_ context.Context, f async.Failure) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, f)
	return "s3://failed/x", d.err
}

func withDestination(d *destination, p async.Policy) func(*async.Config) {
	p.Destination = "failed"
	return func(c *async.Config) {
		c.Policy = func(string) async.Policy { return p }
		c.Keep = d.keep
	}
}

func TestFailedEventGoesToDestination(t *testing.T) {
	for retries, logged := range []string{
		`F failed 1 times on event 1; the event is in s3://failed/x: "no\nluck"`,
		`F failed 2 times on event 1; the event is in s3://failed/x: "no\nluck"`,
		`F failed 3 times on event 1; the event is in s3://failed/x: "no\nluck"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &destination{}
			q, f := newQueue(fail, withDestination(d, async.Policy{Retries: retries, MaxAge: time.Hour}))
			q.Start()
			outcomes := make(chan lambda.Result, 10)
			e := event("1")
			e.Done = func(result lambda.Result, _ error) { outcomes <- result }
			q.Invoke(e)
			advance(time.Hour)
			q.Stop(t.Context())
			if len(f.calls) != retries+1 || len(f.logged) != 1 || f.logged[0] != logged {
				t.Errorf("calls %q, log %q", f.calls, f.logged)
			}
			if len(d.kept) != 1 || d.kept[0].Condition != async.RetriesExhausted || d.kept[0].Attempts != retries+1 ||
				d.kept[0].ID == "" || string(d.kept[0].Payload) != "1" || d.kept[0].Destination != "failed" {
				t.Errorf("kept %+v", d.kept)
			}
			if len(outcomes) != 1 || (<-outcomes).FunctionError != lambda.Unhandled {
				t.Errorf("%d results of the event, want one failure", len(outcomes))
			}
		})
	}
}

// A function that stays throttled gets an event until the event is too old.
func TestOldEventGoesToDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle := func(context.Context, int, string) (lambda.Result, error) { return lambda.Result{}, lambda.ErrThrottled }
		d := &destination{}
		q, f := newQueue(throttle, withDestination(d, async.Policy{Retries: 2, MaxAge: time.Minute}))
		q.Start()
		q.Invoke(event("1"))
		advance(time.Hour)
		q.Stop(t.Context())
		if len(f.calls) != 61 || len(d.kept) != 1 || d.kept[0].Condition != async.EventAgeExceeded ||
			len(f.logged) != 1 || !strings.HasSuffix(f.logged[0],
			"the event is in s3://failed/x: the event is older than 1m0s") {
			t.Errorf("%d calls, kept %+v, log %q", len(f.calls), d.kept, f.logged)
		}
	})
}

func TestStopWritesPendingEventsToDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{}
		q, f := newQueue(hang, withDestination(d, async.DefaultPolicy))
		q.Start()
		q.Invoke(event("1"))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		q.Stop(ctx)
		if len(d.kept) != 1 || string(d.kept[0].Payload) != "1" || len(f.logged) != 1 ||
			!strings.HasPrefix(f.logged[0], "F did not finish event 1; ") ||
			!strings.HasSuffix(f.logged[0], "x: the stack stopped") {
			t.Errorf("kept %+v, log %q", d.kept, f.logged)
		}
	})
}

func TestUnreachableDestinationIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{err: errors.New("S3 is away")}
		q, f := newQueue(fail, withDestination(d, async.Policy{MaxAge: time.Hour}))
		q.Start()
		q.Invoke(event("1"))
		synctest.Wait()
		q.Stop(t.Context())
		if len(f.logged) != 1 || !strings.Contains(f.logged[0], "the event is dropped") ||
			!strings.HasSuffix(f.logged[0], "S3 is away") {
			t.Errorf("log %q", f.logged)
		}
	})
}

func TestRefusedEventReportsResult(t *testing.T) {
	q, _ := newQueue(succeed, func(c *async.Config) { c.MaxEvents = 1 })
	refused := 0
	for _, payload := range []string{"1", "2", strings.Repeat("x", async.MaxPayloadBytes+1)} {
		e := event(payload)
		e.Done = func(_ lambda.Result, err error) {
			if err != nil {
				refused++
			}
		}
		q.Invoke(e)
	}
	if refused != 2 {
		t.Errorf("%d events were refused, want 2", refused)
	}
}

func TestRecordHasLambdasForm(t *testing.T) {
	at := time.Date(2026, 11, 22, 8, 30, 2, 5e6, time.FixedZone("there", 3600))
	f := async.Failure{
		Event: event(`{"a":1}`), ID: "e4b46cbf", Condition: async.RetriesExhausted, Attempts: 3,
		Result: lambda.Result{FunctionError: lambda.Unhandled, Payload: []byte(`{"errorMessage":"x"}`)},
	}
	content, err := f.Record(at, "eu-west-1", "42")
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	const record = `{"version":"1.0","timestamp":"2026-11-22T07:30:02.005Z","requestContext":{"requestId":"e4b46cbf",` +
		`"functionArn":"arn:aws:lambda:eu-west-1:42:function:F:$LATEST","condition":"RetriesExhausted","approximateInvokeCount":3},` +
		`"requestPayload":{"a":1},"responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"},` +
		`"responsePayload":{"errorMessage":"x"}}`
	if err := errors.Join(json.Unmarshal(content, &got), json.Unmarshal([]byte(record), &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if key := f.Key(at); key != "aws/lambda/async/F/2026/11/22/2026-11-22T07.30.02-e4b46cbf" {
		t.Errorf("key %s", key)
	}
}
