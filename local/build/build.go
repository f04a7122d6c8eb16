// Package build makes the functions' binaries and keeps them new while a developer works.
//
// Binaries come from the repository's own Makefile, from the targets that `sam build` calls, so that
// there is one way to build a function. A binary is always replaced by rename, since the old one may
// be running. What has not changed is not built again: a stamp beside the binary holds the names,
// sizes and times of all its sources, which are cheap to read; the compiler's cache is asked only
// after a difference. The stamp leaves out the commit, which a binary reports as of its build.
package build

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"portside/local/process"
)

// Config is what a Builder needs.
type Config struct {
	RepoDir   string   // with the Makefile, functions/ and shared/
	Functions []string // logical IDs, which are the names of the Makefile's targets
	Arch      string   // GOARCH of the functions; empty is this machine's
	Log       func(line string)
	Alarm     func(line string) // is Log for what went wrong; nil takes Log
}

// Builder builds the functions of one repository. Any number of processes may build one repository.
type Builder struct {
	config     Config
	make, tool string // paths of make and go
	slots      chan struct{}
}

// New checks that there is what a build needs; its error is a line for the user.
func New(c Config) (*Builder, error) {
	b := &Builder{config: c, slots: make(chan struct{}, 2)}
	b.config.Arch = cmp.Or(c.Arch, runtime.GOARCH)
	if b.config.Log == nil {
		b.config.Log = func(string) {}
	}
	if b.config.Alarm == nil {
		b.config.Alarm = b.config.Log
	}
	var err error
	if b.make, err = tool("make", "install it with the system's package manager"); err != nil {
		return nil, err
	}
	if b.tool, err = tool("go", "install Go 1.26 from https://go.dev/dl and put it into PATH"); err != nil {
		return nil, err
	}
	return b, nil
}

func tool(name, remedy string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing: %s", name, remedy)
	}
	return filepath.Abs(path)
}

// An Error is a build that failed. Its text has several lines: those of the compiler.
type Error struct {
	Target string
	Output string
	Err    error
}

func (e *Error) Error() string {
	output := strings.TrimSpace(e.Output)
	if output == "" {
		output = e.Err.Error()
	}
	return e.Target + " does not build:\n" + output
}

// Unwrap returns how the build ended.
func (e *Error) Unwrap() error { return e.Err }

// Binary is the path of a function's executable.
func (b *Builder) Binary(function string) string {
	return filepath.Join(b.config.RepoDir, ".local", "build", function, "bootstrap")
}

// All builds what has changed, two at a time, and returns every error.
func (b *Builder) All(ctx context.Context) error {
	failed := make([]error, len(b.config.Functions))
	var wg sync.WaitGroup
	for i, function := range b.config.Functions {
		wg.Go(func() { failed[i] = b.Function(ctx, function) })
	}
	wg.Wait()
	return errors.Join(failed...)
}

// Function builds one function if its sources have changed. The old binary stays when it fails.
func (b *Builder) Function(ctx context.Context, id string) error {
	return b.build(ctx, target{
		name:    id,
		output:  b.Binary(id),
		sources: append([]string{"Makefile", filepath.Join("functions", directory(id))}, shared...),
		command: func(dir string) []string {
			return []string{b.make, "-s", "build-" + id, "ARTIFACTS_DIR=" + dir, "LAMBDA_GOARCH=" + b.config.Arch}
		},
	})
}

// Command builds cmd/<name> to .local/bin if its sources have changed, and returns its path.
func (b *Builder) Command(ctx context.Context, name string) (string, error) {
	output := filepath.Join(b.config.RepoDir, ".local", "bin", name)
	return output, b.build(ctx, target{
		name:    name,
		output:  output,
		sources: append([]string{filepath.Join("cmd", name)}, shared...),
		command: func(dir string) []string {
			return []string{b.tool, "build", "-trimpath", "-o", filepath.Join(dir, name), "./cmd/" + name}
		},
	})
}

// shared are the files and folders that every binary may depend on.
var shared = []string{"go.mod", "go.sum", "shared", "documents"}

// directory is the folder of a function under functions/: UsersFunction is users.
func directory(id string) string {
	return strings.ToLower(strings.TrimSuffix(id, "Function"))
}

type target struct {
	name    string
	output  string
	sources []string                  // files and folders below the repository
	command func(dir string) []string // must write the output's base name into dir
}

func (b *Builder) build(ctx context.Context, t target) error {
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now, err := b.stamp(t)
	if err != nil {
		return err
	}
	if built(t, now) {
		return nil
	}
	return b.replace(ctx, t, now)
}

// replace makes the binary in a folder beside its place, so that the rename stays on one disk.
func (b *Builder) replace(ctx context.Context, t target, stamp []byte) error {
	started := time.Now()
	b.config.Log("building " + t.name + " …")
	if err := os.MkdirAll(filepath.Dir(t.output), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(t.output), ".new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays in a dot folder does no harm
	if err := b.run(ctx, t, dir); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, filepath.Base(t.output)), t.output); err != nil {
		return &Error{Target: t.name, Err: err}
	}
	b.config.Log(fmt.Sprintf("built %s in %.1f s", t.name, time.Since(started).Seconds()))
	return writeStamp(t, dir, stamp)
}

func (b *Builder) run(ctx context.Context, t target, dir string) error {
	var output bytes.Buffer
	command := t.command(dir)
	p, err := process.Start(process.Options{
		Name:   filepath.Base(command[0]),
		Path:   command[0],
		Args:   command[1:],
		Dir:    b.config.RepoDir,
		Env:    environment(),
		Output: &output,
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	<-p.Done()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.Err() != nil {
		return &Error{Target: t.name, Output: output.String(), Err: p.Err()}
	}
	return nil
}

// environment is ours without what a make that started us left there for its own children, such
// as `make run DATA=…`.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARTIFACTS_DIR"}, name)
	})
}
