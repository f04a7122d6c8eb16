package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestChild starts a shell that starts another process, and finds both, their memory and their end.
func TestChild(t *testing.T) {
	c, err := startChild(t.Context(), exec.Command("sh", "-c", "sleep 60 & echo it is ready; trap 'kill $!' TERM; wait"), "ready")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := family(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	grandchildren, err := family(c.cmd.Process.Pid)
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
		t.Errorf("memory of a process that has ended: %+v, %v", used, err)
	}
}

func TestChildThatEndsAtOnce(t *testing.T) {
	_, err := startChild(t.Context(), exec.Command("sh", "-c", "echo no port is free; exit 1"), "ready")
	if err == nil || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("got %v, want what the child said", err)
	}
}
