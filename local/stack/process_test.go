package stack_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"portside/local/stack/folder"
	"portside/testclient"
)

func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("timed out waiting for: %s", what)
		}
	}
}

// children returns the IDs of all descendants of a process.
func children(t *testing.T, pid int) []int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, path := range stats {
		content, err := os.ReadFile(path)
		if err != nil {
			continue // it has exited meanwhile
		}
		_, rest, _ := bytes.Cut(content, []byte(") "))
		fields := strings.Fields(string(rest))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) && fields[0] != "Z" {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			list = append(append(list, child), children(t, child)...)
		}
	}
	return list
}

func hasExited(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || bytes.Contains(stat, []byte(") Z ")) // a zombie
}

// nameOf returns the name of the process's program, or "" when the process has exited.
func nameOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}

// command is the program that `make run` runs.
type command struct {
	t       *testing.T
	path    string
	repo    string
	process *exec.Cmd
	output  *testclient.Log
}

func newCommand(t *testing.T) *command {
	t.Helper()
	c := &command{t: t, path: filepath.Join(t.TempDir(), "local"), repo: repo(t)}
	if out, err := exec.Command("go", "build", "-o", c.path, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

// run starts the program and returns its Info once it is ready.
func (c *command) run() folder.Info {
	c.t.Helper()
	c.output = &testclient.Log{}
	c.process = exec.Command(c.path, "run", "-repo", c.repo, "-addr", "127.0.0.1:0")
	c.process.Stdout, c.process.Stderr = c.output, c.output
	if err := c.process.Start(); err != nil {
		c.t.Fatal(err)
	}
	process, output := c.process, c.output
	c.t.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if c.t.Failed() {
			c.t.Logf("output of the program:\n%s", output)
		}
	})
	var info folder.Info
	await(c.t, "the stack is ready", func() bool {
		var err error
		info, err = folder.ReadInfo(filepath.Join(c.repo, ".local", "data"))
		return err == nil && info.PID == process.Process.Pid
	})
	return info
}

// stopWith sends the signal and checks that all child processes exit.
func (c *command) stopWith(signal os.Signal) {
	c.t.Helper()
	all := children(c.t, c.process.Process.Pid)
	if len(all) < 3 {
		c.t.Errorf("%d child processes, want at least two engines and a function", len(all))
	}
	if err := c.process.Process.Signal(signal); err != nil {
		c.t.Fatal(err)
	}
	_ = c.process.Wait()
	c.awaitExits(all)
}

// awaitExits waits until the processes have exited. It kills those that do not.
func (c *command) awaitExits(pids []int) {
	c.t.Helper()
	for _, pid := range pids {
		c.t.Cleanup(func() {
			if c.t.Failed() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
		await(c.t, "a child exits", func() bool { return hasExited(pid) })
	}
}

func (c *command) invoke(function, event string) (stdout, stderr string, code int) {
	c.t.Helper()
	file := filepath.Join(c.t.TempDir(), "event.json")
	if err := os.WriteFile(file, []byte(event), 0o600); err != nil {
		c.t.Fatal(err)
	}
	var out, problem bytes.Buffer
	invoke := exec.Command(c.path, "invoke", "-repo", c.repo, "-function", function, "-event", file)
	invoke.Stdout, invoke.Stderr = &out, &problem
	_ = invoke.Run()
	return out.String(), problem.String(), invoke.ProcessState.ExitCode()
}

func TestDataSurvivesSignals(t *testing.T) {
	c := newCommand(t)
	info := c.run()
	perform(t, info.API, step{"PUT", "/notes/1", "first", 204, ""})
	c.stopWith(os.Kill)
	info = c.run()
	perform(t, info.API,
		step{"GET", "/notes/1", "", 200, "first"},
		step{"PUT", "/notes/2", "second", 204, ""},
	)
	c.stopWith(os.Interrupt)
	if code := c.process.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d after an interrupt\n%s", code, c.output)
	}
	info = c.run()
	perform(t, info.API,
		step{"GET", "/notes/1", "", 200, "first"},
		step{"GET", "/notes/2", "", 200, "second"},
	)
	c.stopWith(syscall.SIGTERM)
	if code := c.process.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, c.output)
	}
}

func TestSecondInterruptExitsAtOnce(t *testing.T) {
	// Orphans go to a process of the same session, as in a container. Otherwise the kernel would end the stopped ones
	// by SIGHUP.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	c := newCommand(t)
	giveChild(t, filepath.Join(c.repo, ".local", "bin", "s3server"))
	c.run()
	all := children(t, c.process.Process.Pid)
	if !slices.ContainsFunc(all, func(pid int) bool { return nameOf(pid) == "sleep" }) {
		t.Fatal("no engine has a child")
	}
	for _, pid := range all { // so that they cannot exit gracefully; a process of a build may have exited already
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"Press Ctrl-C", "shutting down"} {
		await(t, "the output "+line, func() bool { return strings.Contains(c.output.String(), line) })
		if err := c.process.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.process.Wait()
	if code := c.process.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	c.awaitExits(all)
}

// giveChild replaces the link to an engine by a script that starts a child and then becomes the engine.
func giveChild(t *testing.T, link string) {
	t.Helper()
	engine, err := filepath.EvalSymlinks(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(link, []byte("#!/bin/sh\nsleep 600 &\nexec "+engine+` "$@"`+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestProgramStopsWhenEngineExits(t *testing.T) {
	c := newCommand(t)
	c.run()
	all := children(t, c.process.Process.Pid)
	for _, pid := range all {
		if nameOf(pid) == "dynoxide" {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.process.Wait()
	if code := c.process.ProcessState.ExitCode(); code != 1 || !strings.Contains(c.output.String(), "DynamoDB has exited") {
		t.Errorf("exit code %d, output:\n%s", code, c.output)
	}
	c.awaitExits(all)
}

func TestInvokeCommand(t *testing.T) {
	c := newCommand(t)
	hello := `{"routeKey":"GET /hello"}`
	tests := []struct {
		function, event, stdout, stderr string
		code                            int
	}{
		{"NotesFunction", hello, `"statusCode": 200`, "", 0},
		{"NotesFunction", `{"routeKey":"POST /crash"}`, "Runtime.ExitError", "NotesFunction failed: Unhandled", 1},
		{"OtherFunction", hello, "", `unknown function "OtherFunction"; the template has NotesFunction`, 1},
		{"NotesFunction", `{"routeKey":`, "", "is not JSON", 1},
	}
	data := filepath.Join(c.repo, ".local", "data")
	check := func(stack string) {
		for _, test := range tests {
			t.Run(stack+", "+test.function+" "+test.event, func(t *testing.T) {
				stdout, stderr, code := c.invoke(test.function, test.event)
				if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
					t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
				}
				isTemporary := stack == "temporary stack" && json.Valid([]byte(test.event))
				if strings.Contains(stderr, "no stack runs in "+data+": ") != isTemporary {
					t.Errorf("stderr about the data folder %s:\n%s", data, stderr)
				}
			})
		}
	}
	check("temporary stack")
	c.run()
	check("running stack")
	c.invoke("NotesFunction", hello) // starts a function, because the last row of the table did not
	c.stopWith(os.Interrupt)
}
