// Package process runs the local stack's child processes: engines and function sandboxes.
//
// No child may outlive its parent, however the parent ends, or the next start would find its ports
// and files taken. So each child leads a process group of its own, which Stop and Kill signal as a
// whole; whatever is left in the group when the child ends is killed; and on Linux the kernel kills
// the child when the parent dies, kill -9 included. Elsewhere that last promise cannot be kept.
//
// The kernel's rule is about the thread that started the child, not about the process, and the Go
// runtime ends threads as it likes. Therefore one locked thread both starts a child and waits for
// it, and so lives exactly as long as the child does. Waiting needs a thread anyway: this is free.
package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// drainTimeout is how long output may still come after the child has ended: only a descendant that
// left the process group can hold the pipe open, and it must not hold up the stack.
const drainTimeout = time.Second

// Options say what to run. Nothing is inherited from the parent but what they name.
type Options struct {
	Name string   // for errors, as the reader knows it: "dynoxide"
	Path string   // the executable; it is not looked up in PATH
	Args []string // without the executable's own name
	Dir  string   // working directory, the parent's when empty
	Env  []string // the whole environment: nil is an empty one

	// Output receives stdout and stderr in the order written: one Write for each line, always
	// ended by a newline, after Prefix. Processes that share an Output write to it at the same
	// time. Nil discards; an error from it discards the rest.
	Output io.Writer
	Prefix string
}

// A Process is a child that was started. Its methods may be used from any goroutine, any number of
// times, also after the child has ended.
type Process struct {
	name   string
	cmd    *exec.Cmd
	output *outputCopier
	done   chan struct{}
	err    error // set before done is closed

	mu     sync.Mutex
	reaped bool // the child's ID may now belong to a stranger and must not be signalled
}

// Start runs a child and returns once it executes. The caller must see to it that Stop or Kill is
// called some time, or wait for Done.
func Start(o Options) (*Process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Name, err)
	}
	p := &Process{
		name:   o.Name,
		cmd:    command(o, write),
		output: newOutputCopier(read, o.Output, o.Prefix),
		done:   make(chan struct{}),
	}
	started := make(chan error)
	go p.run(started)
	err = <-started
	_ = write.Close() // the child has its own copy
	if err != nil {
		_ = read.Close()
		return nil, fmt.Errorf("start %s: %w", o.Name, err)
	}
	return p, nil
}

func command(o Options, output *os.File) *exec.Cmd {
	env := o.Env
	if env == nil {
		env = []string{}
	}
	return &exec.Cmd{
		Path:        o.Path,
		Args:        append([]string{o.Path}, o.Args...),
		Dir:         o.Dir,
		Env:         env,
		Stdout:      output,
		Stderr:      output,
		SysProcAttr: attributes(),
	}
}

// run is the child's whole life, on one thread.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	go p.output.copy()
	if err := p.wait(); err != nil {
		p.err = fmt.Errorf("%s: %w", p.name, err)
	}
	p.output.finish(drainTimeout)
	close(p.done)
}

// PID is the child's process ID, and that of its process group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended, its group is gone and its output is written.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the child ended: nil while it runs and after status 0, else an error that wraps
// [*exec.ExitError].
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Tail is the end of the child's output, without prefixes, at most 4 KB of it: what to show of a
// child that ended too early.
func (p *Process) Tail() string { return p.output.tailText() }

// Stop asks the group to end by SIGTERM, kills it when the grace is over, and returns when the
// child is gone.
func (p *Process) Stop(grace time.Duration) {
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.Kill()
	}
}

// Kill ends the group by SIGKILL and returns when the child is gone.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *Process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.PID(), s) // it can only fail because nobody is left
	}
}

// reap ends what the child left behind in its group, then frees the child's ID.
func (p *Process) reap() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	p.reaped = true
	return p.cmd.Wait()
}
