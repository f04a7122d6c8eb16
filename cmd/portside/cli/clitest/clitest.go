// Package clitest runs commands for every day against a service of a test.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"portside/cmd/portside/cli"
)

// TestKey is the API key that the service accepts.
const TestKey = "psk_3vQB7B6MrGQZ_secret"

// Ada is a user in a list.
const Ada = `{"id":"` + AdaID + `","email":"ada@example.com","name":"=Ada","customerId":null,"role":"admin","status":"active",
"createdAt":"2026-03-02T09:15:30.25Z"}`

// CLI runs commands with a folder of settings and a service.
type CLI struct {
	t        *testing.T
	commands func(cli.Process) []*cobra.Command

	Dir     string // the folder of settings
	Env     map[string]string
	Stdin   string
	Service *httptest.Server
	Github  string   // address that stands for the API of GitHub
	Calls   []string // method, path and query of each request
	Bodies  []string
	Last    *cobra.Command    // the one that ran last
	Watch   func(line string) // sees what a command writes to stderr, unless nil
}

// New starts a service with these answers, by patterns of http.ServeMux, for these commands.
func New(t *testing.T, commands func(cli.Process) []*cobra.Command, answers map[string]http.HandlerFunc) *CLI {
	t.Helper()
	c := &CLI{t: t, commands: commands, Dir: t.TempDir(), Env: map[string]string{}}
	mux := http.NewServeMux()
	for pattern, answer := range answers {
		mux.HandleFunc(pattern, answer)
	}
	c.Service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.Calls, c.Bodies = append(c.Calls, r.Method+" "+r.URL.RequestURI()), append(c.Bodies, string(body))
		if r.Header.Get("X-API-Key") != TestKey {
			Problem(http.StatusUnauthorized, "UNAUTHORIZED", "The API key is invalid.")(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(c.Service.Close)
	return c
}

// Answer is an answer with a JSON body, or without a body.
func Answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if body == "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// Problem is a refusal.
func Problem(status int, code, detail string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "request-1")
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "detail": detail})
	}
}

// LoggedIn lets the environment name the service.
func (c *CLI) LoggedIn() *CLI {
	c.Env[cli.AddressVariable], c.Env[cli.KeyVariable] = c.Service.URL, TestKey
	return c
}

// watcher is called with each line that a command writes. It may be nil.
type watcher func(line string)

func (w watcher) Write(line []byte) (int, error) {
	if w != nil {
		w(string(line))
	}
	return len(line), nil
}

// Run runs a command.
func (c *CLI) Run(args ...string) (stdout, stderr string, err error) {
	c.t.Helper()
	return c.RunIn(c.t.Context(), args...)
}

// RunIn runs a command that ends with the context.
func (c *CLI) RunIn(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	c.t.Helper()
	var out, report bytes.Buffer
	written := io.MultiWriter(&report, watcher(c.Watch))
	root := &cobra.Command{Use: "portside", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(&out)
	root.SetArgs(args)
	root.AddCommand(c.commands(cli.Process{
		Lookup: func(name string) (string, bool) { value, found := c.Env[name]; return value, found },
		Stdin:  strings.NewReader(c.Stdin), Stdout: &out, Stderr: written,
		Now:       func() time.Time { return time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC) }, // the day after a leap day
		ConfigDir: func() (string, error) { return c.Dir, nil },
		Local: func(string) (address, key string, err error) {
			return c.Service.URL, TestKey, os.ErrNotExist
		},
		GitHub: c.Github,
	})...)
	c.Last, err = root.ExecuteContextC(ctx)
	return out.String(), report.String(), err
}

// Want runs a command that must succeed and returns its result.
func (c *CLI) Want(args ...string) (stdout string) {
	c.t.Helper()
	stdout, stderr, err := c.Run(args...)
	if err != nil {
		c.t.Fatalf("%q: %v\n%s", args, err, stderr)
	}
	return stdout
}

// WantError runs a command that must fail with a text.
func (c *CLI) WantError(text string, args ...string) {
	c.t.Helper()
	c.checkError(text, false, args)
}

// WantUsageError runs a command that must refuse its command line with a text.
func (c *CLI) WantUsageError(text string, args ...string) {
	c.t.Helper()
	c.checkError(text, true, args)
}

func (c *CLI) checkError(text string, isUsage bool, args []string) {
	c.t.Helper()
	stdout, _, err := c.Run(args...)
	if err == nil || !strings.Contains(cli.Explain(c.Last, err), text) {
		c.t.Errorf("%q: the error is %v, want %q; stdout %q", args, err, text, stdout)
	}
	if _, got := errors.AsType[cli.UsageError](err); got != isUsage {
		c.t.Errorf("%q: whether %v is a usage error is %t", args, err, got)
	}
}

// ProfileFile returns the path of the profile.
func (c *CLI) ProfileFile() string { return filepath.Join(c.Dir, "portside", "default.json") }

// WantText compares a result with the wanted one.
func WantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// NewStorage starts a server for files and returns its address.
func NewStorage(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// WantCalls compares the calls since the last comparison with the wanted ones.
func (c *CLI) WantCalls(want ...string) {
	c.t.Helper()
	if !slices.Equal(c.Calls, want) {
		c.t.Errorf("the calls are\n%q\nwant\n%q", c.Calls, want)
	}
	c.Calls = nil
}

// NoUsers is an empty list of users.
const NoUsers = `{"data":[],"pagination":{"total":0,"limit":1,"offset":0,"hasMore":false}}`

// AdaID is the ID of the only user.
const AdaID = "01939f6e-7d2a-7c3b-9a10-0a1b2c3d4e5f"
