package stack_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/stack"
	"portside/testclient"
)

// repo returns a copy of testdata/repo with the real engines.
func repo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "repo"))); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, ".local", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"dynoxide", "s3server", "registryserver"} {
		binary, err := filepath.Abs(filepath.Join("..", "..", ".local", "bin", engine))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(binary); err != nil {
			t.Fatalf("run `make engines` first: %v", err)
		}
		if err := os.Symlink(binary, filepath.Join(bin, engine)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options(repo string) stack.Options {
	return stack.Options{Addr: "127.0.0.1:0", RepoDir: repo, Log: &testclient.Log{}}
}

func start(t *testing.T, o stack.Options) *stack.Stack {
	t.Helper()
	s, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, o.Log)
	}
	t.Cleanup(func() {
		stop(t, s)
		if t.Failed() {
			t.Logf("log of the stack:\n%s", o.Log)
		}
	})
	return s
}

func stop(t *testing.T, s *stack.Stack) {
	t.Helper()
	if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
	if left := children(t, os.Getpid()); len(left) > 0 {
		t.Errorf("child processes still run: %v", left)
	}
}

// step is one request and its expected response.
type step struct {
	method, path, body string
	status             int
	want               string // part of the body
}

func perform(t *testing.T, api string, steps ...step) {
	t.Helper()
	for _, s := range steps {
		request, err := http.NewRequestWithContext(t.Context(), s.method, api+s.path, strings.NewReader(s.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "text/plain") // other types reach the function in base64
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != s.status || !strings.Contains(string(body), s.want) {
			t.Errorf("%s %s: %s %q (%v), want %d %q", s.method, s.path, response.Status, body, err, s.status, s.want)
		}
	}
}

func TestRequestsAndDataAfterRestart(t *testing.T) {
	o := options(repo(t))
	limit := 7
	o.RateLimit = &limit
	s := start(t, o)
	perform(t, s.Info().API,
		step{"GET", "/hello", "", 200, "hello from " + s.Info().Portal + " limit 7"},
		step{"PUT", "/notes/1", "remember", 204, ""},
		step{"GET", "/notes/1", "", 200, "remember"},
		step{"POST", "/crash", "", 500, "Internal Server Error"},
		step{"GET", "/notes/1", "", 200, "remember"},
		step{"GET", "/unknown", "", 404, "Not Found"},
		step{"GET", "/_local/", "", 200, s.Info().DynamoDB},
		step{"GET", "/_local/", "", 200, `<a href="` + s.Info().Portal + `/portal">`},
		step{"GET", "/_local/outbox", "", 200, "<html"},
	)
	stop(t, s)
	again := start(t, o)
	perform(t, again.Info().API, step{"GET", "/notes/1", "", 200, "remember"})
	if logged := o.Log.(*testclient.Log).String(); strings.Count(logged, "building NotesFunction") != 1 {
		t.Errorf("not built exactly once:\n%s", logged)
	}
}

func TestNextRequestUsesSavedCode(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	words := filepath.Join(o.RepoDir, "shared", "words", "words.go")
	save := func(path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	api := s.Info().API
	perform(t, api, step{"GET", "/hello", "", 200, "hello from"})
	save(words, "package words\n\nconst Greeting = \"bonjour\"\n")
	perform(t, api, step{"GET", "/hello", "", 200, "bonjour from"})
	save(words, "package words\n\nconst Greeting = undefined\n")
	perform(t, api, step{"GET", "/hello", "", 502, "undefined: undefined"})
	save(words, "package words\n\nconst Greeting = \"hej\"\n")
	perform(t, api, step{"GET", "/hello", "", 200, "hej from"})
	if logged := o.Log.(*testclient.Log).String(); strings.Count(logged, "undefined: undefined") != 1 {
		t.Errorf("the compile error was not logged exactly once:\n%s", logged)
	}
}

func TestSavedTemplateIsApplied(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	path := filepath.Join(o.RepoDir, "template.yaml")
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changes := []struct{ from, to, want string }{
		{"Default: 100", "Default: 55", "the changes are applied"},
		{"/hello", "/hello }}", "keeps using the template from before"},
		{"FilesBucket", "OtherBucket", "restart `make run`"},
	}
	for _, change := range changes {
		changed := bytes.Replace(source, []byte(change.from), []byte(change.to), 1)
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		await(t, change.want, func() bool { return strings.Contains(o.Log.(*testclient.Log).String(), change.want) })
		perform(t, s.Info().API, step{"GET", "/hello", "", 200, "limit 55"})
	}
}

//proves:docs/security.md
func TestStartErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	running := options(repo(t))
	start(t, running)
	tests := []struct {
		name   string
		change func(*stack.Options)
		want   string
	}{
		{"data in use", func(o *stack.Options) { o.DataDir = running.Data() }, "is in use by another local stack"},
		{"port in use", func(o *stack.Options) { o.Addr = busy.Addr().String() }, busy.Addr().String() + " is in use"},
		{"no address", func(o *stack.Options) { o.Addr = "3000" }, "ADDR=3000 is not an address"},
		{"open to all", func(o *stack.Options) { o.Addr = "0.0.0.0:3000" }, "use 127.0.0.1"},
		{"no template", remove("template.yaml"), "template.yaml"},
		{"broken template", write("template.yaml", "Resources: ["), "template.yaml"},
		{"no S3 engine", remove(".local/bin/s3server"), "run `make engines`"},
		{"no admin", write("cmd/portside/main.go", "package main\n\nfunc main() { panic(`refused`) }\n"), "cannot create the first admin: "},
		{"no make", func(*stack.Options) { t.Setenv("PATH", "/nowhere") }, "make is missing: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(repo(t))
			test.change(&o)
			s, err := stack.Start(t.Context(), o)
			if err == nil {
				stop(t, s)
				t.Error("started")
				return
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
		})
	}
}

func remove(path string) func(*stack.Options) {
	return func(o *stack.Options) { _ = os.Remove(filepath.Join(o.RepoDir, path)) }
}

func write(path, content string) func(*stack.Options) {
	return func(o *stack.Options) { _ = os.WriteFile(filepath.Join(o.RepoDir, path), []byte(content), 0o644) }
}

func TestFirstAdminIsEnsuredAtEveryStart(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	want := "key of " + s.Info().Tables["NotesTable"] + "\n"
	if key, err := os.ReadFile(o.KeyFile()); err != nil || string(key) != want {
		t.Errorf("key %q (%v), want %q", key, err, want)
	}
	stop(t, s)
	if err := os.Remove(o.KeyFile()); err != nil {
		t.Fatal(err)
	}
	start(t, o)
	if _, err := os.ReadFile(o.KeyFile()); err != nil {
		t.Errorf("after the second start: %v", err)
	}
}

//proves:docs/security.md
func TestSecretsAreNotExposed(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	info, err := os.Stat(filepath.Join(o.Data(), "stack.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("stack.json: %v, %v", info.Mode(), err)
	}
	perform(t, s.Info().API, step{"POST", "/_local/invoke/NotesFunction", "{}", 403, "control token"})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Info().API+"/_local/outbox", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "rebound.example"
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign host name gets %s", response.Status)
	}
}

func TestBannerQuotesPaths(t *testing.T) {
	o := options(repo(t))
	o.DataDir = filepath.Join(o.RepoDir, "my data")
	s := start(t, o)
	want := `curl -s -H "X-API-Key: $(cat 'my data/admin-key')" ` + s.Info().API + "/v1/users"
	portal := "Portal     http://localhost:" + s.Info().API[strings.LastIndexByte(s.Info().API, ':')+1:] + "/portal/sign-in#token\n"
	if got := s.Banner(); !strings.Contains(got, want) || !strings.Contains(got, portal) {
		t.Errorf("%s\nlacks %s or %s", got, want, portal)
	}
}

// TestStackIsReachedOnlyFromItsMachine connects to everything that listens, at the addresses that other machines could
// use.
//
//proves:docs/security.md
func TestStackIsReachedOnlyFromItsMachine(t *testing.T) {
	s := start(t, options(repo(t)))
	i := s.Info()
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{i.API, i.DynamoDB, i.S3, i.SES, i.SecretsManager, i.Registry, i.ECR} {
		parsed, err := url.Parse(address)
		if err != nil || parsed.Hostname() != "localhost" && !net.ParseIP(parsed.Hostname()).IsLoopback() {
			t.Errorf("%q is not a loopback address, %v", address, err)
			continue
		}
		for _, at := range interfaces {
			network, isNetwork := at.(*net.IPNet)
			if !isNetwork || network.IP.IsLoopback() || network.IP.IsLinkLocalUnicast() {
				continue
			}
			dialer := net.Dialer{}
			connection, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(network.IP.String(), parsed.Port()))
			if err == nil {
				_ = connection.Close()
				t.Errorf("%q is reached at %s", address, network.IP)
			}
		}
	}
}
