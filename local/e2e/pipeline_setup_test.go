package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// renewal is the script that docs/rotation.md gives to customers.
var renewal = filepath.Join(repository, "docs", "rotation", "renew-token.sh")

// pipeline is a customer's machine with a token, which it renews with the script by way of a relay.
type pipeline struct {
	*portal
	manager client // who has made its first token
	dir     string
	relay   *relay
	secret  bool // its token is in a Secret of the stand-in for kubectl
}

// newPipeline is a machine whose token expires tomorrow.
func (p *portal) newPipeline(t *testing.T) *pipeline {
	t.Helper()
	_, key := p.user(t, fmt.Sprintf("pipeline-%d@example.com", now().UnixNano()), "manager")
	l := &pipeline{portal: p, manager: p.visitor(t).as(key), dir: t.TempDir(), relay: newRelay(t, p)}
	for name, text := range map[string]string{"bin/kubectl": standIn, "bin/mv": deadlyMove, "tmp/kept": ""} {
		l.write(t, name, text)
	}
	l.write(t, "token", l.issue("build <b>\\\"pipeline\\\"")+"\n")
	return l
}

// issue makes a token for one day; the name is part of JSON text.
func (l *pipeline) issue(name string) string {
	l.manager.t.Helper()
	return l.manager.post("/api/v1/tokens", `{"name":"`+name+`","scopes":["read:docker-images:acme/*","read:helm-charts"],`+
		`"expiration_days":1}`).is(http.StatusCreated).text("data.token")
}

func (l *pipeline) path(name string) string { return filepath.Join(l.dir, name) }

func (l *pipeline) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path(name), []byte(text), 0o700); err != nil { //nolint:gosec // some of them are programs
		t.Fatal(err)
	}
}

func (l *pipeline) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(l.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// toSecret moves the token into the Secret.
func (l *pipeline) toSecret(t *testing.T) {
	t.Helper()
	l.secret = true
	l.write(t, "secret/version", "1")
	l.write(t, "secret/token", base64.StdEncoding.EncodeToString([]byte(l.read(t, "token"))))
	l.write(t, "secret/config", "")
}

// token returns the token in place.
func (l *pipeline) token(t *testing.T) string {
	t.Helper()
	if !l.secret {
		return strings.TrimSpace(l.read(t, "token"))
	}
	text, err := base64.StdEncoding.DecodeString(l.read(t, "secret/token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// config returns what container tools read.
func (l *pipeline) config(t *testing.T) string {
	t.Helper()
	if !l.secret {
		return l.read(t, "config.json")
	}
	text, err := base64.StdEncoding.DecodeString(l.read(t, "secret/config"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// outcome is how a run of the script ended.
type outcome struct {
	code    int // -1: it was killed
	printed string
}

// run runs the script to its end.
func (l *pipeline) run(t *testing.T, settings ...string) outcome {
	t.Helper()
	return l.runIn(t, []string{"sh"}, settings...)
}

// runIn runs the script in a shell, in a process group of its own. It is killed when it takes long.
func (l *pipeline) runIn(t *testing.T, shell []string, settings ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var output bytes.Buffer
	command := exec.CommandContext(ctx, shell[0], append(shell[1:], renewal)...)
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Env = append(l.environment(), settings...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	l.relay.aimAt(command.Process.Pid)
	_ = command.Wait() // its code tells
	_, _ = l.log.Write(output.Bytes())
	return outcome{command.ProcessState.ExitCode(), output.String()}
}

// environment lacks all that the machine of the test has set.
func (l *pipeline) environment() []string {
	common := []string{
		"PATH=" + l.path("bin") + ":" + os.Getenv("PATH"), "HOME=" + l.dir, "TMPDIR=" + l.path("tmp"),
		"PORTSIDE_URL=" + l.relay.server.URL, "REGISTRY=registry.example.com", "ATTEMPTS=2", "RETRY_SECONDS=0",
	}
	if l.secret {
		return append(common, "KUBE_SECRET=portside-pull", "KUBE_NAMESPACE=builds")
	}
	return append(common, "TOKEN_FILE="+l.path("token"), "DOCKER_CONFIG_FILE="+l.path("config.json"))
}

// is checks the exit code and that all words were printed.
func (o outcome) is(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.code != code {
		t.Fatalf("exit code %d, want %d: %s", o.code, code, o.printed)
	}
	for _, word := range words {
		if !strings.Contains(o.printed, word) {
			t.Errorf("it does not say %q: %s", word, o.printed)
		}
	}
}

// works checks that the token in place works, and returns its description.
func (l *pipeline) works(t *testing.T) answer {
	t.Helper()
	return l.describe(t, l.token(t)).is(http.StatusOK).has("data.status", "active")
}

// describe asks for a token by itself.
func (l *pipeline) describe(t *testing.T, token string) answer {
	t.Helper()
	return l.visitor(t).with("Authorization", "Bearer "+token).get("/api/v1/tokens/" + strings.Split(token, "_")[1])
}

// count returns how many of the pipeline's tokens have the status.
func (l *pipeline) count(status string) int {
	l.manager.t.Helper()
	n := 0
	for _, entry := range l.manager.get("/api/v1/tokens").is(http.StatusOK).list("data") {
		if entry.(map[string]any)["status"] == status {
			n++
		}
	}
	return n
}

// relay stands between a script and the stack, and can do harm at every exchange.
type relay struct {
	server *httptest.Server
	mu     sync.Mutex
	pid    int
	seen   int                              // exchanges since the last aimAt
	harm   func(e *exchange) (handled bool) // nil: none
}

// exchange is one request, before it is sent on and again when it was answered.
type exchange struct {
	number   int // from 1
	answered bool
	pid      int
	w        http.ResponseWriter
	r        *http.Request
}

func newRelay(t *testing.T, p *portal) *relay {
	l := &relay{}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.pass(p, w, r) }))
	t.Cleanup(l.server.Close)
	return l
}

func (l *relay) aimAt(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pid, l.seen = pid, 0
}

func (l *relay) set(harm func(*exchange) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.harm = harm
}

func (l *relay) pass(p *portal, w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.seen++
	e, harm := &exchange{number: l.seen, pid: l.pid, w: w, r: r}, l.harm
	l.mu.Unlock()
	if harm != nil && harm(e) {
		return
	}
	status, body, err := p.forward(r)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	e.answered = true
	if harm != nil && harm(e) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // who asked may be dead
}

// forward sends a request on, whether or not its sender lives to see the answer.
func (p *portal) forward(r *http.Request) (status int, body []byte, err error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	target, err := r.URL.Parse(p.info.API + r.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	r.URL, r.Host, r.RequestURI = target, "", ""
	response, err := p.conns.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	p.secrets.find(body)
	return response.StatusCode, body, err
}

// kill ends the script and everything that it has started.
func (e *exchange) kill() bool {
	_ = syscall.Kill(-e.pid, syscall.SIGKILL) // it may be gone
	return true
}

// refuse answers in place of the stack.
func (e *exchange) refuse(status int) bool {
	e.w.Header().Set("Retry-After", "0")
	e.w.WriteHeader(status)
	return true
}

// standIn is a kubectl that knows one Secret, which it keeps in files, and refuses an update of another version of it.
const standIn = `#!/bin/sh
dir=${0%/*}/../secret
verb=$1
echo "$*" >>"$dir/arguments"
exec 8>"$dir/lock" && flock 8
if [ -e "$dir/no-$verb" ]; then
	echo 'Unable to connect to the server' >&2
	exit 1
fi
if [ "$verb" = get ]; then
	printf '%s|%s|%s' "$(cat "$dir/version")" "$(cat "$dir/token")" "$(cat "$dir/config")"
	exit
fi
sent=$(cat /dev/stdin)
member() { printf '%s' "$sent" | sed -nE 's/.*"'"$1"'":"([^"]*)".*/\1/p'; }
if [ "$(member resourceVersion)" != "$(cat "$dir/version")" ]; then
	echo 'Error from server (Conflict): the object has been modified' >&2
	exit 1
fi
member token >"$dir/token"
member '[.]dockerconfigjson' >"$dir/config"
echo $(($(cat "$dir/version") + 1)) >"$dir/version"
[ ! -e "$dir/no-answer" ]
`

// deadlyMove is a mv that can kill who calls it, before or after it has done its work.
const deadlyMove = `#!/bin/sh
[ "${KILL-}" != before ] || kill -9 0
PATH=${PATH#*:} && mv "$@"
[ "${KILL-}" != after ] || kill -9 0
`
