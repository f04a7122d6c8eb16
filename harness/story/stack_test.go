package story

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/local/stack"
	"portside/local/stack/folder"
	"portside/testclient"
)

// repository is the path of this repository.
var repository = filepath.Join("..", "..")

type (
	client   = testclient.Client
	response = testclient.Response
)

// service is a running stack, with the secrets that its responses and mails had.
type service struct {
	t       *testing.T
	info    folder.Info
	data    string
	caller  *http.Transport
	secrets []string
}

// start starts a stack without rate limits.
func start(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, data: filepath.Join(t.TempDir(), "data"),
		caller: &http.Transport{ResponseHeaderTimeout: time.Minute}}
	log, err := os.Create(filepath.Join(t.TempDir(), "stack.log"))
	if err != nil {
		t.Fatal(err)
	}
	running, err := stack.Start(t.Context(), stack.Options{
		Addr: "127.0.0.1:0", RepoDir: repository, DataDir: s.data, Log: log, RateLimit: new(int),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.caller.CloseIdleConnections()
		if err := running.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("the end of the stack's log (%v):\n%s", err, text[max(0, len(text)-4000):])
		}
		_ = log.Close() // nothing is lost: it was read
	})
	s.info = running.Info()
	return s
}

// visitor returns a client without a credential.
func (s *service) visitor() client {
	send := func(r *http.Request) (*http.Response, error) {
		reply, err := s.caller.RoundTrip(r) // does not follow redirects
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		s.collect(string(text))
		reply.Body = io.NopCloser(bytes.NewReader(text))
		return reply, err
	}
	check := func(tb testing.TB, r response) {
		tb.Helper()
		if r.Status >= http.StatusInternalServerError {
			tb.Errorf("%s", r)
		}
	}
	return client{TB: s.t, BaseURL: s.info.API, RoundTrip: send, Check: check}.With("Accept", "application/json")
}

// credential matches the secret part of keys, tokens, sessions, passwords and links. The public part may be in the log.
var credential = regexp.MustCompile(`ps[bklpst]_([0-9A-Za-z]{12})_([0-9A-Za-z]{36})`)

// collect keeps the secrets in a text.
func (s *service) collect(text string) {
	for _, match := range credential.FindAllStringSubmatch(text, -1) {
		s.keep(match[2])
	}
}

func (s *service) keep(secret string) {
	if !slices.Contains(s.secrets, secret) {
		s.secrets = append(s.secrets, secret)
	}
}

// mailedToken waits for a mail with a link to a page, and returns the token of the link.
func (s *service) mailedToken(to, page string) (token string) {
	s.t.Helper()
	tick, limit := time.NewTicker(5*time.Millisecond), time.After(2*time.Minute)
	defer tick.Stop()
	for {
		for _, listed := range s.visitor().Get("/_local/outbox").WantStatus(http.StatusOK).List("") {
			mail, _ := listed.(map[string]any)
			id, _ := mail["id"].(string)
			if addresses, _ := mail["to"].([]any); !slices.Contains(addresses, any(to)) {
				continue
			}
			text := s.visitor().Get("/_local/outbox/" + id).WantStatus(http.StatusOK).Text("text")
			if _, after, found := strings.Cut(text, s.info.Portal+"/portal/"+page+"#"); found {
				return strings.Fields(after)[0]
			}
		}
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatalf("no mail to %s has a link to %s", to, page)
		}
	}
}

// adminKey returns the key of the first admin.
func (s *service) adminKey() string {
	s.t.Helper()
	key, err := os.ReadFile(filepath.Join(s.data, "admin-key"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.collect(string(key))
	return strings.TrimSpace(string(key))
}
