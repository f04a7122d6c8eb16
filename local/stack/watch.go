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

func (s *Stack) createBuilder(context.Context) (err error) {
	var ids []string
	for _, f := range s.template.Load().Functions {
		ids = append(ids, f.ID)
	}
	config := build.Config{RepoDir: s.options.RepoDir, Functions: ids, Log: s.console.writeLine, LogError: s.logError}
	if s.options.Emulator != "" {
		config.Arch = "arm64"
	}
	s.builder, err = build.New(config)
	return err
}

// buildAll builds the operator's command and, unless they are built on request, the functions.
func (s *Stack) buildAll(ctx context.Context) error {
	if s.options.BuildOnRequest {
		return s.buildOperator(ctx)
	}
	return runConcurrently(ctx, s.builder.All, s.buildOperator)
}

// watch starts rebuilding functions after saves, and builds those whose sources were saved during
// the start.
func (s *Stack) watch(ctx context.Context) error {
	watcher, err := s.builder.Watch(context.WithoutCancel(ctx), build.WatchConfig{
		Dir:      filepath.Join(s.options.DataDir, "watch"),
		Reload:   s.runtime.Reload,
		Template: s.reloadTemplate,
		DirLost:  s.reportDataLost,
	})
	if err != nil {
		return fmt.Errorf("cannot watch the sources: %w", err)
	}
	s.watcher = watcher
	s.onStop(func(context.Context) error { return watcher.Close() })
	if s.options.BuildOnRequest {
		watcher.BuildAll()
		return nil
	}
	return s.builder.All(ctx)
}

// reloadTemplate applies changed routes, environments, limits, schedules, notifications and
// subscriptions. New functions, tables and buckets need a restart.
func (s *Stack) reloadTemplate(ctx context.Context) {
	loaded, err := s.readTemplate()
	if err != nil {
		s.logError(err.Error() + "; the stack keeps using the template from before this change")
		return
	}
	if !haveSameParts(s.template.Load(), loaded) {
		s.console.writeLine("template.yaml: the functions, tables or buckets have changed: restart `make run` to apply that")
		return
	}
	if err := s.applyTemplate(ctx, loaded); err != nil {
		s.logError("template.yaml: " + err.Error() + "; the stack keeps using the template from before this change")
		return
	}
	s.console.writeLine("template.yaml: the changes are applied")
}

func (s *Stack) applyTemplate(ctx context.Context, t *template.Stack) error {
	if err := s.setRoutes(t); err != nil {
		return err
	}
	s.template.Store(t)
	s.runtime.Configure(s.functions(t))
	s.authorizer.SetRoles(t.Roles)
	s.objects.SetBuckets(t.Buckets)
	s.images.SetRules(t.Rules)
	s.logs.Subscribe(subscriptions(t))
	s.stopSchedules()
	return s.runSchedules(ctx, t)
}

func haveSameParts(a, b *template.Stack) bool {
	return slices.Equal(immutableParts(a), immutableParts(b))
}

func immutableParts(t *template.Stack) []string {
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

// scheduleRun is a running set of schedules.
type scheduleRun struct {
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
		Invoker: scheduled{s.events},
		Account: schedule.Account{Region: region, ID: accountID},
		Log:     s.logSchedule,
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	running := &scheduleRun{cancel: cancel, ended: make(chan struct{})}
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

// logSchedule logs a run, unless the stack is stopping.
func (s *Stack) logSchedule(r schedule.Record) {
	switch {
	case s.isStopping():
	case r.Err != nil:
		s.console.writeLine(fmt.Sprintf("schedule %s failed: %v", r.ID, r.Err))
	default:
		s.console.writeDetail(fmt.Sprintf("schedule %s succeeded after %d ms\n", r.ID, r.Duration.Milliseconds()))
	}
}
