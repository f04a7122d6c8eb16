package e2etest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/local/stack"
	"portside/local/stack/folder"
	"portside/testclient"
)

// Stack is a stack as one test sees it.
type Stack struct {
	Info    folder.Info
	Data    string          // folder
	Log     *testclient.Log // the output of the stack, and of the commands that tests run
	Secrets *Secrets        // that must not leak
	Conns   *http.Transport

	Mail     Outbox
	Operator Operator
	Portal   Portal
	Users    Users

	number int64 // distinguishes the names of this test from those of others
}

// New returns a stack with a new data folder. It is not started.
func New(t *testing.T) *Stack {
	t.Helper()
	p := newStack(filepath.Join(t.TempDir(), "data"))
	p.reportFailure(t)
	return p
}

func newStack(data string) *Stack {
	p := &Stack{Data: data, Log: &testclient.Log{}, Secrets: &Secrets{}}
	p.Mail.read, p.Operator.demo = &readMails{}, &sync.Mutex{}
	return p.forTest()
}

// forTest returns a copy of the stack for another test. Its names differ from the names of the other copies.
func (p *Stack) forTest() *Stack {
	own := *p
	own.number = lastNumber.Add(1)
	own.Mail.stack, own.Operator.stack, own.Portal.stack, own.Users.stack = &own, &own, &own, &own
	return &own
}

// Start starts a stack of the test's own, without a rate limit. The test runs in parallel with others.
func Start(t *testing.T) *Stack {
	t.Helper()
	return StartWith(t, stack.Options{})
}

// StartWith is Start with options.
func StartWith(t *testing.T, o stack.Options) *Stack {
	t.Helper()
	t.Parallel()
	p := New(t)
	o.RateLimit = new(int)
	p.Run(t, o)
	return p
}

// Run starts the stack in this process. The stack stops when the test ends or calls stop. Then the test searches for
// leaked secrets.
func (p *Stack) Run(t *testing.T, o stack.Options) (stop func()) {
	t.Helper()
	end, err := p.start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		p.CheckLeaks(t) // while the engines are running
		if err := end(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		p.CheckLeaks(t)
	})
	t.Cleanup(stop)
	return stop
}

func (p *Stack) start(ctx context.Context, o stack.Options) (stop func(context.Context) error, err error) {
	o.Addr, o.RepoDir, o.DataDir, o.Log = "127.0.0.1:0", Repository, p.Data, p.Log
	s, err := stack.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	s.Print(s.Banner())
	p.SetInfo(s.Info())
	return s.Stop, nil
}

// SetInfo sets the addresses of a stack that runs in another process.
func (p *Stack) SetInfo(info folder.Info) {
	p.Info = info
	p.Conns = &http.Transport{ResponseHeaderTimeout: time.Minute} // a new one, because a later start may get the same port
	p.Secrets.Add(info.Control)
}

// Name returns a name, such as acme-7, that only this test uses. It is valid as a slug, a label of a host and a
// repository.
func (p *Stack) Name(name string) string { return fmt.Sprintf("%s-%d", name, p.number) }

// Word returns a word with a prefix that no other test uses, such as 7Byron, so that a search for the prefix finds only
// words of this test.
func (p *Stack) Word(word string) string { return fmt.Sprint(p.number, word) }

// Email returns the address of a person that only this test uses. It returns addresses unchanged, such as FirstAdmin.
func (p *Stack) Email(person string) string {
	if strings.Contains(person, "@") {
		return person
	}
	return fmt.Sprintf("%s@test-%d.example", person, p.number)
}

// Host returns the host and port of the API.
func (p *Stack) Host() string { return strings.TrimPrefix(p.Info.API, "http://") }

// Upstream returns the host and port of the vendor's registry.
func (p *Stack) Upstream() string { return strings.TrimPrefix(p.Info.Registry, "http://") }

// FromRepository returns the content of a file of this repository.
func FromRepository(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(append([]string{Repository}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Await polls until the condition is true, with growing pauses. Its limit is long, because a mail that could not be
// sent at once waits for a schedule.
func Await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for pause := 5 * time.Millisecond; !condition(); pause = min(pause*3/2, 250*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-limit:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// Now returns the time of the machine, which is also the stack's.
func Now() time.Time { return time.Now() } //nolint:forbidigo // a running stack reads no other clock

// reportFailure prints the end of the log if the test fails, so that the log does not hide the failure in a long output
// of tests. The flag -artifacts keeps the log since the test began.
func (p *Stack) reportFailure(t *testing.T) {
	t.Helper()
	const lines = 60
	before := len(p.Log.String())
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		since := p.Log.String()[before:]
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "stack.log"), []byte(since), 0o600); err != nil {
			t.Error(err)
		}
		t.Logf("the last lines of the stack's log (-artifacts keeps all of them):\n%s", testclient.LastLines(since, lines))
	})
}
