package distribution

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
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portside/local/e2e/e2etest"
)

// renewScript is the customers' script of docs/rotation.md.
var renewScript = filepath.Join(e2etest.Repository, "docs", "rotation", "renew-token.sh")

// pipeline is a customer's machine that renews its token with the script, through a proxy.
type pipeline struct {
	*e2etest.Stack
	manager e2etest.Client // has created the first token
	dir     string
	proxy   *proxy
	secret  bool             // the token is in a Secret of fakeKubectl
	tokens  *e2etest.Secrets // of the pipeline
}

// newPipeline returns a machine whose token expires in ten days, as far as the script sees.
func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	p := e2etest.Shared(t)
	_, key := p.Users.Create(t, "pipeline", "manager")
	l := &pipeline{Stack: p, manager: p.As(t, key), dir: t.TempDir(), tokens: &e2etest.Secrets{}}
	l.proxy = newProxy(t, l)
	for name, text := range map[string]string{"bin/kubectl": fakeKubectl, "bin/mv": killingMv, "tmp/kept": ""} {
		l.writeFile(t, name, text)
	}
	l.writeFile(t, "token", l.createToken("build <b>\\\"pipeline\\\"")+"\n")
	return l
}

// createToken creates a token for 90 days. The proxy shows it to the script as if it had been created 80 days ago. The
// name must be escaped for JSON.
func (l *pipeline) createToken(name string) string {
	l.manager.TB.Helper()
	token := l.createNewToken(name, 90)
	l.proxy.setOld(strings.Split(token, "_")[1])
	return token
}

// createNewToken creates a token whose name the script sees unchanged. The name must be escaped for JSON.
func (l *pipeline) createNewToken(name string, days int) string {
	l.manager.TB.Helper()
	token := l.manager.Post("/api/v1/tokens", fmt.Sprintf(`{"name":"%s","scopes":["read:docker-images:acme/*","read:helm-charts"],`+
		`"expiration_days":%d}`, name, days)).WantStatus(http.StatusCreated).Text("data.token")
	l.tokens.Add(token)
	return token
}

func (l *pipeline) path(name string) string { return filepath.Join(l.dir, name) }

func (l *pipeline) writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(l.path(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path(name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (l *pipeline) readFile(t *testing.T, name string) string {
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
	l.writeFile(t, "secret/version", "1")
	l.writeFile(t, "secret/token", base64.StdEncoding.EncodeToString([]byte(l.readFile(t, "token"))))
	l.writeFile(t, "secret/config", "")
}

// token returns the current token.
func (l *pipeline) token(t *testing.T) string {
	t.Helper()
	if !l.secret {
		return strings.TrimSpace(l.readFile(t, "token"))
	}
	text, err := base64.StdEncoding.DecodeString(l.readFile(t, "secret/token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// config returns the configuration of container tools.
func (l *pipeline) config(t *testing.T) string {
	t.Helper()
	if !l.secret {
		return l.readFile(t, "config.json")
	}
	text, err := base64.StdEncoding.DecodeString(l.readFile(t, "secret/config"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs the script.
func (l *pipeline) run(t *testing.T, settings ...string) e2etest.Exit {
	t.Helper()
	return l.runIn(t, []string{"sh"}, settings...)
}

// runIn runs the script in a shell, in a new process group. It kills the group after two minutes, which is less than
// testRetryAfter would take if the script did not obey Retry-After.
func (l *pipeline) runIn(t *testing.T, shell []string, settings ...string) e2etest.Exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var output bytes.Buffer
	command := exec.CommandContext(ctx, shell[0], append(shell[1:], renewScript)...)
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Env = append(l.environment(), settings...)
	if err := l.proxy.start(command); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // callers check the exit code
	_, _ = l.Log.Write(output.Bytes())
	return e2etest.Exit{Code: command.ProcessState.ExitCode(), Output: output.String()}
}

// environment returns the script's environment, without the variables of the test's machine.
func (l *pipeline) environment() []string {
	common := []string{
		"PATH=" + l.path("bin") + ":" + os.Getenv("PATH"), "HOME=" + l.dir, "TMPDIR=" + l.path("tmp"),
		"PORTSIDE_URL=" + l.proxy.server.URL, "REGISTRY=registry.example.com", "ATTEMPTS=2", "RETRY_SECONDS=0",
	}
	if l.secret {
		return append(common, "KUBE_SECRET=portside-pull", "KUBE_NAMESPACE=builds")
	}
	return append(common, "TOKEN_FILE="+l.path("token"), "DOCKER_CONFIG_FILE="+l.path("config.json"))
}

// checkTokenWorks checks that the current token works, and returns its description.
func (l *pipeline) checkTokenWorks(t *testing.T) e2etest.Response {
	t.Helper()
	return l.describe(t, l.token(t)).WantStatus(http.StatusOK).WantValue("data.status", "active")
}

// describe requests the description of a token with the token as credential.
func (l *pipeline) describe(t *testing.T, token string) e2etest.Response {
	t.Helper()
	return l.Anonymous(t).With("Authorization", "Bearer "+token).Get("/api/v1/tokens/" + strings.Split(token, "_")[1])
}

// countTokens returns the number of the pipeline's tokens with the status.
func (l *pipeline) countTokens(status string) int {
	l.manager.TB.Helper()
	n := 0
	for _, entry := range l.manager.Get("/api/v1/tokens").WantStatus(http.StatusOK).List("data") {
		if entry.(map[string]any)["status"] == status {
			n++
		}
	}
	return n
}

// proxy forwards the script's requests to the stack and can intercept each exchange.
type proxy struct {
	server    *httptest.Server
	mu        sync.Mutex
	pid       int
	exchanges int                              // exchanges since the last start
	old       map[string]bool                  // public IDs of the tokens whose times the proxy shifts
	intercept func(e *exchange) (handled bool) // may be nil
}

// exchange is a request, before it is forwarded and again after its response.
type exchange struct {
	number   int // from 1
	answered bool
	pid      int
	w        http.ResponseWriter
	r        *http.Request
}

func newProxy(t *testing.T, stack *pipeline) *proxy {
	t.Helper()
	l := &proxy{old: map[string]bool{}}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.serve(stack, w, r) }))
	t.Cleanup(l.server.Close)
	return l
}

// start starts a script whose exchanges the proxy counts from now on. The first exchange waits until its process is
// known.
func (l *proxy) start(command *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := command.Start()
	if err == nil {
		l.pid, l.exchanges = command.Process.Pid, 0
	}
	return err
}

// setOld makes the proxy shift the times of a token by tokenAge.
func (l *proxy) setOld(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.old[id] = true
}

// tokenAge is how old the tokens of createToken are, as far as the script sees.
const tokenAge = 80 * 24 * time.Hour

var tokenTimes = regexp.MustCompile(`"(createdAt|expiresAt)":"([^"]*)"`)

// makeOld shifts the times in the description of a token.
func makeOld(description []byte) []byte {
	return tokenTimes.ReplaceAllFunc(description, func(member []byte) []byte {
		parts := tokenTimes.FindSubmatch(member)
		at, err := time.Parse(time.RFC3339, string(parts[2]))
		if err != nil {
			return member
		}
		return fmt.Appendf(nil, `"%s":"%s"`, parts[1], at.Add(-tokenAge).Format(time.RFC3339Nano))
	})
}

func (l *proxy) setIntercept(harm func(*exchange) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.intercept = harm
}

func (l *proxy) serve(p *pipeline, w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.exchanges++
	e, harm := &exchange{number: l.exchanges, pid: l.pid, w: w, r: r}, l.intercept
	old := l.old[path.Base(r.URL.Path)]
	l.mu.Unlock()
	if harm != nil && harm(e) {
		return
	}
	status, body, err := p.forwardRequest(r)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if old {
		body = makeOld(body)
	}
	e.answered = true
	if harm != nil && harm(e) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have been killed
}

// forwardRequest forwards a request, even if its sender is killed meanwhile.
func (l *pipeline) forwardRequest(r *http.Request) (status int, body []byte, err error) {
	r = r.Clone(context.WithoutCancel(r.Context()))
	target, err := r.URL.Parse(l.Info.API + r.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	r.URL, r.Host, r.RequestURI = target, "", ""
	response, err := l.Conns.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	l.Secrets.AddFrom(body)
	l.tokens.AddFrom(body)
	return response.StatusCode, body, err
}

// kill kills the script and its child processes.
func (e *exchange) kill() bool {
	_ = syscall.Kill(-e.pid, syscall.SIGKILL) // it may have exited
	return true
}

// refuse responds instead of the stack.
func (e *exchange) refuse(status int) bool {
	e.w.Header().Set("Retry-After", "0")
	e.w.WriteHeader(status)
	return true
}

// fakeKubectl is a kubectl that stores one Secret in files and refuses updates with another
// resource version.
const fakeKubectl = `#!/bin/sh
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

// killingMv is an mv that can kill its caller before or after the move.
const killingMv = `#!/bin/sh
[ "${KILL-}" != before ] || kill -9 0
PATH=${PATH#*:} && mv "$@"
[ "${KILL-}" != after ] || kill -9 0
`
