package processes

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The shell starts another process. The test finds both and their memory, and stops them.
func TestStartAndStopChild(t *testing.T) {
	c, err := Start(t.Context(), exec.Command("sh", "-c", "trap 'kill $!' TERM; sleep 60 & echo it is ready; wait"), "ready")
	if err != nil {
		t.Fatal(err)
	}
	pids, err := Tree(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	grandchildren, err := Tree(c.Cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if len(grandchildren) != 2 || !slices.Contains(pids, grandchildren[1]) {
		t.Errorf("found %v below the shell and %v below the test", grandchildren, pids)
	}
	used, err := MemoryOf(grandchildren)
	if err != nil || used.Resident <= 0 || used.Proportional <= 0 || used.Proportional > used.Resident {
		t.Errorf("memory %+v, %v", used, err)
	}
	c.Stop()
	if used, err = MemoryOf(grandchildren[:1]); err != nil || used != (Memory{}) {
		t.Errorf("got the memory %+v of a process that has exited, %v", used, err)
	}
}

func TestStartChildReportsOutputOfEarlyExit(t *testing.T) {
	_, err := Start(t.Context(), exec.Command("sh", "-c", "echo no port is free; exit 1"), "ready")
	if err == nil || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("got %v, want the output of the child", err)
	}
}
