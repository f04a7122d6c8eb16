package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"portside/local/process"
)

func TestChildDiesWithKilledParent(t *testing.T) {
	socket, next := listen(t)
	middle := exec.Command(os.Args[0])
	middle.Env = []string{roleVar + "=parent", socketVar + "=" + socket}
	if err := middle.Start(); err != nil {
		t.Fatal(err)
	}
	child := next()
	child.expect("here")
	child.ping()
	if err := middle.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = middle.Wait()
	child.expectGone()
}

// Pdeathsig applies to the parent's thread. The thread that calls Start ends, and the child must
// survive.
func TestChildOutlivesCallersThread(t *testing.T) {
	socket, next := listen(t)
	var p *process.Process
	id := onDyingThread(func() { p, _ = process.Start(echoOptions(socket, "echo")) })
	if p == nil {
		t.Fatal("no process")
	}
	t.Cleanup(p.Kill)
	child := next()
	child.expect("here")
	awaitNoThread(t, id)
	child.ping()
}

// onDyingThread runs f on a thread that ends afterwards, and returns the thread's ID.
func onDyingThread(f func()) int {
	ran := make(chan int)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if unix.Gettid() == os.Getpid() {
			ran <- onDyingThread(f) // the main thread never ends, but it is locked now
			return
		}
		f()
		ran <- unix.Gettid()
	}()
	return <-ran
}

func awaitNoThread(t *testing.T, id int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(waitTimeout)
	for {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", id)); os.IsNotExist(err) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("thread %d does not end", id)
		}
	}
}
