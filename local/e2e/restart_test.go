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

func TestRestartKeepsData(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, nil)
	at, key := p.createUser(t, "ada@example.com", "user")
	p.admin(t).Post("/v1/users", `{"email":"grace@example.com","name":"Grace","role":"user"}`).
		WantStatus(http.StatusCreated)
	stop()
	stop = p.start(t, nil)
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK).WantValue("data.email", "ada@example.com")
	p.admin(t).Get("/v1/users").WantValue("pagination.total", 3)
	if _, count := p.newestMail(t, "grace@example.com"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
	stop()
	p.checkNoSecretsLeaked(t)
}

func TestRestartWithoutFirstAdmin(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, nil)
	at, key := p.createUser(t, "second@example.com", "admin")
	p.anonymous(t).as(key).Delete(p.userPath(t, "admin@localhost")).WantStatus(http.StatusNoContent)
	p.admin(t).Get(at).WantStatus(http.StatusUnauthorized)
	stop()
	p.start(t, nil) // it neither fails nor creates the deleted admin again
	p.anonymous(t).as(key).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
}

// program is the program that `make run` runs.
type program struct {
	*testStack
	path    string
	process *os.Process
	ended   chan error // receives the exit error
}

func newProgram(t *testing.T) *program {
	t.Helper()
	p := &program{testStack: newTestStack(t), path: filepath.Join(t.TempDir(), "local")}
	p.runCommand(t, "go", "build", "-o", p.path, "..")
	return p
}

// run starts the program and returns when it is ready.
func (p *program) run(t *testing.T) {
	t.Helper()
	process := exec.Command(p.path, "run", "-repo", repository, "-addr", "127.0.0.1:0", "-data", p.data, "-rate-limit", "0", "-logs", "json")
	process.Stdout, process.Stderr = p.log, p.log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	p.process, p.ended = process.Process, make(chan error, 1)
	go func() { p.ended <- process.Wait() }()
	t.Cleanup(func() { _ = process.Process.Kill() })
	await(t, "the stack to be ready", func() bool { return p.ready(t) })
}

func (p *program) ready(t *testing.T) bool {
	t.Helper()
	select {
	case err := <-p.ended:
		t.Fatalf("the program exited: %v", err)
	default:
	}
	info, err := stack.ReadInfo(p.data)
	if err != nil || info.PID != p.process.Pid {
		return false
	}
	p.setInfo(info)
	return true
}

// stopWith sends the signal and returns the program's exit error.
func (p *program) stopWith(t *testing.T, signal os.Signal) error {
	t.Helper()
	if err := p.process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	return <-p.ended
}

// TestKillLeavesConsistentUsers kills the stack while it creates users, and then checks that each
// user exists completely or not at all: in the list, in the total, and in the uniqueness of
// addresses.
func TestKillLeavesConsistentUsers(t *testing.T) {
	p := newProgram(t)
	p.run(t)
	at, key := p.createUser(t, "ada@example.com", "user")
	created := p.killWhileCreatingUsers(t)

	p.run(t)
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK)
	listed := p.listedUsers(t)
	for email, acknowledged := range created {
		if acknowledged && !listed[email] {
			t.Errorf("%s was created but is missing", email)
		}
		want := http.StatusCreated
		if listed[email] {
			want = http.StatusConflict
		}
		p.admin(t).Post("/v1/users", newUser(email, "user")).WantStatus(want)
	}
	p.checkInvokeCommand(t)
	if err := p.stopWith(t, os.Interrupt); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
	p.checkNoSecretsLeaked(t)
}

// killWhileCreatingUsers returns the addresses of the requests and whether the response was 201.
func (p *program) killWhileCreatingUsers(t *testing.T) map[string]bool {
	t.Helper()
	const enough = 20
	var (
		mu           sync.Mutex
		tried        = map[string]bool{}
		acknowledged atomic.Int32
		root         = p.admin(t)
	)
	add := func(email string) bool {
		a, err := root.Send(http.MethodPost, "/v1/users", newUser(email, "user"))
		mu.Lock()
		defer mu.Unlock()
		tried[email] = err == nil && a.Status == http.StatusCreated
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
	await(t, "some users to be created", func() bool { return acknowledged.Load() >= enough })
	if err := p.stopWith(t, os.Kill); err == nil {
		t.Error("the program survived")
	}
	all.Wait()
	return tried
}

// listedUsers reads all pages and checks that the total matches.
func (p *program) listedUsers(t *testing.T) map[string]bool {
	t.Helper()
	users := map[string]bool{}
	for offset, more := 0, true; more; offset += 100 {
		page := p.admin(t).Get(fmt.Sprintf("/v1/users?limit=100&offset=%d", offset)).WantStatus(http.StatusOK)
		for _, entry := range page.List("data") {
			users[entry.(map[string]any)["email"].(string)] = true
		}
		if more = page.JSON("pagination.hasMore").(bool); !more {
			page.WantValue("pagination.total", len(users))
		}
	}
	return users
}

// checkInvokeCommand runs a sample event with the command of `make invoke`.
func (p *program) checkInvokeCommand(t *testing.T) {
	t.Helper()
	printed := p.runCommand(t, p.path, "invoke", "-repo", repository, "-data", p.data,
		"-function", "UsersFunction", "-event", filepath.Join(repository, "events", "users", "list.json"))
	if !strings.Contains(printed, `"statusCode": 200`) {
		t.Errorf("invoke printed %s", printed)
	}
}
