package stack

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"portside/local/build"
	"portside/local/schedule"
	"portside/local/template"
)

// buildAll makes the functions and the operator's command before the first of them is needed.
func (s *Stack) buildAll(ctx context.Context) error {
	var ids []string
	for _, f := range s.template.Load().Functions {
		ids = append(ids, f.ID)
	}
	builder, err := build.New(build.Config{RepoDir: s.options.RepoDir, Functions: ids, Log: s.console.say, LogError: s.alarm})
	if err != nil {
		return err
	}
	s.builder = builder
	return together(ctx, builder.All, s.buildOperator)
}

// watch rebuilds from now on what is saved, and now what was saved during the start.
func (s *Stack) watch(ctx context.Context) error {
	watcher, err := s.builder.Watch(context.WithoutCancel(ctx), build.WatchConfig{
		Dir:      filepath.Join(s.options.DataDir, "watch"),
		Reload:   s.runtime.Reload,
		Template: s.reloadTemplate,
		DirLost:  s.lose,
	})
	if err != nil {
		return fmt.Errorf("cannot watch the sources: %w", err)
	}
	s.watcher = watcher
	s.onStop(func(context.Context) error { return watcher.Close() })
	return s.builder.All(ctx)
}

// reloadTemplate takes over routes, environments, limits, schedules, notifications and subscriptions. What needs new engines'
// contents or binaries needs a new start.
func (s *Stack) reloadTemplate(ctx context.Context) {
	loaded, err := s.readTemplate()
	if err != nil {
		s.alarm(err.Error() + "; the stack goes on with the template before this change")
		return
	}
	if !sameParts(s.template.Load(), loaded) {
		s.console.say("template.yaml: other functions, tables or buckets: restart `make run` to use them")
		return
	}
	if err := s.use(ctx, loaded); err != nil {
		s.alarm("template.yaml: " + err.Error() + "; the stack goes on with the template before this change")
		return
	}
	s.console.say("template.yaml: changed, in use from now on")
}

func (s *Stack) use(ctx context.Context, t *template.Stack) error {
	if err := s.route(t); err != nil {
		return err
	}
	s.template.Store(t)
	s.runtime.Configure(s.functions(t))
	s.objects.SetBuckets(t.Buckets)
	s.logs.Subscribe(subscriptions(t))
	s.stopSchedules()
	return s.runSchedules(ctx, t)
}

func sameParts(a, b *template.Stack) bool {
	return slices.Equal(parts(a), parts(b))
}

func parts(t *template.Stack) []string {
	var list []string
	for _, f := range t.Functions {
		list = append(list, f.ID)
	}
	for _, table := range t.Tables {
		list = append(list, fmt.Sprintf("%+v", table))
	}
	for _, bucket := range t.Buckets {
		list = append(list, bucket.ID)
	}
	slices.Sort(list)
	return list
}

// scheduling is one run of the schedules, from a template to the next.
type scheduling struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

func (s *Stack) startSchedules(ctx context.Context) error {
	s.onStop(func(context.Context) error {
		s.stopSchedules()
		return nil
	})
	return s.runSchedules(context.WithoutCancel(ctx), s.template.Load())
}

func (s *Stack) runSchedules(ctx context.Context, t *template.Stack) error {
	var jobs []schedule.Job
	for _, job := range t.Schedules {
		jobs = append(jobs, schedule.Job(job))
	}
	runner, err := schedule.New(schedule.Config{
		Jobs:    jobs,
		Invoker: s,
		Account: schedule.Account{Region: region, ID: accountID},
		Log:     s.logSchedule,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	running := &scheduling{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(running.ended)
		if err := runner.Run(ctx); err != nil && ctx.Err() == nil {
			s.failed <- fmt.Errorf("schedules: %w", err)
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schedule = running
	return nil
}

func (s *Stack) stopSchedules() {
	s.mu.Lock()
	running := s.schedule
	s.schedule = nil
	s.mu.Unlock()
	if running != nil {
		running.cancel()
		<-running.ended
	}
}

// logSchedule is silent about runs that the end of the stack has cut off.
func (s *Stack) logSchedule(r schedule.Record) {
	switch {
	case s.isStopping():
	case r.Err != nil:
		s.console.say(fmt.Sprintf("schedule %s failed: %v", r.ID, r.Err))
	default:
		s.console.say(fmt.Sprintf("schedule %s ended well after %d ms", r.ID, r.Duration.Milliseconds()))
	}
}
