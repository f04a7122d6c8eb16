package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMain lets this binary be the command gate, whose processes the tests start.
func TestMain(m *testing.M) {
	if os.Getenv("GATE_TEST_RUNS_GATE") == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// measured runs `gate measure` with a script as test binary, and returns the record, the output and the error.
func measured(t *testing.T, patience, script string) (cpu float64, output string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	records := filepath.Join(t.TempDir(), "records")
	command := exec.CommandContext(t.Context(), self, "measure", "-root", "../..", "-patience", patience, "-to", records,
		"sh", "-c", script)
	command.Env = append(os.Environ(), "GATE_TEST_RUNS_GATE=1")
	printed, failed := command.CombinedOutput()
	line, err := os.ReadFile(records)
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	fields := strings.Fields(string(line))
	if len(fields) != 3 || fields[0] != "cmd/gate" {
		t.Fatalf("recorded %q", line)
	}
	cpu, err = strconv.ParseFloat(fields[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return cpu, string(printed), failed
}

// TestChildProcessesAreMeasured starts a process in the background, which outlives the process that started it.
func TestChildProcessesAreMeasured(t *testing.T) {
	const work = `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done`
	idle, output, err := measured(t, "2m", "true")
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	busy, output, err := measured(t, "2m", "(sh -c '"+work+"') & exit 0")
	if err != nil || busy <= idle {
		t.Errorf("with a child: %v s, without: %v s; error %v: %s", busy, idle, err, output)
	}
}

func TestExitCodeIsThatOfTheBinary(t *testing.T) {
	_, output, err := measured(t, "2m", "echo printed; exit 7")
	exit, isExit := errors.AsType[*exec.ExitError](err)
	if !isExit || exit.ExitCode() != 7 || output != "printed\n" {
		t.Errorf("error %v, output %q", err, output)
	}
}

func TestProcessesThatStayFail(t *testing.T) {
	_, output, err := measured(t, "100ms", "(exec sleep 600 >/dev/null 2>&1 </dev/null) & exit 0")
	if err == nil || !strings.Contains(output, "the tests of cmd/gate left processes: sleep") {
		t.Errorf("error %v, output %q", err, output)
	}
}
