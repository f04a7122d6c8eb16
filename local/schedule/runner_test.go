package schedule_test

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

	"portside/local/lambda"
	"portside/local/schedule"
)

type run struct {
	At       time.Duration
	Function string
}

// fakeInvoker records the times of its invocations since start.
type fakeInvoker struct {
	mu    sync.Mutex
	start time.Time
	runs  []run
	do    func(ctx context.Context) (lambda.Result, error)
}

func (f *fakeInvoker) Invoke(ctx context.Context, function string, _ []byte) (lambda.Result, error) {
	f.mu.Lock()
	f.runs = append(f.runs, run{time.Since(f.start), function})
	f.mu.Unlock()
	return f.do(ctx)
}

func succeed(context.Context) (lambda.Result, error) { return lambda.Result{Cold: true}, nil }

func runFor(t *testing.T, d time.Duration, f *fakeInvoker, c schedule.Config) {
	t.Helper()
	f.start = time.Now() //nolint:forbidigo // the clock of the synctest bubble
	c.Invoker = f
	r, err := schedule.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := r.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestRunInvokesDueJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeInvoker{do: succeed}
		var logged sync.Map
		runFor(t, 2*time.Hour+time.Second, f, schedule.Config{
			Jobs: []schedule.Job{
				{ID: "Often", Function: "A", Expression: "rate(50 minutes)", Enabled: true},
				{ID: "Hourly", Function: "B", Expression: "cron(0 * * * ? *)", Enabled: true},
				{ID: "Off", Function: "C", Expression: "rate(1 minute)"},
				{ID: "Past", Function: "D", Expression: "cron(0 0 1 1 ? 1999)", Enabled: true},
			},
			Log: func(r schedule.Record) { logged.Store(r.ID, r) },
		})
		want := []run{{50 * time.Minute, "A"}, {time.Hour, "B"}, {100 * time.Minute, "A"}, {2 * time.Hour, "B"}}
		if diff := cmp.Diff(want, f.runs); diff != "" {
			t.Error(diff)
		}
		if r, ok := logged.Load("Hourly"); !ok || r.(schedule.Record).Err != nil || !r.(schedule.Record).Cold {
			t.Errorf("logged %+v", r)
		}
	})
}

func TestLongRunDoesNotDelayNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeInvoker{do: func(ctx context.Context) (lambda.Result, error) {
			<-ctx.Done()
			return lambda.Result{}, ctx.Err()
		}}
		runFor(t, 150*time.Second, f, schedule.Config{
			Jobs: []schedule.Job{{ID: "Slow", Function: "A", Expression: "rate(1 minute)", Enabled: true}},
		})
		if len(f.runs) != 2 {
			t.Errorf("runs: %v", f.runs)
		}
	})
}

func TestFailuresAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, do := range []func(context.Context) (lambda.Result, error){
			func(context.Context) (lambda.Result, error) { return lambda.Result{}, lambda.ErrThrottled },
			func(context.Context) (lambda.Result, error) {
				return lambda.Result{FunctionError: lambda.Unhandled, Payload: []byte(`{"errorMessage":"x"}`)}, nil
			},
		} {
			var got error
			runFor(t, 61*time.Second, &fakeInvoker{do: do}, schedule.Config{
				Jobs: []schedule.Job{{ID: "J", Function: "A", Expression: "rate(1 minute)", Enabled: true}},
				Log:  func(r schedule.Record) { got = r.Err },
			})
			if got == nil {
				t.Error("a failure was logged as success")
			}
		}
	})
}

func TestNewErrorsNameJob(t *testing.T) {
	for _, job := range []schedule.Job{
		{ID: "NightlyJob", Expression: "cron(x)", Enabled: true},
		{ID: "NightlyJob", Expression: "rate(1 day)", Input: "{", Enabled: true},
	} {
		t.Run(job.Expression, func(t *testing.T) {
			if _, err := schedule.New(schedule.Config{Jobs: []schedule.Job{job}}); err == nil ||
				!strings.HasPrefix(err.Error(), "NightlyJob: ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPayloads(t *testing.T) {
	account := schedule.Account{Region: "eu-west-1", ID: "42"}
	due := time.Date(2026, 11, 21, 8, 0, 0, 0, time.FixedZone("there", 3600))
	for _, test := range []struct {
		job  schedule.Job
		want string
	}{
		{schedule.Job{ID: "J", Type: "Schedule"},
			`{"version":"0","id":"ID","detail-type":"Scheduled Event","source":"aws.events","account":"42","time":"2026-11-21T07:00:00Z","region":"eu-west-1","resources":["arn:aws:events:eu-west-1:42:rule/J"],"detail":{}}`},
		{schedule.Job{ID: "J", Type: "ScheduleV2"},
			`{"version":"0","id":"ID","detail-type":"Scheduled Event","source":"aws.scheduler","account":"42","time":"2026-11-21T07:00:00Z","region":"eu-west-1","resources":["arn:aws:scheduler:eu-west-1:42:schedule/default/J"],"detail":"{}"}`},
		{schedule.Job{ID: "J", Type: "Schedule", Input: `{"at":"<aws.scheduler.scheduled-time>"}`}, `{"at":"<aws.scheduler.scheduled-time>"}`},
		{schedule.Job{ID: "J", Type: "ScheduleV2", Input: `{"at":"<aws.scheduler.scheduled-time>","n":<aws.scheduler.attempt-number>}`}, `{"at":"2026-11-21T07:00:00Z","n":1}`},
	} {
		t.Run(test.job.Type+" "+test.job.Input, func(t *testing.T) {
			payload := test.job.Payload(account, due)
			var made struct{ ID string }
			if err := json.Unmarshal(payload, &made); err != nil {
				t.Fatal(err)
			}
			got := string(payload)
			if made.ID != "" {
				got = strings.Replace(got, made.ID, "ID", 1)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	if first, second := test(account, due), test(account, due); first == second {
		t.Error("two events have one ID")
	}
}

func test(a schedule.Account, due time.Time) string {
	return string(schedule.Job{ID: "J"}.Payload(a, due))
}

var _ schedule.Invoker = (*lambda.Runtime)(nil)

func TestRunReturnsIfContextHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("stop"))
		r, err := schedule.New(schedule.Config{Jobs: []schedule.Job{{Expression: "rate(1 day)", Enabled: true}}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now() //nolint:forbidigo // the clock of the bubble
		if err := r.Run(ctx); err != nil || time.Since(began) != 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}
