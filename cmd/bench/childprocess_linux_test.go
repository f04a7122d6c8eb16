package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The shell starts another process. The test finds both and their memory, and stops them.
func TestStartAndStopChild(t *testing.T) {
	c, err := startChild(t.Context(), exec.Command("sh", "-c", "trap 'kill $!' TERM; sleep 60 & echo it is ready; wait"), "ready")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := processTree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	grandchildren, err := processTree(c.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if len(grandchildren) != 2 || !slices.Contains(pids, grandchildren[1]) {
		t.Errorf("found %v below the shell and %v below the test", grandchildren, pids)
	}
	used, err := memoryOf(grandchildren)
	if err != nil || used.resident <= 0 || used.proportional <= 0 || used.proportional > used.resident {
		t.Errorf("memory %+v, %v", used, err)
	}
	c.stop()
	if used, err = memoryOf(grandchildren[:1]); err != nil || used != (memory{}) {
		t.Errorf("got the memory %+v of a process that has exited, %v", used, err)
	}
}

func TestStartChildReportsOutputOfEarlyExit(t *testing.T) {
	_, err := startChild(t.Context(), exec.Command("sh", "-c", "echo no port is free; exit 1"), "ready")
	if err == nil || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("got %v, want the output of the child", err)
	}
}
