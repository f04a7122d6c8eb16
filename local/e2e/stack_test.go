// Package e2e has the end-to-end tests of Portside: the local stack runs this repository's template
// with its functions and engines, and the tests send HTTP requests, read mails, run commands and
// kill the stack.
//
// They test what smaller tests cannot: that template, gateway, functions, engines, mail and
// commands work together, and that none of them leaks secrets. Tests of the domains' rules are
// beside the domains. The functions are built from sources outside this module, which go test's
// cache does not watch: to repeat a test after a change there, use -count=1 (make test disables the
// cache by -shuffle=on).
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

// repository is the path of this repository.
var repository = filepath.Join("..", "..")

// testStack is a running stack with its log and the secrets in its responses.
type testStack struct {
	info    stack.Info
	data    string
	log     *logBuffer
	secrets *secrets
	conns   *http.Transport // of this start, because a later one may get the same port
}

// newTestStack returns a stack with a new data folder. It is not started.
func newTestStack(t *testing.T) *testStack {
	t.Helper()
	p := &testStack{data: filepath.Join(t.TempDir(), "data"), log: &logBuffer{}, secrets: &secrets{}}
	t.Cleanup(func() {
		if t.Failed() {
			p.log.report(t)
		}
	})
	return p
}

// start starts the stack in this process. A nil rateLimit means the template's default.
func (p *testStack) start(t *testing.T, rateLimit *int) (stop func()) {
	t.Helper()
	return p.startWith(t, stack.Options{RateLimit: rateLimit})
}

// noRateLimit switches the rate limit off.
func noRateLimit() *int { return new(int) }

// startWith starts the stack with options.
func (p *testStack) startWith(t *testing.T, o stack.Options) (stop func()) {
	t.Helper()
	o.Addr, o.RepoDir, o.DataDir, o.Log = "127.0.0.1:0", repository, p.data, p.log
	s, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	s.Print(s.Banner())
	p.setInfo(s.Info())
	stop = sync.OnceFunc(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func (p *testStack) setInfo(info stack.Info) {
	p.info = info
	p.conns = &http.Transport{ResponseHeaderTimeout: time.Minute}
	p.secrets.add(info.Control)
}

// admin returns a client with the first admin's key.
func (p *testStack) admin(t *testing.T) client {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(p.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	p.secrets.addFrom(key)
	return p.anonymous(t).as(strings.TrimSpace(string(key)))
}

// createUser creates an active user and returns the user's path and an API key.
func (p *testStack) createUser(t *testing.T, email, role string) (at, key string) {
	t.Helper()
	root := p.admin(t)
	at = "/v1/users/" + root.Post("/v1/users", newUser(email, role)).WantStatus(http.StatusCreated).Text("data.id")
	return at, root.Post(at+"/api-keys", `{"name":"test"}`).WantStatus(http.StatusCreated).Text("data.key")
}

// createCustomer creates a customer and returns its ID.
func (p *testStack) createCustomer(t *testing.T, body string) string {
	t.Helper()
	return p.admin(t).Post("/v1/customers", body).WantStatus(http.StatusCreated).Text("data.id")
}

// createUserOf creates an active user of a customer and returns the user's path.
func (p *testStack) createUserOf(t *testing.T, customerID, email, role string) string {
	t.Helper()
	body := strings.Replace(newUser(email, role), "{", `{"customerId":"`+customerID+`",`, 1)
	return "/v1/users/" + p.admin(t).Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
}

// activateUser creates a user who activates the account by mail. It returns the user's path and first API key, in which no other user had
// a hand.
func (p *testStack) activateUser(t *testing.T, email, role string) (at, key string) {
	t.Helper()
	body := strings.Replace(newUser(email, role), `"sendActivationEmail":false`, `"sendActivationEmail":true`, 1)
	at = "/v1/users/" + p.admin(t).Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	_, token := p.mailedLink(t, email)
	return at, p.anonymous(t).Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).Text("data.apiKey")
}

// newUser returns the body of a request for an active user.
func newUser(email, role string) string {
	return `{"email":"` + email + `","name":"` + email + `","role":"` + role + `","sendActivationEmail":false}`
}

// noticeSubject is the subject of the mails to users for whom an admin creates an API key.
const noticeSubject = "Another user created an API key for you"

// newestMail returns the newest mail to the address and the number of mails to it, without those that createUser causes.
func (p *testStack) newestMail(t *testing.T, to string) (newest response, count int) {
	t.Helper()
	mails := p.mailsTo(t, to, func(subject string) bool { return subject != noticeSubject })
	if len(mails) > 0 {
		newest = mails[0]()
	}
	return newest, len(mails)
}

// mailsTo returns functions that read the mails to the address with a subject that is wanted, the newest first.
func (p *testStack) mailsTo(t *testing.T, to string, isWanted func(subject string) bool) (mails []func() response) {
	t.Helper()
	reader := p.anonymous(t).With("Accept", "application/json").fromGateway()
	list := reader.Get("/_local/outbox").WantStatus(http.StatusOK)
	for _, listed := range list.List("") {
		entry := listed.(map[string]any)
		if slices.Contains(entry["to"].([]any), any(to)) && isWanted(entry["subject"].(string)) {
			mails = append(mails, func() response {
				return reader.Get("/_local/outbox/" + entry["id"].(string)).WantStatus(http.StatusOK)
			})
		}
	}
	return mails
}

// awaitMail waits for the next mail to the address, of which there were some before, and returns it.
func (p *testStack) awaitMail(t *testing.T, to string, before int) (newest response) {
	t.Helper()
	await(t, "a mail to "+to, func() bool {
		mail, count := p.newestMail(t, to)
		newest = mail
		return count > before
	})
	return newest
}

// mailedLink returns the page and the token of the link in the newest mail.
func (p *testStack) mailedLink(t *testing.T, to string) (page, token string) {
	t.Helper()
	mail := p.awaitMail(t, to, 0)
	for word := range strings.FieldsSeq(mail.Text("text")) {
		if page, token, found := strings.Cut(word, "#"); found && strings.HasPrefix(page, p.info.Portal) {
			return strings.TrimPrefix(page, p.info.Portal), token
		}
	}
	t.Fatalf("no link to %s in the mail:\n%s", p.info.Portal, mail.Text("text"))
	return "", ""
}

// runCommand runs a program and returns its output.
func (p *testStack) runCommand(t *testing.T, path string, args ...string) string {
	t.Helper()
	var output bytes.Buffer
	command := exec.CommandContext(t.Context(), path, args...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(path), strings.Join(args, " "), err, &output)
	}
	_, _ = p.log.Write(output.Bytes()) // the output must not contain secrets either
	return output.String()
}

// invoke invokes a function with a sample event, like `make invoke`. It waits while a scheduled run
// occupies the function's only sandbox.
func (p *testStack) invoke(t *testing.T, function, event string) {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(repository, "events", event))
	if err != nil {
		t.Fatal(err)
	}
	var result stack.Invocation
	await(t, function+" to accept the event", func() bool {
		if result, err = p.info.InvokeOnce(t.Context(), function, payload); err != nil {
			t.Fatal(err)
		}
		return !strings.Contains(result.Error, "busy")
	})
	if result.Error != "" || result.FunctionError != "" {
		t.Fatalf("%s on %s: %s %s %s", function, event, result.Error, result.FunctionError, result.Payload)
	}
}

// await polls until the condition is true. Its limit is long, because a mail that could not be sent at once waits for a schedule.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(2*time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// logBuffer collects the stack's output.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// report prints the end of the log, so that the log does not hide the failure in a long output of tests. The flag -artifacts keeps
// the whole log.
func (l *logBuffer) report(t *testing.T) {
	t.Helper()
	const lines = 60
	all := l.String()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "stack.log"), []byte(all), 0o600); err != nil {
		t.Error(err)
	}
	end := strings.Split(strings.TrimSuffix(all, "\n"), "\n")
	t.Logf("the last lines of the stack's log (-artifacts keeps all of them):\n%s", strings.Join(end[max(0, len(end)-lines):], "\n"))
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
