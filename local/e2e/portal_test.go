// Package e2e tests the whole of Portside as its users meet it: the local stack runs this repository's template with its
// real functions and engines, and the tests talk to it over HTTP, read its mail, call its commands and kill it.
//
// What is tested here is what no smaller test can see: that template, gateway, functions, engines, mail and commands fit
// together, and that no secret leaks from any of them. The rules of the domains have tables of tests of their own, beside
// their code. What runs is built from sources outside this module, which go test's cache does not watch: to repeat a test
// after a change elsewhere, use -count=1 (make test does the like by -shuffle=on).
package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/local/stack"
)

// repository is this repository, whose template and functions run.
var repository = filepath.Join("..", "..")

// portal is a running stack, and what was heard of it.
type portal struct {
	info    stack.Info
	data    string
	log     *log
	secrets *secrets
	conns   *http.Transport // of this start: a later one may get the same port
}

// newPortal is a portal on a data folder of its own that nobody has started.
func newPortal(t *testing.T) *portal {
	t.Helper()
	p := &portal{data: filepath.Join(t.TempDir(), "data"), log: &log{}, secrets: &secrets{}}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the stack said:\n%s", p.log)
		}
	})
	return p
}

// start runs the stack inside this process. A limit of nil is the template's.
func (p *portal) start(t *testing.T, rateLimit *int) (stop func()) {
	t.Helper()
	return p.startWith(t, stack.Options{RateLimit: rateLimit})
}

// startWith has more than a limit to choose.
func (p *portal) startWith(t *testing.T, o stack.Options) (stop func()) {
	t.Helper()
	o.Addr, o.RepoDir, o.DataDir, o.Log = "127.0.0.1:0", repository, p.data, p.log
	s, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.Print(s.Banner())
	p.started(s.Info())
	stop = sync.OnceFunc(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func (p *portal) started(info stack.Info) {
	p.info = info
	p.conns = &http.Transport{ResponseHeaderTimeout: time.Minute}
	p.secrets.keep(info.Control)
}

// visitor talks to the stack without a credential.
func (p *portal) visitor(t *testing.T) client {
	return client{t: t, api: p.info.API, conns: p.conns, header: http.Header{}, secrets: p.secrets}
}

// root talks to the stack as the first admin, by the key that the start has left for the user.
func (p *portal) root(t *testing.T) client {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(p.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	p.secrets.find(key)
	return p.visitor(t).as(strings.TrimSpace(string(key)))
}

// user adds an active user, and returns the path of the user and an API key.
func (p *portal) user(t *testing.T, email, role string) (at, key string) {
	t.Helper()
	root := p.root(t)
	at = "/v1/users/" + root.post("/v1/users", newUser(email, role)).is(http.StatusCreated).text("data.id")
	return at, root.post(at+"/api-keys", `{"name":"test"}`).is(http.StatusCreated).text("data.key")
}

// newUser is the body of a request for a user who needs no activation.
func newUser(email, role string) string {
	return `{"email":"` + email + `","name":"` + email + `","role":"` + role + `","sendActivationEmail":false}`
}

// letter returns the newest mail to the address, and how many there are.
func (p *portal) letter(t *testing.T, to string) (newest answer, count int) {
	t.Helper()
	reader := p.visitor(t).with("Accept", "application/json").atGateway()
	list := reader.get("/_local/outbox").is(http.StatusOK)
	for i := range list.list("") {
		entry := list.json("").([]any)[i].(map[string]any)
		if !slices.Contains(entry["to"].([]any), any(to)) {
			continue
		}
		if count++; count == 1 { // the newest stands first
			newest = reader.get("/_local/outbox/" + entry["id"].(string)).is(http.StatusOK)
		}
	}
	return newest, count
}

// invite is what the reader of the newest mail finds in its text: the page's address, and the token behind the #.
func (p *portal) invite(t *testing.T, to string) (page, token string) {
	t.Helper()
	mail, count := p.letter(t, to)
	if count == 0 {
		t.Fatalf("no mail to %s came", to)
	}
	for word := range strings.FieldsSeq(mail.text("text")) {
		if page, token, found := strings.Cut(word, "#"); found && strings.HasPrefix(page, p.info.API) {
			return strings.TrimPrefix(page, p.info.API), token
		}
	}
	t.Fatalf("no link to %s in the mail:\n%s", p.info.API, mail.text("text"))
	return "", ""
}

// command runs one of the repository's programs, and returns what it printed.
func (p *portal) command(t *testing.T, path string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	command := exec.CommandContext(t.Context(), path, args...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(path), strings.Join(args, " "), err, &output)
	}
	_, _ = p.log.Write(output.Bytes()) // it must not print secrets either
	return output.String()
}

// invoke runs a sample event as `make invoke` does, waiting while a run of the schedule has the function's only place.
func (p *portal) invoke(t *testing.T, function, event string) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(repository, "events", event))
	if err != nil {
		t.Fatal(err)
	}
	var result stack.Invocation
	await(t, function+" takes the event", func() bool {
		if result, err = p.info.InvokeOnce(t.Context(), function, payload); err != nil {
			t.Fatal(err)
		}
		return !strings.Contains(result.Error, "busy")
	})
	if result.Error != "" || result.FunctionError != "" {
		t.Fatalf("%s on %s: %s %s %s", function, event, result.Error, result.FunctionError, result.Payload)
	}
}

// await waits for a condition that something outside this process brings about.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// log collects what the stack prints.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// atOnce runs f n times concurrently, and returns how often it returned what.
func atOnce(n int, f func(i int) int) map[int]int {
	var (
		mu     sync.Mutex
		counts = map[int]int{}
		all    sync.WaitGroup
	)
	for i := range n {
		all.Go(func() {
			result := f(i)
			mu.Lock()
			defer mu.Unlock()
			counts[result]++
		})
	}
	all.Wait()
	return counts
}
