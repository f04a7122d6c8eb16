package lambda_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portside/local/lambda"
)

func TestSequentialInvocationsShareOneProcess(t *testing.T) {
	f := start(t, nil)
	first := f.invoke(`{}`)
	if !first.Cold {
		t.Error("the first invocation is not cold")
	}
	for range 50 {
		if next := f.invoke(`{}`); next.PID != first.PID || next.Cold {
			t.Fatalf("process %d (cold: %v) after %d", next.PID, next.Cold, first.PID)
		}
	}
}

func TestFunctionEnvironmentIsLambdas(t *testing.T) {
	t.Setenv("LEAKED", "from the developer's shell")
	f := start(t, func(c *lambda.Config) {
		c.Functions[0].Environment = map[string]string{"OWN": "mine", "SHARED": "overridden"}
	})
	a := f.invoke(`{}`)
	names := make([]string, 0, len(a.Environment))
	for _, variable := range a.Environment {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"AWS_DEFAULT_REGION", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_NAME",
		"AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_LOG_GROUP_NAME", "AWS_LAMBDA_LOG_STREAM_NAME",
		"AWS_LAMBDA_RUNTIME_API", "AWS_REGION", "LAMBDA_TASK_ROOT", "LANG", "OWN", "PATH", "SHARED", "TZ",
		"_HANDLER", "_X_AMZN_TRACE_ID", // the last is set by aws-lambda-go
	}
	if !slices.Equal(names, want) {
		t.Errorf("environment\n got %v\nwant %v", names, want)
	}
	if !slices.Contains(a.Environment, "SHARED=overridden") {
		t.Error("the function's variable does not override the shared one")
	}
	if a.ARN != "arn:aws:lambda:us-east-1:000000000000:function:Probe" || len(a.RequestID) != 36 {
		t.Errorf("ARN %q, request ID %q", a.ARN, a.RequestID)
	}
	if a.Remaining <= 0 || a.Remaining > time.Minute {
		t.Errorf("remaining time %v", a.Remaining)
	}
	if a.Directory != filepath.Dir(f.binary) {
		t.Errorf("working directory %s", a.Directory)
	}
}

func TestOutputReachesConfigLines(t *testing.T) {
	lines := make(chan lambda.Line, 100)
	f := start(t, func(c *lambda.Config) {
		c.Lines = func(l lambda.Line) { lines <- l }
		c.Functions[0].LogGroup = "probe-logs"
	})
	if _, err := f.Invoke(t.Context(), "Probe", []byte(`{"Do":"panic"}`)); err != nil {
		t.Fatal(err)
	}
	f.await("the log has it", f.logged("the process should exit\n"))
	f.await("the hook has it too", func() bool { return len(lines) == 2 })
	<-lines
	l := <-lines
	if l.Function != "Probe" || !strings.HasSuffix(l.Text, " the process should exit") ||
		strings.Contains(l.Text, "Probe |") {
		t.Errorf("%+v", l)
	}
	a := f.invoke(`{}`)
	for _, variable := range []string{"AWS_LAMBDA_LOG_GROUP_NAME=probe-logs", "AWS_LAMBDA_LOG_STREAM_NAME=[$LATEST]"} {
		if !slices.ContainsFunc(a.Environment, func(v string) bool { return strings.HasPrefix(v, variable) }) {
			t.Errorf("no %s in %v", variable, a.Environment)
		}
	}
	if len(l.Stream) != len("[$LATEST]")+8 {
		t.Errorf("stream %q", l.Stream)
	}
}

func TestConcurrentInvocationsUseSeparateProcesses(t *testing.T) {
	f := start(t, nil)
	finish := []func() probeAnswer{f.occupySandbox(), f.occupySandbox(), f.occupySandbox()}
	pids := map[int]bool{}
	for _, f := range finish {
		pids[f().PID] = true
	}
	if len(pids) != 3 {
		t.Errorf("3 invocations at once ran in processes %v", pids)
	}
}

func TestInvocationsWaitWhileAllProcessesAreBusy(t *testing.T) {
	f := start(t, func(c *lambda.Config) { c.MaxSandboxes = 2 })
	finish := []func() probeAnswer{f.occupySandbox(), f.occupySandbox()}
	tooLate, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := f.Invoke(tooLate, "Probe", []byte(`{}`)); !errors.Is(err, lambda.ErrThrottled) {
		t.Errorf("at its deadline: %v", err)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := f.Invoke(left, "Probe", []byte(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("of a caller that left: %v", err)
	}
	waiting := make(chan probeAnswer, 1)
	go func() { waiting <- f.invoke(`{}`) }()
	first, second := finish[0](), finish[1]()
	if third := <-waiting; third.PID != first.PID && third.PID != second.PID {
		t.Errorf("process %d was started beside %d and %d", third.PID, first.PID, second.PID)
	}
}

// TestInvocationsAboveConcurrencyAreThrottled reaches the concurrency of a function, and then of the account.
func TestInvocationsAboveConcurrencyAreThrottled(t *testing.T) {
	for name, limit := range map[string]func(*lambda.Config){
		"reserved": func(c *lambda.Config) { c.Functions[0].Concurrency = 2 },
		"account":  func(c *lambda.Config) { c.Concurrency = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, limit)
			finish := []func() probeAnswer{f.occupySandbox(), f.occupySandbox()}
			for range 3 { // a refused invocation uses nothing up
				if _, err := f.Invoke(t.Context(), "Probe", []byte(`{}`)); !errors.Is(err, lambda.ErrThrottled) {
					t.Errorf("the third concurrent invocation: %v", err)
				}
			}
			finish[0]()
			f.invoke(`{}`)
			finish[1]()
			for range 3 {
				f.invoke(`{}`)
			}
		})
	}
}

// TestReservedConcurrencyIsApart invokes a function with reserved concurrency while other functions have used up the
// account's.
func TestReservedConcurrencyIsApart(t *testing.T) {
	f := start(t, func(c *lambda.Config) {
		c.Concurrency = 1
		reserved := c.Functions[0]
		reserved.Name, reserved.Concurrency = "Reserved", 1
		c.Functions = append(c.Functions, reserved)
	})
	finish := f.occupySandbox()
	if result, err := f.Invoke(t.Context(), "Reserved", []byte(`{}`)); err != nil || result.FunctionError != "" {
		t.Errorf("%v %s", err, result.Payload)
	}
	if _, err := f.Invoke(t.Context(), "Probe", []byte(`{}`)); !errors.Is(err, lambda.ErrThrottled) {
		t.Errorf("beyond the account's concurrency: %v", err)
	}
	finish()
}

func TestManyCallersShareFewSandboxes(t *testing.T) {
	f := start(t, nil)
	var mu sync.Mutex
	pids := map[int]int{}
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			for range 5 {
				a := f.invoke(`{}`)
				mu.Lock()
				pids[a.PID]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(pids) > 3 {
		t.Errorf("more than 3 processes: %v", pids)
	}
}

func TestFailuresHaveLambdasPayload(t *testing.T) {
	tests := []struct {
		do, kind, message string
		survives          bool
	}{
		{"error", "errorString", "the probe fails", true},
		{"next", "joinError", "403 Forbidden", true},
		{"panic", "string", "the probe panics", false},
		{"exit", "Runtime.ExitError", "Error: Runtime exited with error: exit status 2", false},
	}
	f := start(t, nil)
	for _, test := range tests {
		t.Run(test.do, func(t *testing.T) {
			before := f.invoke(`{}`)
			result, err := f.Invoke(t.Context(), "Probe", []byte(`{"Do":"`+test.do+`"}`))
			if err != nil || result.FunctionError != lambda.Unhandled {
				t.Errorf("%v, function error %q", err, result.FunctionError)
			}
			a := f.parse(result)
			if a.ErrorType != test.kind || !strings.Contains(a.ErrorMessage, test.message) {
				t.Errorf("%s: %s", test.do, result.Payload)
			}
			after := f.invoke(`{}`)
			if survived := after.PID == before.PID; survived != test.survives || after.Cold == survived {
				t.Errorf("process %d before, %d after (cold: %v)", before.PID, after.PID, after.Cold)
			}
		})
	}
	f.await("the log says why", f.logged("Probe | RequestId: "))
	f.await("the log has the function's output", f.logged(`"errorMessage":"the probe panics"`))
}

func TestTimeoutKillsProcess(t *testing.T) {
	f := start(t, func(c *lambda.Config) { c.Functions[0].Timeout = 5 * time.Second })
	before := f.invoke(`{}`)
	result, err := f.Invoke(t.Context(), "Probe", []byte(`{"Do":"hang"}`))
	if !errors.Is(err, lambda.ErrTimeout) || result.FunctionError != lambda.Unhandled {
		t.Errorf("%v, function error %q", err, result.FunctionError)
	}
	if a := f.parse(result); !strings.HasSuffix(a.ErrorMessage, " Task timed out after 5.00 seconds") {
		t.Errorf("%s", result.Payload)
	}
	if !hasExited(before.PID)() {
		t.Error("the process is still there")
	}
	if after := f.invoke(`{}`); !after.Cold {
		t.Error("no new process after a timeout")
	}
}

func TestPayloadLimits(t *testing.T) {
	f := start(t, nil)
	fits := append([]byte(`{"Padding":"`), bytes.Repeat([]byte("x"), lambda.MaxPayloadBytes-14)...)
	fits = append(fits, `"}`...)
	f.invoke(string(fits))
	if _, err := f.Invoke(t.Context(), "Probe", append(fits, ' ')); !errors.Is(err, lambda.ErrPayloadTooLarge) {
		t.Errorf("a request of 6 MB and a byte: %v", err)
	}
	if a := f.invoke(`{"Size":6000000}`); len(a.Big) != 6000000 {
		t.Errorf("a response of 6 MB lost all but %d bytes", len(a.Big))
	}
	result, err := f.Invoke(t.Context(), "Probe", []byte(`{"Size":6300000}`))
	if !errors.Is(err, lambda.ErrResponseTooLarge) {
		t.Errorf("a response of 6.3 MB: %v", err)
	}
	if a := f.parse(result); a.ErrorType != "Function.ResponseSizeTooLarge" {
		t.Errorf("a response of 6.3 MB: %s", result.Payload)
	}
	f.invoke(`{}`)
}

func TestInitFailure(t *testing.T) {
	tests := []struct {
		init, kind string
		err        error
	}{
		{"exit", "Runtime.ExitError", nil},
		{"report", "Probe.Init", nil},
		{"hang", "Sandbox.Timedout", lambda.ErrTimeout},
	}
	for _, test := range tests {
		t.Run(test.init, func(t *testing.T) {
			f := start(t, func(c *lambda.Config) {
				c.MaxSandboxes = 1
				if test.init == "hang" {
					c.InitTimeout = 500 * time.Millisecond
				}
				c.Functions[0].Environment = map[string]string{"PROBE_INIT": test.init}
			})
			for range 2 { // the slot must be given back each time
				result, err := f.Invoke(t.Context(), "Probe", []byte(`{}`))
				if !errors.Is(err, test.err) || result.FunctionError != lambda.Unhandled {
					t.Errorf("%v, function error %q", err, result.FunctionError)
				}
				if a := f.parse(result); a.ErrorType != test.kind || a.Took > time.Hour {
					t.Errorf("%s after %v", result.Payload, a.Took)
				}
			}
		})
	}
}

func TestMissingBinary(t *testing.T) {
	f := start(t, func(c *lambda.Config) { c.Functions[0].Binary += "-missing"; c.MaxSandboxes = 1 })
	for range 2 {
		if _, err := f.Invoke(t.Context(), "Probe", []byte(`{}`)); err == nil ||
			!strings.Contains(err.Error(), "no such file") {
			t.Errorf("%v", err)
		}
	}
}

func TestUnknownFunction(t *testing.T) {
	f := start(t, nil)
	if _, err := f.Invoke(t.Context(), "Other", nil); !errors.Is(err, lambda.ErrUnknownFunction) {
		t.Errorf("%v", err)
	}
}

func TestKilledIdleProcessIsReplaced(t *testing.T) {
	f := start(t, nil)
	before := f.invoke(`{}`)
	if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	f.await("the end of the process is seen", func() bool { return f.Processes() == 0 })
	if after := f.invoke(`{}`); after.PID == before.PID || !after.Cold {
		t.Errorf("process %d, cold: %v", after.PID, after.Cold)
	}
}

func TestReloadRunsNewBinaryAndFinishesRunningInvocations(t *testing.T) {
	f := start(t, nil)
	finish := f.occupySandbox()
	idle := f.invoke(`{}`)
	f.install(probes[1])
	f.Reload("Probe")
	if next := f.invoke(`{}`); next.Version != "2" {
		t.Errorf("version %s after the reload", next.Version)
	}
	f.await("the idle process of the old version ends", hasExited(idle.PID))
	old := finish()
	if old.Version != "1" {
		t.Errorf("the running invocation was answered by version %s", old.Version)
	}
	f.await("the busy process of the old version ends", hasExited(old.PID))
	if next := f.invoke(`{}`); next.Version != "2" {
		t.Errorf("version %s after the old one finished", next.Version)
	}
}

func TestConfigureReplacesFunctions(t *testing.T) {
	f := start(t, nil)
	before := f.invoke(`{}`)
	f.Configure([]lambda.Function{
		{Name: "Probe", Binary: f.binary, Timeout: time.Minute, Environment: map[string]string{"NEW": "yes"}},
		{Name: "Second", Binary: f.binary, Timeout: time.Minute},
	})
	if a := f.invoke(`{}`); a.PID == before.PID || !slices.Contains(a.Environment, "NEW=yes") {
		t.Errorf("the function still runs as before: %v", a.Environment)
	}
	if result, err := f.Invoke(t.Context(), "Second", []byte(`{}`)); err != nil || result.FunctionError != "" {
		t.Errorf("the new function: %v %s", err, result.Payload)
	}
	f.Configure(nil)
	if _, err := f.Invoke(t.Context(), "Probe", nil); !errors.Is(err, lambda.ErrUnknownFunction) {
		t.Errorf("the removed function: %v", err)
	}
}

func TestIdleProcessesExit(t *testing.T) {
	f := start(t, func(c *lambda.Config) {
		c.ShrinkAfter = 20 * time.Millisecond
		c.IdleTimeout = 500 * time.Millisecond
	})
	finish := []func() probeAnswer{f.occupySandbox(), f.occupySandbox(), f.occupySandbox()}
	var all []int
	for _, f := range finish {
		all = append(all, f().PID)
	}
	for _, pid := range all {
		f.await("every process is gone", hasExited(pid))
	}
	if a := f.invoke(`{}`); !a.Cold {
		t.Error("not cold although all processes had ended")
	}
}

func TestStopEndsProcessesAndFailsInvocations(t *testing.T) {
	f := start(t, func(c *lambda.Config) { c.MaxSandboxes = 2 })
	idle := f.invoke(`{}`)
	f.occupySandboxForever()
	f.occupySandboxForever()
	failed := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := f.Invoke(t.Context(), "Probe", []byte(`{"Do":"hang"}`))
			failed <- err
		}()
	}
	if err := f.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := <-failed; !errors.Is(err, lambda.ErrStopped) {
			t.Errorf("%v", err)
		}
	}
	if !hasExited(idle.PID)() {
		t.Error("a process is left")
	}
	if _, err := f.Invoke(t.Context(), "Probe", nil); !errors.Is(err, lambda.ErrStopped) {
		t.Errorf("after the stop: %v", err)
	}
}

// occupySandboxForever occupies a sandbox until the Runtime stops.
func (f *fixture) occupySandboxForever() {
	f.t.Helper()
	signal := filepath.Join(f.t.TempDir(), "never")
	go func() { _, _ = f.Invoke(f.t.Context(), "Probe", []byte(`{"Do":"wait","Wait":"`+signal+`"}`)) }()
	f.await("the function has the event", f.logged(signal))
}

func TestKillBusyFailsRunningInvocations(t *testing.T) {
	f := start(t, nil)
	finish, signal := f.occupySandbox(), filepath.Join(t.TempDir(), "never")
	failed := make(chan lambda.Result, 1)
	go func() {
		result, _ := f.Invoke(t.Context(), "Probe", []byte(`{"Do":"wait","Wait":"`+signal+`"}`))
		failed <- result
	}()
	f.await("the function has the event", f.logged(signal))
	idle := finish()
	if !f.IsBusy("Probe") || f.IsBusy("Other") {
		t.Error("the running invocation is not seen")
	}
	f.KillBusy("Other")
	f.KillBusy("Probe")
	if r := <-failed; r.FunctionError != lambda.Unhandled || !strings.Contains(string(r.Payload), "signal: killed") {
		t.Errorf("the running invocation: %s %s", r.FunctionError, r.Payload)
	}
	if a := f.invoke(`{}`); a.PID != idle.PID {
		t.Errorf("the next invocation ran in process %d, want the idle process %d", a.PID, idle.PID)
	}
}
