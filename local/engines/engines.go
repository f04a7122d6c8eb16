// Package engines runs the local stack's data engines as child processes: dynoxide for DynamoDB,
// s3server for S3 and registryserver for the container registry.
//
// They are real engines, so that conditional writes, transactions and signatures work on a laptop
// as they do in the cloud. The downloaded binary is pinned by its checksum, because it runs with
// the developer's permissions. Starting an engine returns when it answers a request. The package
// creates tables and buckets but never changes them: if a table's definition differs from the
// template, the error says what the developer can do.
package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portside/local/process"
	"portside/local/retry"
)

const (
	// Region is the AWS region in the signatures of the engines' clients.
	Region = "us-east-1"

	startTimeout = time.Minute // a start takes some 15 ms, but much longer while other programs use all processors
	bindTries    = 5
)

var pollPolicy = retry.Policy{Delay: 2 * time.Millisecond, MaxDelay: 100 * time.Millisecond}

// Process is a running engine. It ends with Stop, Kill or this process.
type Process struct {
	*process.Process
	// Endpoint is the base endpoint for AWS SDKs, a URL without a trailing slash.
	Endpoint string
}

// engine holds the parameters that differ between the engines.
type engine struct {
	addr    string // empty means a free port of host
	host    string // empty means 127.0.0.1
	isFixed bool   // the next start should get the same address
	command func(addr string) process.Options
	// ping reports whether the engine at addr is ready.
	ping func(ctx context.Context, addr string) bool
}

// start retries if another program took the free port before the engine could listen on it.
func (e engine) start(ctx context.Context) (p *process.Process, addr string, err error) {
	if e.addr != "" {
		if err := checkFree(e.addr); err != nil {
			return nil, "", err
		}
		p, err = e.startAt(ctx, e.addr)
		return p, e.addr, err
	}
	for range bindTries {
		addr, err = e.freeAddr()
		if err != nil {
			return nil, "", err
		}
		p, err = e.startAt(ctx, addr)
		if err == nil || !errors.Is(err, errAddrInUse) {
			return p, addr, err
		}
	}
	return nil, "", err
}

func (e engine) startAt(ctx context.Context, addr string) (*process.Process, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	options := e.command(addr)
	p, err := process.Start(options)
	if err != nil {
		return nil, err
	}
	go func() { // another program at this address could keep a ping waiting after our engine has exited
		select {
		case <-p.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := e.await(ctx, p, addr); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%s did not start on %s: %w", options.Name, addr, err)
	}
	return p, nil
}

// await waits until the engine answers. startAt cancels ctx when the process exits.
func (e engine) await(ctx context.Context, p *process.Process, addr string) error {
	err := retry.Until(ctx, pollPolicy, func() (bool, error) { return e.ping(ctx, addr) && isRunning(p), nil })
	switch {
	case err == nil:
		return nil
	case !isRunning(p):
		return exitError(p)
	}
	return fmt.Errorf("%w; its output: %s", ctx.Err(), oneLine(p.Tail()))
}

// isRunning is false if the engine has exited. Then another program answers on its port.
func isRunning(p *process.Process) bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

var errAddrInUse = errors.New("the address is in use by another program: stop that program or choose another address")

func exitError(p *process.Process) error {
	output := oneLine(p.Tail())
	if strings.Contains(strings.ToLower(output), "already in use") { // part of every engine's message
		return errAddrInUse
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("it exited at once (%w); its output: %s", err, output)
	}
	return fmt.Errorf("it exited at once; its output: %s", output)
}

func oneLine(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		return text
	}
	return "(none)"
}

// checkFree makes sure that no other program answers at addr, so that ping reaches the engine.
func checkFree(addr string) error {
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s: %w", addr, errAddrInUse)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", addr, err)
	}
	return listener.Close()
}

func (e engine) freeAddr() (string, error) {
	if e.isFixed {
		return StableAddr()
	}
	return freeAddr(cmp.Or(e.host, "127.0.0.1"))
}

// StableAddr returns a free loopback address for a server that should get it again with its next start. While the
// server does not run, the system gives this port to no other program, because it is below the ports that systems
// choose.
func StableAddr() (string, error) {
	const first, count, tries = 20_000, 10_000, 100
	for range tries {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(count))) //nolint:gosec // the port need not be secret
		if checkFree(addr) == nil {
			return addr, nil
		}
	}
	return freeAddr("127.0.0.1")
}

func freeAddr(host string) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// isOK reports whether a request gets the status 200.
func isOK(r *http.Request, err error) bool {
	if err != nil {
		return false
	}
	response, err := pingClient().Do(r)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// pingClient uses no proxy and keeps no connections.
func pingClient() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: startTimeout}
}
