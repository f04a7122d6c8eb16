package awstest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// startAttempts is the number of ports to try: another process can take a free port before the engine does.
const startAttempts = 5

func startEngine() (address string, err error) {
	binary, err := engineBinary()
	if err != nil {
		return "", err
	}
	for range startAttempts {
		if address, err = startOnFreePort(binary); err == nil {
			return address, nil
		}
	}
	return "", fmt.Errorf("awstest: the DynamoDB engine did not start: %w", err)
}

// engineBinary returns $DYNOXIDE, or the path where `make engines` puts the engine.
func engineBinary() (string, error) {
	if path := os.Getenv("DYNOXIDE"); path != "" {
		return path, nil
	}
	root, err := projectRoot()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, ".local", "bin", "dynoxide")
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("awstest: the DynamoDB engine is missing: run `make engines` (fetches it)")
	}
	return path, nil
}

func startOnFreePort(binary string) (string, error) {
	address, port, err := freePort()
	if err != nil {
		return "", err
	}
	output, writer := io.Pipe()
	cmd := boundToParent(binary, "--host", "127.0.0.1", "--port", strconv.Itoa(port))
	cmd.Stdout, cmd.Stderr = writer, writer
	go run(cmd, writer)
	if err := awaitListening(output); err != nil {
		return "", err
	}
	return address, nil
}

// run runs the engine and locks its OS thread until the engine ends: Linux sends the parent-death signal when the
// thread that started a process ends, and an idle thread can end long before the test binary.
func run(cmd *exec.Cmd, output *io.PipeWriter) {
	runtime.LockOSThread()
	err := cmd.Run()
	_ = output.CloseWithError(fmt.Errorf("%s ended: %w", cmd.Path, errors.Join(err, io.EOF)))
}

// awaitListening reads the engine's output until the engine reports that it listens. It reports this after it has bound
// its port, so another process on the port cannot be mistaken for it. Later output is discarded.
func awaitListening(output *io.PipeReader) error {
	lines := bufio.NewScanner(output)
	var printed []string
	for lines.Scan() {
		if strings.Contains(lines.Text(), "listening on http://") {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return nil
		}
		printed = append(printed, lines.Text())
	}
	return fmt.Errorf("%w: %s", lines.Err(), strings.Join(printed, "; "))
}

func freePort() (address string, port int, err error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return "", 0, err
	}
	bound := listener.Addr().(*net.TCPAddr)
	return bound.String(), bound.Port, listener.Close()
}
