package stack

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// listenAt opens the API's port; its errors are for the user.
func (s *Stack) listenAt(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s is not an address: write it like 127.0.0.1:3000", addr)
	}
	if !loopback(host) {
		return nil, fmt.Errorf("ADDR=%s is not on this machine alone: the local stack has well-known keys, use 127.0.0.1", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("ADDR=%s has no port: write a number up to 65535 after the colon, as in 127.0.0.1:3000", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use: stop what listens there, or run on another port with %s", addr,
			s.advice(otherPort(addr), s.options.DataDir))
	}
	if err != nil {
		return nil, fmt.Errorf("ADDR=%s: %w", addr, err)
	}
	return listener, nil
}

// advice is a command that runs a stack beside what is in the way, with as little to write as will do.
func (s *Stack) advice(addr, dataDir string) string {
	command := "make run ADDR=" + addr
	if dataDir != filepath.Clean(Options{RepoDir: s.options.RepoDir}.Data()) {
		command += " DATA=" + s.relative(dataDir)
	}
	return "`" + command + "`"
}

// otherPort is the port after that of addr, which has been checked or is one that a stack serves.
func otherPort(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n >= 65535 {
		n = 3000
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
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
