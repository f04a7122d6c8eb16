package stack

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// second is the advice for whoever wants two stacks at once.
const second = "`ADDR=127.0.0.1:3001 DATA=.local/data2 make run`"

// listen opens the API's port; its errors are for the user.
func listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s is not an address: write it like 127.0.0.1:3000", addr)
	}
	if !loopback(host) {
		return nil, fmt.Errorf("ADDR=%s is not on this machine alone: the local stack has well-known keys, use 127.0.0.1", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use: stop what listens there, or run on another port with %s", addr, second)
	}
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s: %w", addr, err)
	}
	return listener, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// localOnly keeps pages with secrets from web sites that had their own name point to this machine.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !loopback(host) {
			http.Error(w, "this page is only for this machine: open it at 127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
