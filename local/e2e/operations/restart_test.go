package operations

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

	"portside/local/e2e/e2etest"
	"portside/local/stack"
	"portside/local/stack/folder"
)

func TestRestartKeepsData(t *testing.T) {
	t.Parallel()
	p := e2etest.New(t)
	stop := p.Run(t, stack.Options{})
	at, key := p.Users.Create(t, "ada", "user")
	p.Admin(t).Post("/v1/users", `{"email":"`+p.Email("grace")+`","name":"Grace","role":"user"}`).
		WantStatus(http.StatusCreated)
	stop()
	p.Run(t, stack.Options{})
	p.As(t, key).Get(at).WantStatus(http.StatusOK).WantValue("data.email", p.Email("ada"))
	p.Admin(t).Get("/v1/users").WantValue("pagination.total", 3)
	if _, count := p.Mail.Newest(t, "grace"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
}

func TestRestartWithoutFirstAdmin(t *testing.T) {
	t.Parallel()
	p := e2etest.New(t)
	stop := p.Run(t, stack.Options{})
	at, key := p.Users.Create(t, "second", "admin")
	p.As(t, key).Delete(p.Users.Path(t, e2etest.FirstAdmin)).WantStatus(http.StatusNoContent)
	p.Admin(t).Get(at).WantStatus(http.StatusUnauthorized)
	stop()
	p.Run(t, stack.Options{}) // it neither fails nor creates the deleted admin again
	p.As(t, key).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
}

// program is the program that `make run` runs.
type program struct {
	*e2etest.Stack
	path    string
	process *os.Process
	ended   chan error // receives the exit error
}

func newProgram(t *testing.T) *program {
	t.Helper()
	t.Parallel()
	p := &program{Stack: e2etest.New(t), path: filepath.Join(t.TempDir(), "local")}
	p.Operator.Execute(t, "go", "build", "-o", p.path, filepath.Join("..", ".."))
	return p
}

// launch starts the program and returns when it is ready.
func (p *program) launch(t *testing.T) {
	t.Helper()
	process := exec.Command(p.path, "run", "-repo", e2etest.Repository, "-addr", "127.0.0.1:0", "-data", p.Data,
		"-rate-limit", "0", "-logs", "json")
	process.Stdout, process.Stderr = p.Log, p.Log
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	p.process, p.ended = process.Process, make(chan error, 1)
	go func() { p.ended <- process.Wait() }()
	t.Cleanup(func() { _ = process.Process.Kill() })
	e2etest.Await(t, "the stack to be ready", func() bool { return p.ready(t) })
}

func (p *program) ready(t *testing.T) bool {
	t.Helper()
	select {
	case err := <-p.ended:
		t.Fatalf("the program exited: %v", err)
	default:
	}
	info, err := folder.ReadInfo(p.Data)
	if err != nil || info.PID != p.process.Pid {
		return false
	}
	p.SetInfo(info)
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
	p.launch(t)
	at, key := p.Users.Create(t, "ada", "user")
	created := p.killWhileCreatingUsers(t)

	p.launch(t)
	p.As(t, key).Get(at).WantStatus(http.StatusOK)
	listed := p.listedUsers(t)
	for email, acknowledged := range created {
		if acknowledged && !listed[email] {
			t.Errorf("%s was created but is missing", email)
		}
		want := http.StatusCreated
		if listed[email] {
			want = http.StatusConflict
		}
		p.Admin(t).Post("/v1/users", p.Users.Body(email, "user")).WantStatus(want)
	}
	p.checkInvokeCommand(t)
	if err := p.stopWith(t, os.Interrupt); err != nil {
		t.Errorf("after an interrupt: %v", err)
	}
	p.CheckLeaks(t)
}

// killWhileCreatingUsers returns the addresses of the requests and whether the response was 201.
func (p *program) killWhileCreatingUsers(t *testing.T) map[string]bool {
	t.Helper()
	const enough = 20
	var (
		mu           sync.Mutex
		tried        = map[string]bool{}
		acknowledged atomic.Int32
		root         = p.Admin(t)
	)
	createUser := func(email string) bool {
		a, err := root.Send(http.MethodPost, "/v1/users", p.Users.Body(email, "user"))
		mu.Lock()
		defer mu.Unlock()
		tried[email] = err == nil && a.Status == http.StatusCreated
		return tried[email]
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := 0; createUser(p.Email(fmt.Sprintf("user%d-%d", worker, i))); i++ {
				acknowledged.Add(1)
			}
		})
	}
	e2etest.Await(t, "some users to be created", func() bool { return acknowledged.Load() >= enough })
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
		page := p.Admin(t).Get(fmt.Sprintf("/v1/users?limit=100&offset=%d", offset)).WantStatus(http.StatusOK)
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
	printed := p.Operator.Execute(t, p.path, "invoke", "-repo", e2etest.Repository, "-data", p.Data,
		"-function", "UsersFunction", "-event", filepath.Join(e2etest.Repository, "events", "users", "list.json"))
	if !strings.Contains(printed, `"statusCode": 200`) {
		t.Errorf("invoke printed %s", printed)
	}
}
