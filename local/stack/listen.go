package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portside/local/drain"
)

// HeaderTimeout is how long a server of the stack waits for a request. It is longer than clients keep a connection that they do not use,
// which is 90 seconds. A client opens a connection in advance at times. If the server closed it first, the next call could be lost.
const HeaderTimeout = 2 * time.Minute

// startServer serves handler on a free loopback port until the stack stops, and returns its URL.
func (s *Stack) startServer(name string, handler http.Handler) (string, error) {
	return s.startServerOn("127.0.0.1", name, handler)
}

// startServerOn is startServer on another address of this machine.
func (s *Stack) startServerOn(host, name string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: drain.Handler(handler), ReadHeaderTimeout: HeaderTimeout}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the server of %s: %w", name, err)
		}
	}()
	s.onStop(func(context.Context) error { return server.Close() })
	return "http://" + listener.Addr().String(), nil
}

// listenAt opens the API's port. Its errors are for the user.
func (s *Stack) listenAt(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s is not an address: use the form 127.0.0.1:3000", addr)
	}
	if !isLoopback(host) {
		return nil, fmt.Errorf("ADDR=%s is reachable from other machines, but the local stack's keys are public: use 127.0.0.1", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("ADDR=%s has no valid port: add a number up to 65535 after the colon, as in 127.0.0.1:3000", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use: stop the program that listens there, or use another port with %s", addr,
			s.runHint(nextPort(addr), s.options.DataDir))
	}
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s: %w", addr, err)
	}
	return listener, nil
}

// runHint returns the shortest make command that runs a stack with the address and data folder.
func (s *Stack) runHint(addr, dataDir string) string {
	command := "make run ADDR=" + addr
	if dataDir != filepath.Clean(Options{RepoDir: s.options.RepoDir}.Data()) {
		command += " DATA=" + s.relative(dataDir)
	}
	return "`" + command + "`"
}

// nextPort returns addr with the next port. addr must be valid.
func nextPort(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n >= 65535 {
		n = 3000
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// portalAddress returns the address of the listener's server for browsers. They resolve localhost to 127.0.0.1 or ::1.
func portalAddress(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if err == nil && (host == "127.0.0.1" || host == "::1") {
		listening = net.JoinHostPort("localhost", port)
	}
	return "http://" + listening
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// localOnly refuses requests whose Host is not this machine, so that a web site whose name resolves to
// 127.0.0.1 cannot read pages with secrets.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !isLoopback(host) {
			http.Error(w, "this page is available only on this machine: open it at 127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
