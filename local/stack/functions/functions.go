// Package functions runs the functions of a stack, and builds them again after each save of their sources.
package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"portside/local/build"
	"portside/local/lambda"
	"portside/local/stack/console"
	"portside/local/stack/deployment"
	"portside/local/stack/folder"
	"portside/local/stack/lifetime"
	"portside/local/stack/services"
	"portside/local/template"
	"portside/local/usage"
)

// Config holds the parameters of New. To build functions without running them, Folder, Console, Deployment, Emulator
// and IsLazy are enough.
type Config struct {
	Folder     folder.Folder
	Console    *console.Console
	Deployment *deployment.Deployment
	Lifetime   *lifetime.Lifetime
	Used       *usage.Counter
	// Emulator is the path of a program that runs the functions as built for AWS. If it is empty, they are built for
	// this machine.
	Emulator string
	// IsLazy builds the functions in the background, those that are invoked first.
	IsLazy bool
	// Concurrency limits the concurrent invocations of the functions without reserved concurrency; 0 means AWS's
	// default.
	Concurrency int
	// Variables returns the environment of a function, without the addresses of the services.
	Variables func(template.Function) map[string]string
	// Lines receives the lines of the functions' output.
	Lines func(lambda.Line)
	// Wait waits until the services that a function may call answer.
	Wait func(ctx context.Context, function string) error
	// DataLost is called when the data folder was deleted or moved.
	DataLost func()
}

// Functions are the functions of one stack.
type Functions struct {
	config  Config
	builder *build.Builder
	watcher *build.Watcher
	runtime *lambda.Runtime
}

// New returns functions that do not run yet. Its error is for the user, and says which tool is missing.
func New(c Config) (*Functions, error) {
	b := build.Config{
		RepoDir: c.Folder.Repo, Functions: c.Deployment.Functions(), Log: c.Console.WriteLine, LogError: c.Console.LogError,
	}
	if c.Emulator != "" {
		b.Arch = "arm64"
	}
	builder, err := build.New(b)
	return &Functions{config: c, builder: builder}, err
}

// Builder builds other programs of the repository.
func (f *Functions) Builder() *build.Builder { return f.builder }

// Build builds the functions, unless they are built in the background.
func (f *Functions) Build(ctx context.Context) error {
	if f.config.IsLazy {
		return nil
	}
	return f.builder.All(ctx)
}

// Start starts the runtime. environment has the variables that all functions have in common.
func (f *Functions) Start(environment map[string]string) error {
	runtime, err := lambda.New(lambda.Config{
		Functions:   f.list(f.config.Deployment.Template()),
		Region:      deployment.Region,
		AccountID:   deployment.AccountID,
		Environment: environment,
		Emulator:    f.config.Emulator,
		Concurrency: f.config.Concurrency,
		Log:         f.config.Console,
		Lines:       f.config.Lines,
	})
	if err != nil {
		return err
	}
	f.runtime = runtime
	f.config.Lifetime.OnStop(runtime.Stop)
	return nil
}

func (f *Functions) list(t *template.Stack) []lambda.Function {
	list := make([]lambda.Function, 0, len(t.Functions))
	for _, one := range t.Functions {
		list = append(list, lambda.Function{
			Name:        one.ID,
			Binary:      f.builder.Binary(one.ID),
			Environment: f.config.Variables(one),
			Timeout:     one.Timeout,
			MemoryMB:    one.MemoryMB,
			LogGroup:    one.LogGroup,
			Concurrency: one.ReservedConcurrency,
		})
	}
	return list
}

// Configure applies the environments and limits of a changed template.
func (f *Functions) Configure(t *template.Stack) { f.runtime.Configure(f.list(t)) }

// Watch starts to rebuild functions after saves, and builds those whose sources were saved during the start. After a
// save of the template, it calls reload.
func (f *Functions) Watch(ctx context.Context, reload func(context.Context)) error {
	watcher, err := f.builder.Watch(context.WithoutCancel(ctx), build.WatchConfig{
		Dir:      filepath.Join(f.config.Folder.Path, "watch"),
		Reload:   f.runtime.Reload,
		Template: reload,
		DirLost:  f.config.DataLost,
	})
	if err != nil {
		return fmt.Errorf("cannot watch the sources: %w", err)
	}
	f.watcher = watcher
	f.config.Lifetime.OnStop(func(context.Context) error { return watcher.Close() })
	if f.config.IsLazy {
		watcher.BuildAll()
		return nil
	}
	return f.builder.All(ctx)
}

// waitForBuild waits until the function's binary includes all saves of its sources, and until the engines that it calls
// are built.
func (f *Functions) waitForBuild(ctx context.Context, function string) error {
	err := f.watcher.Wait(ctx, function)
	if err == nil {
		return f.config.Wait(ctx, function)
	}
	if _, isBuild := errors.AsType[*build.Error](err); !isBuild && errors.Is(err, fs.ErrNotExist) {
		f.config.DataLost()
	}
	return err
}

// MistakeIn waits until a function can be invoked. It returns a text for the developer if the function or an engine
// cannot be built.
func (f *Functions) MistakeIn(ctx context.Context, function string) (string, error) {
	err := f.waitForBuild(ctx, function)
	if failed, ok := errors.AsType[*build.Error](err); ok {
		return failed.Error(), nil
	}
	if errors.Is(err, services.ErrNotBuilt) {
		return err.Error(), nil
	}
	return "", err
}

// IsBusy reports whether a process of a function works on an invocation.
func (f *Functions) IsBusy(function string) bool { return f.runtime.IsBusy(function) }

// KillBusy kills the processes of a function that work on invocations.
func (f *Functions) KillBusy(function string) { f.runtime.KillBusy(function) }
