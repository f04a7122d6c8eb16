// Package process runs the local stack's child processes: engines and function sandboxes.
//
// A child must not outlive its parent, or the next start would find its ports and files in use. So
// each child leads a process group, and Stop and Kill signal the whole group. When a child exits,
// the rest of its group is killed. On Linux, the kernel kills the child when the parent dies, even
// by kill -9. Other systems cannot do that.
//
// The kernel watches the thread that started the child, not the process, and the Go runtime may end
// threads at any time. Therefore one locked thread both starts a child and waits for it, so it
// lives as long as the child. Waiting needs a thread anyway.
package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// drainTimeout bounds reading of output after the child has exited. Only a descendant that left the
// process group can keep the pipe open that long. On a busy machine, a shorter time loses the last lines, which say why
// the child exited.
const drainTimeout = 10 * time.Second

// Options describe a child. It inherits nothing else from the parent.
type Options struct {
	Name string   // name for errors, such as "dynoxide"
	Path string   // of the executable; not looked up in PATH
	Args []string // without the executable's own name
	Dir  string   // working directory; empty means the parent's
	Env  []string // complete environment; nil means empty

	// Output receives stdout and stderr in order, one Write for each line. Each line begins with
	// Prefix and ends with a newline. Processes that share an Output write to it concurrently. Nil
	// discards the output; after a write error, the rest is discarded.
	Output io.Writer
	Prefix string
}

// Process is a started child. Its methods are safe for concurrent use, also after the child has
// exited.
type Process struct {
	name   string
	cmd    *exec.Cmd
	output *outputCopier
	done   chan struct{}
	err    error // set before done is closed

	mu     sync.Mutex
	reaped bool // the child's ID may belong to another process now and must not be signaled
}

// running has every *Process that is not reaped, for [KillAll].
var running sync.Map

// Start starts a child. The caller must call Stop or Kill, or wait for Done.
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

// run starts the child and waits for it, on one thread.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	running.Store(p, nil)
	started <- nil
	go p.output.copy()
	if err := p.wait(); err != nil {
		p.err = fmt.Errorf("%s: %w", p.name, err)
	}
	p.output.finish(drainTimeout)
	close(p.done)
}

// PID returns the ID of the child's process and of its process group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has exited, its group is killed and its output is written.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil while the child runs and after exit status 0. Otherwise the error wraps an
// [*exec.ExitError].
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Tail returns the last 4 KB of the child's output, without prefixes, for error messages.
func (p *Process) Tail() string { return p.output.tailText() }

// LastLine returns the last line of the output of a child that has exited, or its exit error.
func (p *Process) LastLine() string {
	lines := strings.Split(strings.TrimSpace(p.Tail()), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprint(p.Err()) // <nil> after status 0
}

// Stop sends SIGTERM to the group, kills it after the grace period, and returns when the child has
// exited.
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

// Kill sends SIGKILL to the group and returns when the child has exited.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// KillAll kills all running children with their groups and does not wait for them. It is for a program that exits at
// once: the kernel would kill the children, but not their children, such as the compilers of a build.
func KillAll() {
	running.Range(func(p, _ any) bool {
		p.(*Process).signal(syscall.SIGKILL)
		return true
	})
}

func (p *Process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.PID(), s) // fails only if the group is empty
	}
}

// reap kills the rest of the child's group, then releases the child's ID.
func (p *Process) reap() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	p.reaped = true
	running.Delete(p)
	return p.cmd.Wait()
}
