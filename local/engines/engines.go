// Package engines provides the local stack with its data engines: dynoxide for DynamoDB and our own
// s3server for S3, each a child process on a free loopback port.
//
// Real engines and not imitations, so that conditional writes, transactions and signatures do on a
// laptop what they do in the cloud. The binary that is downloaded is pinned by its checksum, for it
// runs with the developer's rights. An engine counts as started when it answers a request: whoever
// holds a Process may use it at once. Tables and buckets are made, never changed: a definition that
// differs from the data is the developer's decision, so it is an error that says how to decide.
package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"portside/local/process"
)

const (
	// Region is the one that the engines and their clients sign for.
	Region = "us-east-1"

	startLimit = 15 * time.Second // a thousand times what it takes
	firstPoll  = 2 * time.Millisecond
	lastPoll   = 100 * time.Millisecond
	bindTries  = 5
)

// Process is an engine that answers. It ends by Stop or Kill, or with this process.
type Process struct {
	*process.Process
	// Endpoint is what an AWS SDK wants as its base endpoint: a URL without a trailing slash.
	Endpoint string
}

// engine is what the two have in common.
type engine struct {
	addr    string // empty for a free port
	host    string // of that port; empty for 127.0.0.1
	command func(addr string) process.Options
	// ping asks whether the engine at addr is ready.
	ping func(ctx context.Context, addr string) bool
}

// start tries again when somebody else took the free port in the moment between finding and using it.
func (e engine) start(ctx context.Context) (p *process.Process, addr string, err error) {
	if e.addr != "" {
		if err := checkFree(e.addr); err != nil {
			return nil, "", err
		}
		p, err = e.startAt(ctx, e.addr)
		return p, e.addr, err
	}
	for range bindTries {
		addr, err = freeAddr(cmp.Or(e.host, "127.0.0.1"))
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
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	options := e.command(addr)
	p, err := process.Start(options)
	if err != nil {
		return nil, err
	}
	go func() { // a request to a stranger at this address must not outlast our engine
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

func (e engine) await(ctx context.Context, p *process.Process, addr string) error {
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		if e.ping(ctx, addr) && alive(p) {
			return nil
		}
		select {
		case <-p.Done():
			return earlyEnd(p)
		case <-ctx.Done():
			if !alive(p) {
				return earlyEnd(p)
			}
			return fmt.Errorf("%w; it said: %s", ctx.Err(), oneLine(p.Tail()))
		case <-time.After(pause):
		}
	}
}

// alive tells our engine from a stranger's that answers on the same port, where ours would have
// ended since it could not listen.
func alive(p *process.Process) bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

var errAddrInUse = errors.New("the address is in use by another program: stop that, or choose another address")

func earlyEnd(p *process.Process) error {
	said := oneLine(p.Tail())
	if strings.Contains(strings.ToLower(said), "already in use") { // both engines' words
		return errAddrInUse
	}
	if err := p.Err(); err != nil {
		return fmt.Errorf("it ended at once (%w) and said: %s", err, said)
	}
	return fmt.Errorf("it ended at once and said: %s", said)
}

func oneLine(text string) string {
	if text = strings.Join(strings.Fields(text), " "); text != "" {
		return text
	}
	return "nothing"
}

// checkFree keeps a stranger that answers at this address from being taken for the engine.
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

func freeAddr(host string) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// answers says whether a request gets 200.
func answers(r *http.Request, err error) bool {
	if err != nil {
		return false
	}
	response, err := pinger().Do(r)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// pinger goes straight to the loopback, past any proxy, and leaves no connection behind.
func pinger() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: startLimit}
}
