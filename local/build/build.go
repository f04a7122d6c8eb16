// Package build builds the functions' binaries and rebuilds them when a developer saves a source.
//
// It runs the Makefile targets that `sam build` calls, so that there is one way to build a
// function. It replaces a binary by rename, because the old one may be running. It skips a build if
// no source has changed: a stamp file beside the binary holds a hash of the names, sizes and
// modification times of all files in the folders that the function imports, which is faster to compute than asking the
// compiler's cache. The stamp does not include the commit, so a binary reports the commit at which it was last built.
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

// Config holds the parameters of New.
type Config struct {
	RepoDir   string   // has the Makefile, functions/ and shared/
	Functions []string // logical IDs; the Makefile has a target for each
	Arch      string   // GOARCH of the functions; empty means this machine's
	Log       func(line string)
	LogError  func(line string) // receives errors; nil means Log
}

// Builder builds the functions of one repository. Several processes may build the same repository.
type Builder struct {
	config           Config
	makePath, goPath string // paths of make and go
	turns            turns
	imports          *importGraph

	mu    sync.Mutex
	ready map[string]bool // functions that have been built, or were up to date
}

// New checks that the tools for a build are installed. Its error is one line for the user.
func New(c Config) (*Builder, error) {
	b := &Builder{config: c, imports: newImportGraph(c.RepoDir), ready: map[string]bool{}}
	b.config.Arch = cmp.Or(c.Arch, runtime.GOARCH)
	if b.config.Log == nil {
		b.config.Log = func(string) {}
	}
	if b.config.LogError == nil {
		b.config.LogError = b.config.Log
	}
	var err error
	if b.makePath, err = lookUpTool("make", "install it with the system's package manager"); err != nil {
		return nil, err
	}
	if b.goPath, err = lookUpTool("go", "install Go 1.26 from https://go.dev/dl and put it into PATH"); err != nil {
		return nil, err
	}
	return b, nil
}

func lookUpTool(name, remedy string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is missing: %s", name, remedy)
	}
	return filepath.Abs(path)
}

// Error reports a failed build. Its text includes the compiler's lines.
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

// Unwrap returns the exit error of the build.
func (e *Error) Unwrap() error { return e.Err }

// Binary returns the path of a function's executable. Executables for another processor are in another folder, so that
// building them does not replace the executables for this machine.
func (b *Builder) Binary(function string) string {
	dir := filepath.Join(b.config.RepoDir, ".local", "build")
	if b.config.Arch != runtime.GOARCH {
		dir = filepath.Join(dir, b.config.Arch)
	}
	return filepath.Join(dir, function, "bootstrap")
}

// All builds the functions whose sources have changed, two at a time, and returns all errors.
func (b *Builder) All(ctx context.Context) error {
	failed := make([]error, len(b.config.Functions))
	var wg sync.WaitGroup
	for i, function := range b.config.Functions {
		wg.Go(func() { failed[i] = b.Function(ctx, function) })
	}
	wg.Wait()
	return errors.Join(failed...)
}

// Function builds one function if its sources have changed. If the build fails, the old binary
// stays.
func (b *Builder) Function(ctx context.Context, id string) error {
	return b.build(ctx, target{
		name:   id,
		output: b.Binary(id),
		dir:    sourceDir(id),
		command: func(dir string) []string {
			return []string{b.makePath, "-s", "build-" + id, "ARTIFACTS_DIR=" + dir, "LAMBDA_GOARCH=" + b.config.Arch}
		},
	})
}

// Command builds cmd/<name> to .local/bin if its sources have changed, and returns its path.
func (b *Builder) Command(ctx context.Context, name string) (string, error) {
	output := filepath.Join(b.config.RepoDir, ".local", "bin", name)
	return output, b.build(ctx, target{
		name:   name,
		output: output,
		dir:    filepath.Join("cmd", name),
		command: func(dir string) []string {
			return []string{b.goPath, "build", "-trimpath", "-buildvcs=auto", "-o", filepath.Join(dir, name), "./cmd/" + name}
		},
		// Without C, as for the functions. Otherwise the compiler compiles the standard library and the AWS SDK twice.
		environment: []string{"CGO_ENABLED=0"},
	})
}

// commonSources are the files on which every binary depends.
var commonSources = []string{"Makefile", "go.mod", "go.sum", filepath.Join("documents", "go.mod"),
	filepath.Join("documents", "go.sum")}

// sourceDir returns the folder of a function's package main: functions/users for UsersFunction.
func sourceDir(id string) string {
	return filepath.Join("functions", strings.ToLower(strings.TrimSuffix(id, "Function")))
}

type target struct {
	name    string
	output  string
	dir     string                    // of package main, below the repository
	command func(dir string) []string // must write the output's base name into dir

	environment []string // of the command, in addition to that of this process
}

func (b *Builder) build(ctx context.Context, t target) error {
	if err := b.turns.take(ctx, t.name); err != nil {
		return err
	}
	defer b.turns.done()
	now, err := b.stamp(t)
	if err != nil {
		return err
	}
	if isUpToDate(t, now) {
		b.countReady(t)
		return nil
	}
	return b.replace(ctx, t, now)
}

// countReady counts a function that has its first binary. It returns how many of all functions have one, as a text for
// the log; the text is empty if the function had one before.
func (b *Builder) countReady(t target) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ready[t.name] || !slices.Contains(b.config.Functions, t.name) {
		return ""
	}
	b.ready[t.name] = true
	return fmt.Sprintf(" (%d of %d functions)", len(b.ready), len(b.config.Functions))
}

// replace builds the binary in a folder beside its final path, so that the rename stays on one file
// system.
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
	defer func() { _ = os.RemoveAll(dir) }() // a leftover folder whose name begins with a dot is harmless
	if err := b.run(ctx, t, dir); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(dir, filepath.Base(t.output)), t.output); err != nil {
		return &Error{Target: t.name, Err: err}
	}
	b.config.Log(fmt.Sprintf("built %s in %.1f s%s", t.name, time.Since(started).Seconds(), b.countReady(t)))
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
		Env:    append(environment(), t.environment...),
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
		return &Error{Target: t.name, Output: withoutMake(output.String()), Err: p.Err()}
	}
	return nil
}

// withoutMake removes the lines of make, which do not help with an error of the compiler.
func withoutMake(output string) string {
	var kept strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "make: ***") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// environment returns this process's environment without the variables that a parent make sets for
// its children, such as DATA of `make run DATA=…`.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARTIFACTS_DIR"}, name)
	})
}
