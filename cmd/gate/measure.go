package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// measure runs a test binary for `go test -exec`, perhaps only some of its tests. It appends a line to a file: the
// package, the CPU seconds of the binary and of all its child processes, and those of the unit of work before and
// after. It kills child processes that outlive the binary by more than the patience, and fails then.
func measure(args []string) error {
	set, root := newFlags("measure")
	to := set.String("to", "", "append the line to this `file`")
	kind := set.String("kind", "all",
		"run only the tests that run under the race detector: race; or only the others: plain")
	patience := set.Duration("patience", time.Minute, "how long processes that the binary has left may take to end")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() == 0 || *to == "" {
		return errors.New("measure: pass -to and the test binary with its arguments")
	}
	folder, err := folderIn(*root)
	if err != nil {
		return err
	}
	selected, err := selectTests(*root, folder, *kind)
	if err != nil {
		return err
	}
	before := unitTime()
	// The engines of a test binary end when it ends. Then they are children of this process, which waits for them.
	if err := adoptOrphans(); err != nil {
		return err
	}
	failed := runTest(slices.Insert(set.Args(), 1, selected...))
	left := endOrphans(*patience)
	used := cpuTime(syscall.RUSAGE_CHILDREN)
	line := fmt.Sprintf("%s\t%.3f\t%.4f\n", folder, used.Seconds(), (before+unitTime()).Seconds()/2)
	if err := appendLine(*to, line); err != nil {
		return err
	}
	if len(left) > 0 && failed == nil {
		fmt.Fprintf(os.Stderr, "--- FAIL: the tests of %s left processes: %s\n", folder, strings.Join(left, ", "))
		return errFailed
	}
	return failed
}

// folderIn returns the working folder, relative to the root of the project.
func folderIn(root string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	folder, err = filepath.Rel(root, folder)
	return filepath.ToSlash(folder), err
}

// runTest runs the binary, and passes signals on: go test sends SIGQUIT when the time of a test is over. Ctrl-C reaches
// the binary as well.
func runTest(args []string) error {
	command := exec.Command(args[0], args[1:]...) //nolint:gosec // go test passes the binary that it has built
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Start(); err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGQUIT, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for s := range signals {
			_ = command.Process.Signal(s) // fails if the binary has ended
		}
	}()
	err := command.Wait()
	if exit, isExit := errors.AsType[*exec.ExitError](err); isExit {
		return exitCode(max(1, exit.ExitCode()))
	}
	return err
}

// endOrphans waits for the child processes that the binary has left, and kills those that do not end. It returns their
// names.
func endOrphans(patience time.Duration) (killed []string) {
	deadline := time.Now().Add(patience)
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR) || pid > 0:
		case err != nil: // no child is left
			return killed
		case time.Now().After(deadline):
			for _, child := range children() {
				name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", child)) // the process may have ended
				killed = append(killed, strings.TrimSpace(string(name)))
				_ = syscall.Kill(child, syscall.SIGKILL) // the process may have ended
			}
			deadline = deadline.Add(patience)
		default:
			time.Sleep(5 * time.Millisecond) //nolint:forbidigo // Wait4 cannot wait with a limit
		}
	}
}

// children returns the IDs of this process's child processes.
func children() (pids []int) {
	tasks, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is valid
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // a thread may have ended
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func cpuTime(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func appendLine(path, line string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Close())
}
