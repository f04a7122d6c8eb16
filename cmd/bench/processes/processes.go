// Package processes starts processes for a benchmark, and reads their memory and their children from /proc of Linux.
package processes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopTimeout is how long a child may take to exit before it is killed.
const stopTimeout = 10 * time.Second

// Child is a process that the benchmark started. The owner must call Stop.
type Child struct {
	Cmd    *exec.Cmd
	Ended  chan struct{} // closed when the process has ended
	output []string      // last lines of its output; read it only after Ended
}

// Start starts the command and returns when it prints a line that contains the text.
func Start(ctx context.Context, cmd *exec.Cmd, text string) (*Child, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = read.Close()
		return nil, err
	}
	c, ready := &Child{Cmd: cmd, Ended: make(chan struct{})}, make(chan struct{})
	go c.watch(read, text, ready)
	select {
	case <-ready:
		return c, nil
	case <-c.Ended:
		return nil, fmt.Errorf("%s ended: %s", filepath.Base(cmd.Path), strings.Join(c.output, "\n"))
	case <-ctx.Done():
		c.Stop()
		return nil, ctx.Err()
	}
}

func (c *Child) watch(pipe *os.File, text string, ready chan struct{}) {
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if ready != nil && strings.Contains(lines.Text(), text) {
			close(ready)
			ready = nil
		}
		c.output = append(c.output, lines.Text())
		c.output = c.output[max(0, len(c.output)-20):]
	}
	_ = pipe.Close()
	_ = c.Cmd.Wait() // the exit status does not matter; Start reports the output of an early exit
	close(c.Ended)
}

// Stop ends the child as Ctrl-C would, and returns when it has exited.
func (c *Child) Stop() {
	_ = c.Cmd.Process.Signal(syscall.SIGTERM) // it may have exited
	select {
	case <-c.Ended:
	case <-time.After(stopTimeout):
		_ = c.Cmd.Process.Kill()
		<-c.Ended
	}
}

// Memory is the memory of processes in MB of 10⁶ bytes. Resident counts a page that several
// processes share once for each of them; proportional counts it once.
type Memory struct {
	Resident, Proportional float64
}

// MemoryOf adds up the memory of processes and ignores those that exit meanwhile. It reads
// smaps_rollup because VmRSS in status lags a little.
func MemoryOf(pids []int) (Memory, error) {
	var total Memory
	for _, pid := range pids {
		path := Path(pid, "smaps_rollup")
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		resident, noResident := Megabytes(string(text), "Rss:")
		proportional, noProportional := Megabytes(string(text), "Pss:")
		if err := errors.Join(err, noResident, noProportional); err != nil {
			return Memory{}, fmt.Errorf("%s: %w", path, err)
		}
		total.Resident += resident
		total.Proportional += proportional
	}
	return total, nil
}

// Path returns the path of a file about a process.
func Path(pid int, file string) string { return fmt.Sprintf("/proc/%d/%s", pid, file) }

// Megabytes parses a line like "Rss: 1234 kB".
func Megabytes(text, name string) (float64, error) {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name {
			kib, err := strconv.ParseFloat(fields[1], 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("no line %s", name)
}

// Tree returns the process and all its descendants.
func Tree(root int) ([]int, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, path := range stats {
		pid, parent, ok := parentOf(path)
		if ok {
			children[parent] = append(children[parent], pid)
		}
	}
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all, nil
}

// parentOf reads /proc/<pid>/stat; it is not ok for a process that has ended.
func parentOf(path string) (pid, parent int, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, false
	}
	pid, err = strconv.Atoi(filepath.Base(filepath.Dir(path)))
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before may contain spaces
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return pid, parent, err == nil
}
