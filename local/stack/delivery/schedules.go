package delivery

import (
	"context"
	"fmt"
	"sync"

	"portside/local/async"
	"portside/local/lambda"
	"portside/local/schedule"
	"portside/local/stack/console"
	"portside/local/stack/deployment"
	"portside/local/stack/lifetime"
	"portside/local/template"
)

// schedules runs the schedules of a template.
type schedules struct {
	lifetime *lifetime.Lifetime
	console  *console.Console
	invoker  schedule.Invoker

	mu      sync.Mutex
	running *scheduleRun
}

// scheduleRun is a running set of schedules.
type scheduleRun struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

func (s *schedules) start(ctx context.Context, t *template.Stack) error {
	s.lifetime.OnStop(func(context.Context) error {
		s.stop()
		return nil
	})
	return s.run(ctx, t)
}

func (s *schedules) run(ctx context.Context, t *template.Stack) error {
	var jobs []schedule.Job
	for _, job := range t.Schedules {
		jobs = append(jobs, schedule.Job(job))
	}
	runner, err := schedule.New(schedule.Config{
		Jobs:    jobs,
		Invoker: s.invoker,
		Account: schedule.Account{Region: deployment.Region, ID: deployment.AccountID},
		Log:     s.log,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	running := &scheduleRun{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(running.ended)
		if err := runner.Run(ctx); err != nil && ctx.Err() == nil {
			s.lifetime.Fail(fmt.Errorf("schedules: %w", err))
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = running
	return nil
}

func (s *schedules) stop() {
	s.mu.Lock()
	running := s.running
	s.running = nil
	s.mu.Unlock()
	if running != nil {
		running.cancel()
		<-running.ended
	}
}

// log logs a run, unless the stack is stopping.
func (s *schedules) log(r schedule.Record) {
	switch {
	case s.lifetime.IsStopping():
	case r.Err != nil:
		s.console.WriteLine(fmt.Sprintf("schedule %s failed: %v", r.ID, r.Err))
	default:
		s.console.WriteDetail(fmt.Sprintf("schedule %s succeeded after %d ms\n", r.ID, r.Duration.Milliseconds()))
	}
}

// scheduled invokes functions for the scheduler. It waits for the last attempt, so that the log has
// its result.
type scheduled struct{ events *async.Queue }

// Invoke implements schedule.Invoker. Like EventBridge Scheduler, it invokes the function
// asynchronously.
func (s scheduled) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	type outcome struct {
		result lambda.Result
		err    error
	}
	ended := make(chan outcome, 1)
	s.events.Invoke(async.Event{
		Function: function, Payload: payload, Description: "its schedule",
		Done: func(result lambda.Result, err error) { ended <- outcome{result, err} },
	})
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		return lambda.Result{}, ctx.Err()
	}
}
