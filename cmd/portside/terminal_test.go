package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"portside/cmd/portside/operator"
)

// asCommand is the environment variable that makes the test program behave like portside.
const asCommand = "PORTSIDE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// terminalTimeout bounds a command that waits for a key press, which the test never sends.
const terminalTimeout = time.Minute

// terminal is a pseudo terminal on which portside runs.
type terminal struct {
	t       *testing.T
	user    *os.File // the keyboard and the screen
	line    *os.File // the side of the command
	before  *term.State
	command *exec.Cmd
	stdout  bytes.Buffer // of a command with a redirected stdout

	mu      sync.Mutex
	changed *sync.Cond
	screen  string
	isOver  bool // the screen changes no more
}

// newTerminal starts portside on a terminal, with a service that it is logged in to.
func newTerminal(t *testing.T, service http.HandlerFunc, args ...string) *terminal {
	t.Helper()
	user, line, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	c := &terminal{t: t, user: user, line: line}
	c.changed = sync.NewCond(&c.mu)
	if c.before, err = term.GetState(int(line.Fd())); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	c.command = exec.CommandContext(t.Context(), os.Args[0], args...)
	c.command.Env = []string{
		asCommand + "=1", "TERM=xterm", "HOME=" + t.TempDir(), "PORTSIDE_URL=" + server.URL, "PORTSIDE_KEY=psk_x_y",
	}
	c.command.Stdin, c.command.Stdout, c.command.Stderr = line, line, line
	c.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return c
}

func (c *terminal) start() *terminal {
	c.t.Helper()
	if err := c.command.Start(); err != nil {
		c.t.Fatal(err)
	}
	late := time.AfterFunc(terminalTimeout, c.giveUp)
	c.t.Cleanup(func() { late.Stop() })
	go c.show()
	return c
}

// giveUp kills the command, and ends a wait for a text that the command did not write.
func (c *terminal) giveUp() {
	_ = c.command.Process.Kill()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isOver = true
	c.changed.Broadcast()
}

// show reads the screen until the command and the test have closed the terminal.
func (c *terminal) show() {
	part := make([]byte, 1<<10)
	for {
		n, err := c.user.Read(part)
		c.mu.Lock()
		c.screen, c.isOver = c.screen+string(part[:n]), c.isOver || err != nil
		c.changed.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits until the screen has a text.
func (c *terminal) await(text string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !strings.Contains(c.screen, text) {
		if c.isOver {
			c.t.Fatalf("%q is missing on the screen:\n%q", text, c.screen)
		}
		c.changed.Wait()
	}
}

func (c *terminal) press(keys string) {
	c.t.Helper()
	if _, err := c.user.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the end of the command and returns its exit code and the screen. The terminal must be as before.
func (c *terminal) end() (code int, screen string) {
	c.t.Helper()
	err := c.command.Wait()
	if _, isExit := errors.AsType[*exec.ExitError](err); err != nil && !isExit {
		c.t.Fatal(err)
	}
	after, err := term.GetState(int(c.line.Fd()))
	if err != nil || !reflect.DeepEqual(after, c.before) {
		c.t.Errorf("the terminal has another state than before the command (%v)", err)
	}
	if err := c.line.Close(); err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.isOver {
		c.changed.Wait()
	}
	_ = c.user.Close() // nothing was written that could be lost
	return c.command.ProcessState.ExitCode(), c.screen
}

// manyUsers answers with a page of users, more than those after which the progress is shown.
func manyUsers(w http.ResponseWriter, _ *http.Request) {
	list := strings.Repeat(`{"id":"1","email":"ada@example.com","name":"Ada","role":"admin","status":"active"},`, 150)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"data":[`+strings.TrimSuffix(list, ",")+`],"pagination":{"total":150,"limit":200,"offset":0,"hasMore":false}}`)
}

func TestLoginHidesTheKey(t *testing.T) {
	t.Parallel()
	c := newTerminal(t, manyUsers, "login", "http://127.0.0.1:1")
	c.command.Args[2] = strings.TrimPrefix(c.command.Env[3], "PORTSIDE_URL=")
	c.start().await("API key: ")
	c.press("psk_3vQB7B6MrGQZ_secret\r")
	code, screen := c.end()
	if code != operator.ExitDone || strings.Contains(screen, "secret") || !strings.Contains(screen, "Logged in") {
		t.Errorf("exit code %d, screen %q", code, screen)
	}
}

// userID is the ID of a user of the tests.
const userID = "01939f6e-7d2a-7c3b-9a10-0a1b2c3d4e5f"

func TestCtrlCInPrompts(t *testing.T) {
	t.Parallel()
	for question, args := range map[string][]string{
		"API key: ": {"login", "http://127.0.0.1:1"},
		"[y/N] ":    {"users", "delete", userID},
	} {
		deleted := false
		c := newTerminal(t, func(w http.ResponseWriter, r *http.Request) {
			deleted = deleted || r.Method == http.MethodDelete
			if strings.HasSuffix(r.URL.Path, "/api-keys") {
				_, _ = io.WriteString(w, `{"data":[]}`)
				return
			}
			_, _ = io.WriteString(w, `{"data":{"id":"1","email":"ada@example.com"}}`)
		}, args...).start()
		c.await(question)
		c.press("\x03")
		if code, screen := c.end(); code != operator.ExitInterrupted || deleted || !strings.HasSuffix(screen, ": stopped\r\n") {
			t.Errorf("%q: exit code %d, deleted %t, screen %q", args, code, deleted, screen)
		}
	}
}

func TestCtrlCInAnUpload(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	storage := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1))
		<-ended // and the connection is full long before the end of the file
	}))
	t.Cleanup(storage.Close)
	path := filepath.Join(t.TempDir(), "large.pdf")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 190<<20)); err != nil {
		t.Fatal(err)
	}
	c := newTerminal(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"uploadId":"u1","url":"`+storage.URL+`","fields":{}}`)
	}, "extract", path, "--var", "total:number").start()
	c.await("uploading: 1 %")
	c.press("\x03")
	code, screen := c.end()
	close(ended)
	if code != operator.ExitInterrupted || !strings.HasSuffix(screen, "\r\x1b[Kportside extract: stopped\r\n") {
		t.Errorf("exit code %d, screen %q", code, screen[max(0, len(screen)-200):])
	}
}

func TestColorsAreForTerminals(t *testing.T) {
	t.Parallel()
	colored := newTerminal(t, manyUsers, "users", "list").start()
	if code, screen := colored.end(); code != operator.ExitDone || !strings.Contains(screen, "\x1b[1m") {
		t.Errorf("exit code %d, no colors in %.200q", code, screen)
	}
	plain := newTerminal(t, manyUsers, "users", "list")
	plain.command.Env = append(plain.command.Env, "NO_COLOR=1")
	code, screen := plain.start().end()
	if code != operator.ExitDone || strings.Contains(screen, "\x1b[1m") || !strings.Contains(screen, "ada@") {
		t.Errorf("with NO_COLOR: exit code %d, screen %.200q", code, screen)
	}
}

func TestProgressDisappears(t *testing.T) {
	t.Parallel()
	c := newTerminal(t, manyUsers, "users", "list")
	c.command.Stdout = &c.stdout
	code, screen := c.start().end()
	if code != operator.ExitDone || screen != "\r\x1b[K100 read\r\x1b[K" {
		t.Errorf("exit code %d, screen %q", code, screen)
	}
	if list := c.stdout.String(); strings.Contains(list, "\x1b") || strings.Count(list, "ada@example.com") != 150 {
		t.Errorf("the list is %.200q", list)
	}
}
