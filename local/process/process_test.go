package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"portside/local/process"
)

// The test binary is also the child that the tests start. Its environment selects its role.
const (
	roleVar     = "PROCESS_TEST_ROLE"
	socketVar   = "PROCESS_TEST_SOCKET"
	waitTimeout = time.Minute
)

func TestMain(m *testing.M) {
	roles := map[string]func(){"": nil, "echo": echo, "stubborn": stubborn, "parent": parent, "grandparent": grandparent}
	if role := roles[os.Getenv(roleVar)]; role != nil {
		role()
		return
	}
	os.Exit(m.Run())
}

// echo echoes lines on the test's socket until the connection or the process ends.
func echo() {
	conn, err := new(net.Dialer).DialContext(context.Background(), "unix", os.Getenv(socketVar))
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintln(conn, "here")
	in := bufio.NewScanner(conn)
	for in.Scan() {
		_, _ = fmt.Fprintln(conn, in.Text())
	}
}

func stubborn() {
	signal.Ignore(syscall.SIGTERM)
	echo()
}

// parent starts an echo child and waits.
func parent() {
	_, err := process.Start(echoOptions(os.Getenv(socketVar), "echo"))
	if err != nil {
		panic(err)
	}
	select {}
}

// grandparent starts a child in its process group and exits.
func grandparent() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{roleVar + "=echo", socketVar + "=" + os.Getenv(socketVar)}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	// The test closes this connection when the grandchild has answered.
	conn, err := new(net.Dialer).DialContext(context.Background(), "unix", os.Getenv(socketVar)+".go")
	if err != nil {
		panic(err)
	}
	_, _ = conn.Read(make([]byte, 1))
}

func echoOptions(socket, role string) process.Options {
	return process.Options{
		Name: "echo", Path: os.Args[0],
		Env: []string{roleVar + "=" + role, socketVar + "=" + socket},
	}
}

// peer is the test's end of a connection that an echo child opened. It is closed when the child
// dies.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func listen(t *testing.T) (string, func() peer) {
	t.Helper()
	dir, err := os.MkdirTemp("", "p") //nolint:usetesting // short: a socket's path may have 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	return socket, accept(t, socket)
}

// deadline is when a connection has had enough time.
func deadline() time.Time { return time.Now().Add(waitTimeout) } //nolint:forbidigo // the clock of the operating system

func accept(t *testing.T, socket string) func() peer {
	t.Helper()
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return func() peer {
		t.Helper()
		_ = listener.(*net.UnixListener).SetDeadline(deadline())
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(deadline())
		return peer{t: t, conn: conn, in: bufio.NewReader(conn)}
	}
}

func (p peer) expect(want string) {
	p.t.Helper()
	got, err := p.in.ReadString('\n')
	if err != nil || got != want+"\n" {
		p.t.Fatalf("child sent %q, %v; want %q", got, err, want)
	}
}

func (p peer) expectGone() {
	p.t.Helper()
	if got, err := p.in.ReadString('\n'); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Fatalf("child still runs: %q, %v", got, err)
	}
}

func (p peer) ping() {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.conn, "ping"); err != nil {
		p.t.Fatalf("child has exited: %v", err)
	}
	p.expect("ping")
}

func start(t *testing.T, o process.Options) *process.Process {
	t.Helper()
	p, err := process.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func await(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(waitTimeout):
		t.Fatal("process does not exit")
	}
}

func shell(script string) process.Options {
	return process.Options{Name: "script", Path: "/bin/sh", Args: []string{"-c", script}}
}

// writeLog is an Output that records every Write.
type writeLog struct {
	mu     sync.Mutex
	writes []string
}

func (l *writeLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, string(b))
	return len(b), nil
}

func TestStopSendsSIGTERMFirst(t *testing.T) {
	o, out := shell(`trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.05; done`), &writeLog{}
	o.Output = firstLineNotifier{out, make(chan struct{})}
	p := start(t, o)
	await(t, o.Output.(firstLineNotifier).first)
	p.Stop(waitTimeout)
	var exit *exec.ExitError
	if !errors.As(p.Err(), &exit) || exit.ExitCode() != 3 {
		t.Errorf("exited with %v, want status 3", p.Err())
	}
	if got := strings.Join(out.writes, ""); !strings.HasSuffix(got, "\nbye\n") { // some shells also report killed children
		t.Errorf("output %q does not end with bye", got)
	}
}

// firstLineNotifier closes first after the first Write.
type firstLineNotifier struct {
	*writeLog
	first chan struct{}
}

func (n firstLineNotifier) Write(b []byte) (int, error) {
	defer func() {
		if len(n.writes) == 1 {
			close(n.first)
		}
	}()
	return n.writeLog.Write(b)
}

func TestStopKillsProcessThatIgnoresSIGTERM(t *testing.T) {
	socket, next := listen(t)
	p := start(t, echoOptions(socket, "stubborn"))
	child := next()
	child.expect("here")
	p.Stop(0)
	child.expectGone()
	if p.Err() == nil || !strings.Contains(p.Err().Error(), "echo: signal: killed") {
		t.Errorf("Err() = %v", p.Err())
	}
	p.Stop(waitTimeout)
	p.Kill() // repeated calls are harmless
}

func TestExitStatusAndTail(t *testing.T) {
	ok := start(t, shell("exit 0"))
	await(t, ok.Done())
	if ok.Err() != nil {
		t.Errorf("status 0: %v", ok.Err())
	}
	failed := start(t, shell("echo no such table >&2; exit 1"))
	await(t, failed.Done())
	if failed.Err() == nil || failed.Err().Error() != "script: exit status 1" {
		t.Errorf("Err() = %v", failed.Err())
	}
	if failed.Tail() != "no such table\n" {
		t.Errorf("Tail() = %q", failed.Tail())
	}
}

func TestErrIsNilWhileRunning(t *testing.T) {
	socket, next := listen(t)
	p := start(t, echoOptions(socket, "echo"))
	next().expect("here")
	if p.Err() != nil {
		t.Errorf("Err() = %v", p.Err())
	}
}

func TestStartReportsMissingExecutable(t *testing.T) {
	_, err := process.Start(process.Options{Name: "engine", Path: filepath.Join(t.TempDir(), "none")})
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "start engine: ") {
		t.Errorf("Start: %v", err)
	}
}

func TestEnvironmentIsNotInherited(t *testing.T) {
	t.Setenv("PORTSIDE_SECRET", "x")
	p := start(t, process.Options{Name: "env", Path: "/usr/bin/env"})
	await(t, p.Done())
	if p.Err() != nil || p.Tail() != "" {
		t.Errorf("the child's environment is %q (%v)", p.Tail(), p.Err())
	}
}

func TestOutputIsWrittenLineByLine(t *testing.T) {
	out := &writeLog{}
	o := shell(`echo one; echo two >&2; printf 'a\000b\r\n\n'; printf %70000s x; echo; printf end`)
	o.Output, o.Prefix = out, "sh | "
	p := start(t, o)
	await(t, p.Done())
	long := strings.Repeat(" ", 69999) + "x"
	want := []string{"one", "two", "a\x00b\r", "", long[:64<<10], long[64<<10:], "end"}
	if len(out.writes) != len(want) {
		t.Fatalf("%d writes, want %d", len(out.writes), len(want))
	}
	for i, line := range want {
		if out.writes[i] != "sh | "+line+"\n" {
			t.Errorf("write %d is %.40q…", i, out.writes[i])
		}
	}
	if tail := p.Tail(); len(tail) != 4<<10 || !strings.HasSuffix(tail, "x\nend") {
		t.Errorf("the tail has %d bytes and ends in %q", len(tail), tail[len(tail)-5:])
	}
}

// A full disk or a closed terminal must not stop an engine.
func TestFailingOutputDoesNotStopChild(t *testing.T) {
	o := shell(`i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done`)
	o.Output = failingWriter{}
	p := start(t, o)
	await(t, p.Done())
	if p.Err() != nil || !strings.HasSuffix(p.Tail(), "0123456789\n") {
		t.Errorf("ended with %v", p.Err())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestDescendantsAreKilledWhenChildExits(t *testing.T) {
	socket, next := listen(t)
	nextGo := accept(t, socket+".go")
	p := start(t, echoOptions(socket, "grandparent"))
	grandchild := next()
	grandchild.expect("here")
	_ = nextGo().conn.Close()
	await(t, p.Done())
	grandchild.expectGone()
}

func TestKillAllKillsDescendants(t *testing.T) {
	socket, next := listen(t)
	accept(t, socket+".go")
	p := start(t, echoOptions(socket, "grandparent"))
	grandchild := next()
	grandchild.expect("here")
	process.KillAll()
	grandchild.expectGone()
	await(t, p.Done())
}

func TestConcurrentStopAndKill(t *testing.T) {
	socket, next := listen(t)
	p := start(t, echoOptions(socket, "echo"))
	next().expect("here")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { p.Stop(waitTimeout) })
		all.Go(p.Kill)
	}
	all.Wait()
	await(t, p.Done())
}
