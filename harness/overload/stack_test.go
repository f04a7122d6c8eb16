package overload

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portside/local/stack"
	"portside/local/stack/folder"
	"portside/testclient"
)

// repository is the path of this repository.
var repository = filepath.Join("..", "..")

// service is a running stack with its first admin.
type service struct {
	t        *testing.T
	info     folder.Info
	data     string
	adminKey string
	log      *testclient.Log
}

// start starts a stack without rate limits, unless the options have one, so that a flood meets only the limits that
// always apply.
func start(t *testing.T, o stack.Options) *service {
	t.Helper()
	s := &service{t: t, data: filepath.Join(t.TempDir(), "data"), log: &testclient.Log{}}
	o.Addr, o.RepoDir, o.DataDir, o.Log = "127.0.0.1:0", repository, s.data, s.log
	if o.RateLimit == nil {
		o.RateLimit = new(int)
	}
	running, err := stack.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of the stack's log:\n%s", testclient.LastLines(s.log.String(), 40))
		}
	})
	s.info = running.Info()
	key, err := os.ReadFile(filepath.Join(s.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	s.adminKey = strings.TrimSpace(string(key))
	return s
}

// connect returns a client with a new connection from the given loopback address: 127.0.0.1 for 1. A request that takes
// longer than the timeout fails.
func (s *service) connect(address byte, timeout time.Duration) testclient.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1}
	s.t.Cleanup(transport.CloseIdleConnections)
	caller := &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return testclient.Client{TB: s.t, BaseURL: s.info.API, RoundTrip: caller.Do, Check: func(testing.TB, testclient.Response) {}}
}

// admin returns a client with the first admin's key and a new connection.
func (s *service) admin(timeout time.Duration) testclient.Client {
	return s.connect(1, timeout).With("X-API-Key", s.adminKey)
}

// user is an active user with an API key.
type user struct{ id, email, keyID, key string }

func (u user) path() string { return "/v1/users/" + u.id }

// user creates an active user.
func (s *service) user(email, role string) user {
	s.t.Helper()
	admin := s.admin(time.Minute)
	created := admin.Post("/v1/users",
		`{"email":"`+email+`","name":"`+email+`","role":"`+role+`","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated)
	u := user{id: created.Text("data.id"), email: email}
	made := admin.Post(u.path()+"/api-keys", `{"name":"first"}`).WantStatus(http.StatusCreated)
	u.keyID, u.key = made.Text("data.id"), made.Text("data.key")
	return u
}

// signInTokens returns the tokens of n sign-in links for a user.
func (s *service) signInTokens(email string, n int) []string {
	s.t.Helper()
	var tokens []string
	operator := filepath.Join(repository, ".local", "bin", "portside")
	for range n {
		out, err := exec.CommandContext(s.t.Context(), operator, "sign-in-link", "--local", s.data, "--email", email).
			CombinedOutput()
		if err != nil {
			s.t.Fatalf("%v\n%s", err, out)
		}
		for word := range strings.FieldsSeq(string(out)) {
			if _, token, found := strings.Cut(word, "/sign-in#"); found {
				tokens = append(tokens, token)
			}
		}
	}
	if len(tokens) != n {
		s.t.Fatalf("%d sign-in links, want %d", len(tokens), n)
	}
	return tokens
}

// session signs a user in by the token of a link, and returns the cookie of the session.
func session(c testclient.Client, token string) (cookie string, signedIn bool) {
	response, err := c.With("Sec-Fetch-Site", "same-origin").Send(http.MethodPost, "/v1/sessions", `{"token":"`+token+`"}`)
	if err != nil || response.Status != http.StatusCreated {
		return "", false
	}
	for _, set := range response.Header.Values("Set-Cookie") {
		if cookie, _, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "__Host-portside-session=") {
			return cookie, true
		}
	}
	return "", false
}
