// Package loopback keeps the servers of a stack private to this machine: they listen on addresses that other machines
// cannot reach, and refuse requests for other host names.
package loopback

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
)

// Listen opens the API's port. Its errors are for the user. hint returns a command that runs a stack on another
// address.
func Listen(addr string, hint func(addr string) string) (net.Listener, error) {
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
			hint(NextPort(addr)))
	}
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s: %w", addr, err)
	}
	return listener, nil
}

// NextPort returns addr with the next port. addr must be valid.
func NextPort(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n >= 65535 {
		n = 3000
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// BrowserURL returns the address of the listener's server for browsers. They resolve localhost to 127.0.0.1 or ::1.
func BrowserURL(listening string) string {
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

// Only refuses requests whose Host is not this machine, so that a web site whose name resolves to
// 127.0.0.1 cannot read pages with secrets.
func Only(next http.Handler) http.Handler {
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
