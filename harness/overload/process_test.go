package overload

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portside/local/stack/folder"
	"portside/testclient"
)

// startProcess starts a stack in a separate process, so that its memory can be measured without the test's.
func startProcess(t *testing.T, flags ...string) *service {
	t.Helper()
	dir := t.TempDir()
	s := &service{t: t, data: filepath.Join(dir, "data"), log: &testclient.Log{}}
	binary := filepath.Join(dir, "local")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir = filepath.Join(repository, "local")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	flags = append([]string{"run", "-repo", repository, "-addr", "127.0.0.1:0", "-data", s.data, "-logs", "json"},
		flags...)
	run := exec.CommandContext(t.Context(), binary, flags...)
	run.Stdout, run.Stderr = s.log, s.log
	run.Cancel = func() error { return run.Process.Signal(syscall.SIGTERM) }
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = run.Wait() // the signal of the end of the test
		close(exited)
	}()
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGTERM)
		<-exited
		if t.Failed() {
			t.Logf("the end of the stack's log:\n%s", testclient.LastLines(s.log.String(), 40))
		}
	})
	s.awaitInfo(exited)
	return s
}

// awaitInfo waits until the stack is ready.
func (s *service) awaitInfo(exited chan struct{}) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := folder.ReadInfo(s.data)
		key, keyErr := os.ReadFile(filepath.Join(s.data, "admin-key"))
		if err == nil && keyErr == nil {
			s.info, s.adminKey = info, strings.TrimSpace(string(key))
			return
		}
		select {
		case <-tick.C:
		case <-exited:
			s.t.Fatalf("the stack has ended:\n%s", testclient.LastLines(s.log.String(), 40))
		case <-ctx.Done():
			s.t.Fatalf("the stack is not ready:\n%s", testclient.LastLines(s.log.String(), 40))
		}
	}
}

// memory is the resident memory of processes, in bytes.
type memory struct {
	stack           int // the process of the local stack: gateway, runtime, queues
	largestFunction int
	functions       int // of all processes of functions together
	processes       int // of functions
}

// memory measures the stack and its functions. The engines are left out, because they hold the data.
func (s *service) memory() memory {
	var m memory
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.t.Error(err)
	}
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			s.t.Error(err)
		}
		name, parent := identity(path)
		switch {
		case pid == s.info.PID:
			m.stack = resident(pid)
		case parent == s.info.PID && name == "bootstrap":
			own := resident(pid)
			m.functions += own
			m.processes++
			m.largestFunction = max(m.largestFunction, own)
		}
	}
	return m
}

// identity returns the name and the parent of a process; zero values if it has exited.
func identity(stat string) (name string, parent int) {
	content, _ := os.ReadFile(stat)
	before, after, found := strings.Cut(string(content), ") ")
	fields := strings.Fields(after)
	if !found || len(fields) < 2 {
		return "", 0
	}
	_, name, _ = strings.Cut(before, "(")
	parent, _ = strconv.Atoi(fields[1])
	return name, parent
}

// resident returns the resident memory of a process, or 0 if it has exited.
func resident(pid int) int {
	content, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(content))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// greater returns the larger of each figure.
func (m memory) greater(other memory) memory {
	return memory{
		max(m.stack, other.stack), max(m.largestFunction, other.largestFunction), max(m.functions, other.functions),
		max(m.processes, other.processes),
	}
}
