package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"portside/local/stack"
)

func TestARestartKeepsData(t *testing.T) {
	p := newPortal(t)
	stop := p.start(t, nil)
	at, key := p.user(t, "ada@example.com", "user")
	p.root(t).post("/v1/users", `{"email":"grace@example.com","name":"Grace","role":"user"}`).is(http.StatusCreated)
	stop()
	stop = p.start(t, nil)
	p.visitor(t).as(key).get(at).is(http.StatusOK).has("data.email", "ada@example.com")
	p.root(t).get("/v1/users").has("pagination.total", 3)
	if _, count := p.letter(t, "grace@example.com"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
	stop()
	p.secretsAreNowhere(t)
}

func TestARestartWithoutTheFirstAdmin(t *testing.T) {
	p := newPortal(t)
	stop := p.start(t, nil)
	at, key := p.user(t, "second@example.com", "admin")
	p.visitor(t).as(key).delete(p.find(t, "admin@localhost")).is(http.StatusNoContent)
	p.root(t).get(at).is(http.StatusUnauthorized)
	stop()
	p.start(t, nil) // it neither fails nor makes an admin whom somebody has removed
	p.visitor(t).as(key).get("/v1/users").is(http.StatusOK).has("pagination.total", 1)
}

// program is the one that `make run` runs.
type program struct {
	*portal
	path    string
	process *os.Process
	ended   chan error // how it has ended
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{portal: newPortal(t), path: filepath.Join(t.TempDir(), "local")}
	p.command(t, "go", "build", "-o", p.path, "..")
	return p
}

// run starts the program and returns when it is ready.
func (p *program) run(t *testing.T) {
	t.Helper()
	process := exec.Command(p.path, "run", "-repo", repository, "-addr", "127.0.0.1:0", "-data", p.data, "-rate-limit", "0")
	process.Stdout, process.Stderr = p.log, p.log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	p.process, p.ended = process.Process, make(chan error, 1)
	go func() { p.ended <- process.Wait() }()
	t.Cleanup(func() { _ = process.Process.Kill() })
	await(t, "the stack is ready", func() bool { return p.ready(t) })
}

func (p *program) ready(t *testing.T) bool {
	t.Helper()
	select {
	case err := <-p.ended:
		t.Fatalf("the program has ended: %v", err)
	default:
	}
	info, err := stack.ReadInfo(p.data)
	if err != nil || info.PID != p.process.Pid {
		return false
	}
	p.started(info)
	return true
}

// end sends the signal, and says how the program has ended.
func (p *program) end(t *testing.T, signal os.Signal) error {
	t.Helper()
	if err := p.process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	return <-p.ended
}

// TestAKillLosesNothing kills the stack while users are being added, and then asks whether each of them exists wholly or
// not at all: in the list, in the total, and for who tries to take the address again.
func TestAKillLosesNothing(t *testing.T) {
	p := newProgram(t)
	p.run(t)
	at, key := p.user(t, "ada@example.com", "user")
	created := p.killWhileAdding(t)

	p.run(t)
	p.visitor(t).as(key).get(at).is(http.StatusOK)
	listed := p.everybody(t)
	for email, acknowledged := range created {
		if acknowledged && !listed[email] {
			t.Errorf("%s was created and is gone", email)
		}
		want := http.StatusCreated
		if listed[email] {
			want = http.StatusConflict
		}
		p.root(t).post("/v1/users", newUser(email, "user")).is(want)
	}
	p.eventsWork(t)
	if err := p.end(t, os.Interrupt); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
	p.secretsAreNowhere(t)
}

// killWhileAdding returns the addresses that were tried, and whether the answer was a 201.
func (p *program) killWhileAdding(t *testing.T) map[string]bool {
	t.Helper()
	const enough = 20
	var (
		mu           sync.Mutex
		tried        = map[string]bool{}
		acknowledged atomic.Int32
		root         = p.root(t)
	)
	add := func(email string) bool {
		a, err := root.try(http.MethodPost, "/v1/users", newUser(email, "user"))
		mu.Lock()
		defer mu.Unlock()
		tried[email] = err == nil && a.status == http.StatusCreated
		return tried[email]
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := 0; add(fmt.Sprintf("user%d-%d@example.com", worker, i)); i++ {
				acknowledged.Add(1)
			}
		})
	}
	await(t, "some users are there", func() bool { return acknowledged.Load() >= enough })
	if err := p.end(t, os.Kill); err == nil {
		t.Error("the program survived")
	}
	all.Wait()
	return tried
}

// everybody turns over all pages, and checks that they are as many users as the counters say.
func (p *program) everybody(t *testing.T) map[string]bool {
	t.Helper()
	users := map[string]bool{}
	for offset, more := 0, true; more; offset += 100 {
		page := p.root(t).get(fmt.Sprintf("/v1/users?limit=100&offset=%d", offset)).is(http.StatusOK)
		for _, entry := range page.list("data") {
			users[entry.(map[string]any)["email"].(string)] = true
		}
		if more = page.json("pagination.hasMore").(bool); !more {
			page.has("pagination.total", len(users))
		}
	}
	return users
}

// eventsWork runs a sample event with the very command that `make invoke` calls.
func (p *program) eventsWork(t *testing.T) {
	t.Helper()
	printed := p.command(t, p.path, "invoke", "-repo", repository, "-data", p.data,
		"-function", "UsersFunction", "-event", filepath.Join(repository, "events", "users", "list.json"))
	if !strings.Contains(printed, `"statusCode": 200`) {
		t.Errorf("invoke printed %s", printed)
	}
}
