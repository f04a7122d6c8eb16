package lambda_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"portside/local/lambda"
	"portside/testclient"
)

// probes are the two versions of testdata/probe that all tests share.
var probes [2]string

func TestMain(m *testing.M) {
	os.Exit(buildProbesAndRun(m))
}

func buildProbesAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := range probes {
		probes[i] = filepath.Join(dir, fmt.Sprint("probe", i+1))
		flag := fmt.Sprintf("-ldflags=-X main.version=%d", i+1)
		out, err := exec.Command("go", "build", "-tags", "lambda.norpc", flag, "-o", probes[i], "./testdata/probe").
			CombinedOutput()
		if err != nil {
			panic(string(out))
		}
	}
	return m.Run()
}

type fixture struct {
	*lambda.Runtime
	t      *testing.T
	log    *testclient.Log
	binary string
}

func (f *fixture) logged(text string) func() bool {
	return func() bool { return strings.Contains(f.log.String(), text) }
}

// start starts a Runtime with a copy of the probe as the function Probe. change may change its
// configuration.
func start(t *testing.T, change func(*lambda.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, log: &testclient.Log{}, binary: filepath.Join(t.TempDir(), "bootstrap")}
	f.install(probes[0])
	config := lambda.Config{
		Functions:    []lambda.Function{{Name: "Probe", Binary: f.binary, Timeout: time.Minute, MemoryMB: 256}},
		Environment:  map[string]string{"SHARED": "all"},
		Log:          f.log,
		MaxSandboxes: 3,
	}
	if change != nil {
		change(&config)
	}
	runtime, err := lambda.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runtime.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	f.Runtime = runtime
	return f
}

// install replaces the binary by rename, as a build does, because it may be running.
func (f *fixture) install(probe string) {
	f.t.Helper()
	content, err := os.ReadFile(probe)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.binary+".new", content, 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(f.binary+".new", f.binary); err != nil {
		f.t.Fatal(err)
	}
}

type probeAnswer struct {
	PID         int
	Version     string
	Environment []string
	Directory   string
	RequestID   string
	ARN         string
	Remaining   time.Duration
	Big         string

	Cold         bool          `json:"-"`
	Took         time.Duration `json:"-"`
	ErrorMessage string
	ErrorType    string
}

// invoke invokes the function, which must succeed.
func (f *fixture) invoke(event string) probeAnswer {
	f.t.Helper()
	result, err := f.Invoke(f.t.Context(), "Probe", []byte(event))
	if err != nil || result.FunctionError != "" {
		f.t.Errorf("%s: %v %s %s", event, err, result.FunctionError, result.Payload)
	}
	return f.parse(result)
}

func (f *fixture) parse(result lambda.Result) probeAnswer {
	f.t.Helper()
	a := probeAnswer{Cold: result.Cold, Took: result.Duration}
	if err := json.Unmarshal(result.Payload, &a); err != nil {
		f.t.Errorf("%v: %s", err, result.Payload)
	}
	return a
}

func (f *fixture) await(what string, condition func() bool) {
	f.t.Helper()
	tick, limit := time.NewTicker(time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			f.t.Fatalf("timed out waiting until %s; log:\n%s", what, f.log)
		}
	}
}

func hasExited(pid int) func() bool {
	return func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH }
}

// occupySandbox occupies a sandbox until the caller calls finish, which returns the function's
// answer.
func (f *fixture) occupySandbox() (finish func() probeAnswer) {
	f.t.Helper()
	signal := filepath.Join(f.t.TempDir(), "go on")
	done := make(chan probeAnswer, 1)
	go func() { done <- f.invoke(`{"Do":"wait","Wait":"` + signal + `"}`) }()
	f.await("the function has the event", f.logged(signal))
	return func() probeAnswer {
		if err := os.WriteFile(signal, nil, 0o600); err != nil {
			f.t.Error(err)
		}
		return <-done
	}
}

func TestEmulatorRunsTheBinary(t *testing.T) {
	emulator := filepath.Join(t.TempDir(), "emulator")
	if err := os.WriteFile(emulator, []byte("#!/bin/sh\necho emulated >&2\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := start(t, func(c *lambda.Config) { c.Emulator = emulator })
	f.invoke(`{"Do":"echo"}`)
	f.await("the emulator has started the function", f.logged("emulated"))
}
