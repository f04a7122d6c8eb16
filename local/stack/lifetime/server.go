package lifetime

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"portside/local/drain"
	"portside/local/engines"
)

// HeaderTimeout is how long a server of the stack waits for the first request of a connection. Clients open some
// connections in advance, and close those that they do not use after 90 seconds. A server that closed one earlier could
// lose a call.
const HeaderTimeout = 2 * time.Minute

// DrainTimeout bounds the wait for running requests and events when the stack stops.
const DrainTimeout = 1500 * time.Millisecond

// engineStopTimeout is the time that an engine has to exit before it is killed.
const engineStopTimeout = time.Second

// Serve serves handler on a free loopback port until the stack stops, and returns its URL.
func (l *Lifetime) Serve(name string, handler http.Handler) (string, error) {
	return l.ServeOn("127.0.0.1", name, handler)
}

// ServeOn is Serve on another address of this machine.
func (l *Lifetime) ServeOn(host, name string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: drain.Handler(handler), ReadHeaderTimeout: HeaderTimeout}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.Fail(fmt.Errorf("the server of %s: %w", name, err))
		}
	}()
	l.OnStop(func(context.Context) error { return server.Close() })
	return "http://" + listener.Addr().String(), nil
}

// ServeGracefully runs a server on listener until the stack stops. Then running requests may finish within
// DrainTimeout.
func (l *Lifetime) ServeGracefully(name string, listener net.Listener, server *http.Server) {
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.Fail(fmt.Errorf("%s: %w", name, err))
		}
	}()
	l.OnStop(func(ctx context.Context) error { return shutDown(ctx, server) })
}

func shutDown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, DrainTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// Supervise stops the engine with the stack, and reports a failure if the engine exits before.
func (l *Lifetime) Supervise(name string, p *engines.Process) {
	l.OnStop(func(context.Context) error {
		StopEngine(p)
		return nil
	})
	l.ReportExit(name, p)
}

// StopEngine stops an engine that Supervise does not stop.
func StopEngine(p *engines.Process) { p.Stop(engineStopTimeout) }

// ReportExit reports a failure if the engine exits before the stack stops.
func (l *Lifetime) ReportExit(name string, p *engines.Process) {
	go func() {
		<-p.Done()
		if !l.IsStopping() {
			l.Fail(fmt.Errorf("%s has exited (%s): start the stack again", name, p.LastLine()))
		}
	}()
}
