package cli

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
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

const testKey = "psk_3vQB7B6MrGQZ_secret"

// testCLI runs commands with a folder of settings and a service.
type testCLI struct {
	t       *testing.T
	dir     string // the folder of settings
	env     map[string]string
	stdin   string
	service *httptest.Server
	github  string   // address that stands for the API of GitHub
	calls   []string // method, path and query of each request
	bodies  []string
	last    *cobra.Command    // the one that ran last
	watch   func(line string) // sees what a command writes to stderr, unless nil
}

// newTestCLI starts a service with these answers, by patterns of http.ServeMux.
func newTestCLI(t *testing.T, answers map[string]http.HandlerFunc) *testCLI {
	t.Helper()
	c := &testCLI{t: t, dir: t.TempDir(), env: map[string]string{}}
	mux := http.NewServeMux()
	for pattern, answer := range answers {
		mux.HandleFunc(pattern, answer)
	}
	c.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.calls, c.bodies = append(c.calls, r.Method+" "+r.URL.RequestURI()), append(c.bodies, string(body))
		if r.Header.Get("X-API-Key") != testKey {
			problem(http.StatusUnauthorized, "UNAUTHORIZED", "The API key is invalid.")(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(c.service.Close)
	return c
}

// answer is an answer with a JSON body, or without a body.
func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if body == "" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

// problem is a refusal.
func problem(status int, code, detail string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "request-1")
		w.Header().Set("X-Should-Retry", "false")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "detail": detail})
	}
}

// loggedIn lets the environment name the service.
func (c *testCLI) loggedIn() *testCLI {
	c.env[addressVariable], c.env[keyVariable] = c.service.URL, testKey
	return c
}

// watcher passes on what is written.
type watcher func(line string)

func (w watcher) Write(line []byte) (int, error) {
	if w != nil {
		w(string(line))
	}
	return len(line), nil
}

func (c *testCLI) run(args ...string) (stdout, stderr string, err error) {
	c.t.Helper()
	return c.runIn(c.t.Context(), args...)
}

func (c *testCLI) runIn(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	c.t.Helper()
	var out, report bytes.Buffer
	written := io.MultiWriter(&report, watcher(c.watch))
	root := &cobra.Command{Use: "portside", SilenceErrors: true, SilenceUsage: true}
	root.SetOut(&out)
	root.SetArgs(args)
	root.AddCommand(Commands(Process{ //nolint:contextcheck // ExecuteContextC passes the context to the commands
		Lookup: func(name string) (string, bool) { value, found := c.env[name]; return value, found },
		Stdin:  strings.NewReader(c.stdin), Stdout: &out, Stderr: written,
		Now:       func() time.Time { return time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC) }, // the day after a leap day
		ConfigDir: func() (string, error) { return c.dir, nil },
		Local: func(string) (address, key string, err error) {
			return c.service.URL, testKey, os.ErrNotExist
		},
		GitHub: c.github,
	})...)
	c.last, err = root.ExecuteContextC(ctx)
	return out.String(), report.String(), err
}

// want runs a command that must succeed and returns its result.
func (c *testCLI) want(args ...string) (stdout string) {
	c.t.Helper()
	stdout, stderr, err := c.run(args...)
	if err != nil {
		c.t.Fatalf("%q: %v\n%s", args, err, stderr)
	}
	return stdout
}

// wantError runs a command that must fail with a text.
func (c *testCLI) wantError(text string, args ...string) {
	c.t.Helper()
	c.checkError(text, false, args)
}

func (c *testCLI) wantUsageError(text string, args ...string) {
	c.t.Helper()
	c.checkError(text, true, args)
}

func (c *testCLI) checkError(text string, isUsage bool, args []string) {
	c.t.Helper()
	stdout, _, err := c.run(args...)
	if err == nil || !strings.Contains(Explain(c.last, err), text) {
		c.t.Errorf("%q: the error is %v, want %q; stdout %q", args, err, text, stdout)
	}
	if _, got := errors.AsType[UsageError](err); got != isUsage {
		c.t.Errorf("%q: whether %v is a usage error is %t", args, err, got)
	}
}

func (c *testCLI) profilePath() string { return filepath.Join(c.dir, "portside", "default.json") }

// wantText compares a result with the wanted one.
func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// newStorage starts a server for files and returns its address.
func newStorage(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}
