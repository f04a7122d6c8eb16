package stack_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portside/local/stack"
	"portside/testclient"
)

// startError starts a stack, which must fail with an error of one line, and returns the error.
func startError(t *testing.T, o stack.Options) string {
	t.Helper()
	s, err := stack.Start(t.Context(), o)
	if err == nil {
		stop(t, s)
		t.Fatal("started")
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("not one line: %v", err)
	}
	return err.Error()
}

func TestUnusableDataFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"/proc/portside", file, "/proc/self"} {
		o := options(repo(t))
		o.DataDir = folder
		got := startError(t, o)
		if !strings.HasPrefix(got, "DATA="+folder+" cannot be the data folder: ") || !strings.HasSuffix(got, "choose a writable folder") {
			t.Error(got)
		}
	}
}

func TestCorruptDatabase(t *testing.T) {
	sqlite := []byte("SQLite format 3\x00")
	noise := make([]byte, 8192)
	_, _ = rand.Read(noise)
	for name, content := range map[string][]byte{
		"random bytes":       noise,
		"SQLite header only": append(sqlite, noise...),
		"short text":         []byte(strings.Repeat("hello ", 20)),
	} {
		o := options(repo(t))
		if err := os.MkdirAll(o.Data(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.Data(), "dynamodb.db"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		want := ".local/data/dynamodb.db is corrupt or not a database: delete .local/data to start with empty data"
		if got := startError(t, o); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestInvalidPorts(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:80x", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1"} {
		o := options(repo(t))
		o.Addr = addr
		if got := startError(t, o); !strings.HasPrefix(got, "ADDR="+addr+" has no valid port: ") {
			t.Error(got)
		}
	}
}

// The suggested command changes only the settings that conflict.
func TestHintForSecondStack(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	api := s.Info().API
	taken := strings.TrimPrefix(api, "http://")
	address, err := net.ResolveTCPAddr("tcp", taken)
	if err != nil {
		t.Fatal(err)
	}
	next := fmt.Sprintf("127.0.0.1:%d", address.Port+1)
	owner := fmt.Sprintf(".local/data is in use by another local stack (%s, process %d): ", api, os.Getpid())
	tests := []struct{ addr, data, want, command string }{
		{taken, "", owner, "`make run ADDR=" + next + " DATA=.local/data2`"},
		{"127.0.0.1:4000", "", owner, "`make run ADDR=127.0.0.1:4000 DATA=.local/data2`"},
		{taken, "my data", taken + " is in use: ", "`make run ADDR=" + next + " DATA='my data'`"},
	}
	for _, test := range tests {
		t.Run(test.command, func(t *testing.T) {
			other := options(o.RepoDir)
			other.Addr = test.addr
			if test.data != "" {
				other.DataDir = filepath.Join(o.RepoDir, test.data)
			}
			if got := startError(t, other); !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, test.command) {
				t.Errorf("%s\nwants %s … %s", got, test.want, test.command)
			}
		})
	}
}

func TestPortInUseHintKeepsDataFolder(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	o := options(repo(t))
	o.Addr = busy.Addr().String()
	if got := startError(t, o); strings.Contains(got, "DATA=") {
		t.Error(got)
	}
}

// A mistake in the address or the parameters leaves no folder behind, and does not touch one that was there.
func TestFailedStartLeavesNoDataFolder(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	for name, set := range map[string]func(o *stack.Options){
		"port in use":       func(o *stack.Options) { o.Addr = busy.Addr().String() },
		"invalid port":      func(o *stack.Options) { o.Addr = "127.0.0.1:80x" },
		"unknown parameter": func(o *stack.Options) { o.Parameters = map[string]string{"RateLimit": "7"} },
	} {
		o := options(repo(t))
		set(&o)
		startError(t, o)
		if _, err := os.Stat(o.Data()); !os.IsNotExist(err) {
			t.Errorf("%s: the data folder is there: %v", name, err)
		}
		if err := os.Mkdir(o.Data(), 0o700); err != nil {
			t.Fatal(err)
		}
		startError(t, o)
		if _, err := os.Stat(o.Data()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLostDataFolderStopsProgram(t *testing.T) {
	for name, lose := range map[string]func(data string) error{
		"deleted": os.RemoveAll,
		"moved":   func(data string) error { return os.Rename(data, data+"-away") },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommand(t)
			info := c.run()
			perform(t, info.API, step{"PUT", "/notes/1", "first", 204, ""})
			all := children(t, c.process.Process.Pid)
			if err := lose(filepath.Join(c.repo, ".local", "data")); err != nil {
				t.Fatal(err)
			}
			if name == "moved" { // only the next request detects that
				perform(t, info.API, step{"GET", "/notes/1", "", 500, ""})
			}
			_ = c.process.Wait()
			output := c.output.String()
			_, rest, once := strings.Cut(output, "\n.local/data was deleted or moved: ")
			if code := c.process.ProcessState.ExitCode(); code != 1 || !once || strings.Count(rest, "\n") != 1 {
				t.Errorf("exit code %d, or the error is not one line:\n%s", code, output)
			}
			for _, pid := range all {
				await(t, "a child exits", func() bool { return hasExited(pid) })
			}
		})
	}
}

func TestBuildErrorIsRed(t *testing.T) {
	o := options(repo(t))
	o.Color = true
	s := start(t, o)
	words := filepath.Join(o.RepoDir, "shared", "words", "words.go")
	if err := os.WriteFile(words, []byte("package words\n\nconst Greeting = undefined\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	perform(t, s.Info().API, step{"GET", "/hello", "", 502, "undefined: undefined"})
	if logged := o.Log.(*testclient.Log).String(); !strings.Contains(logged, "\x1b[31mNotesFunction does not build:\x1b[0m\n") {
		t.Errorf("%q", logged)
	}
}

func TestBannerShowsStartTime(t *testing.T) {
	s := start(t, options(repo(t)))
	if banner := []byte(s.Banner()); !regexp.MustCompile(`(?m)^Portside is ready in ([1-9]\d* ms|\d+\.\d s)$`).Match(banner) {
		t.Errorf("%s", bytes.TrimSpace(banner))
	}
}

func TestTemplateParameters(t *testing.T) {
	o := options(repo(t))
	o.Parameters = map[string]string{"RateLimit": "7"}
	if got := startError(t, o); !strings.HasSuffix(got, `the template has no parameter "RateLimit"; did you mean RateLimitPerMinute?`) {
		t.Error(got)
	}
	o.Parameters = map[string]string{"RateLimitPerMinute": "7"}
	s := start(t, o)
	perform(t, s.Info().API, step{"GET", "/hello", "", 200, "hello from " + s.Info().Portal + " limit 7"})
}
