package crashes

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portside/local/stack"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
	"portside/testclient"
)

// repository is the path of this repository.
var repository = filepath.Join("..", "..")

type (
	client   = testclient.Client
	response = testclient.Response
)

// service is a running stack with its first admin.
type service struct {
	t        *testing.T
	info     folder.Info
	running  *stack.Stack
	data     string
	adminKey string
	killer   *killer
	log      *testclient.Log
	caller   *http.Client
	serial   int    // makes names unique
	pulled   string // name of the chart that all trials pull
	promised []mails
	arrived  map[string]string // the recipients of mails by file

	repeatedMails int // trials with more mails than promised
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		t: t, data: filepath.Join(t.TempDir(), "data"), killer: &killer{}, log: &testclient.Log{},
		arrived: map[string]string{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the stack's log:\n%s", testclient.LastLines(s.log.String(), 12))
		}
	})
	s.start()
	t.Cleanup(s.stop)
	return s
}

// start starts the stack. The rate limit is high, so that requests count for it and none is refused.
func (s *service) start() {
	s.t.Helper()
	limit := 1_000_000
	running, err := stack.Start(s.t.Context(), stack.Options{
		Addr: "127.0.0.1:0", RepoDir: repository, DataDir: s.data, Log: s.log, RateLimit: &limit,
		RetryDelays: []time.Duration{time.Millisecond}, Crash: s.killer.decide,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(s.data, "admin-key"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.running, s.info, s.adminKey = running, running.Info(), strings.TrimSpace(string(key))
	s.caller = &http.Client{
		Transport:     &http.Transport{ResponseHeaderTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (s *service) stop() {
	s.caller.CloseIdleConnections()
	if err := s.running.Stop(context.WithoutCancel(s.t.Context())); err != nil {
		s.t.Error(err)
	}
}

// visitor returns a client without credentials.
func (s *service) visitor() client {
	return client{
		TB: s.t, BaseURL: s.info.API, RoundTrip: func(r *http.Request) (*http.Response, error) { return s.caller.Do(r) },
		Check: func(testing.TB, response) {},
	}.With("Accept", "application/json")
}

// as returns a client with an API key.
func (s *service) as(key string) client { return s.visitor().With("X-API-Key", key) }

// admin returns a client with the first admin's key.
func (s *service) admin() client { return s.as(s.adminKey) }

// email returns an address that was not used before.
func (s *service) email() string {
	s.serial++
	return "person" + strconv.Itoa(s.serial) + "@example.com"
}

// user is an active user with an API key.
type user struct{ email, at, key string }

// invite creates a user who was mailed a link, and returns the link's token.
func (s *service) invite(role string) (u user, token string) {
	s.t.Helper()
	u.email = s.email()
	made := s.admin().Post("/v1/users", `{"email":"`+u.email+`","name":"Ada","role":"`+role+`"}`).
		WantStatus(http.StatusCreated)
	u.at = made.Header.Get("Location")
	return u, s.mailedToken(u.email)
}

// user creates a user who activates the account by mail, so that no other user was involved in making the API key.
func (s *service) user(role string) user {
	s.t.Helper()
	u, token := s.invite(role)
	u.key = s.visitor().Post("/v1/users/activate", `{"token":"`+token+`"}`).WantStatus(http.StatusOK).Text("data.apiKey")
	return u
}

// mails returns the paths of the mails to an address, the newest first.
func (s *service) mails(to string) (paths []string) {
	s.t.Helper()
	for _, listed := range s.visitor().Get("/_local/outbox").WantStatus(http.StatusOK).List("") {
		entry, _ := listed.(map[string]any)
		if addresses, _ := entry["to"].([]any); slices.Contains(addresses, any(to)) {
			id, _ := entry["id"].(string)
			paths = append(paths, "/_local/outbox/"+id)
		}
	}
	return paths
}

// mailedToken returns the token of the link in the newest mail with a link.
func (s *service) mailedToken(to string) string {
	s.t.Helper()
	for _, path := range s.mails(to) {
		mail := s.visitor().Get(path).WantStatus(http.StatusOK)
		for word := range strings.FieldsSeq(mail.Text("text")) {
			if page, token, found := strings.Cut(word, "#"); found && strings.HasPrefix(page, s.info.Portal) {
				return token
			}
		}
	}
	s.t.Fatalf("no link in a mail to %s", to)
	return ""
}

// patience bounds each wait. A mail whose sending a crash interrupted is due again after two minutes (mail.RetryDelay),
// and the schedule that sends it runs every minute.
const patience = 10 * time.Minute

// await polls until the condition is true.
func (s *service) await(what string, condition func() bool) {
	s.t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// settled returns a function that waits until an event has its effect, and until its functions have made no calls for
// some time.
func (s *service) settled(what string, hasEffect func() bool) func() {
	const quietPolls = 30
	return func() {
		s.t.Helper()
		s.await(what, hasEffect)
		calls, unchanged := s.killer.recorded(), 0
		s.await("the end of the calls after "+what, func() bool {
			now, isBusy := s.killer.recorded(), slices.ContainsFunc(s.killer.watched(), s.running.IsBusy)
			if now != calls || isBusy {
				calls, unchanged = now, 0
			}
			unchanged++
			return unchanged > quietPolls
		})
	}
}

// wantDone checks the result of an event or a rotation.
func (s *service) wantDone(r response) {
	s.t.Helper()
	if r.Status != http.StatusOK {
		s.t.Errorf("%s", r)
	}
}

// invocation stands for the method of a request, in the response of a function that is invoked directly.
const invocation = "INVOKE"

// invoke returns a function that invokes a function with its schedule's event. It waits while the schedule occupies the
// function.
func (s *service) invoke(function, event string) func() response {
	payload, err := os.ReadFile(filepath.Join(repository, "events", event))
	if err != nil {
		s.t.Fatal(err)
	}
	return func() response {
		var result functions.Invocation
		s.await(function, func() bool {
			result = s.running.InvokeAndExplain(s.t.Context(), function, payload)
			return !strings.Contains(result.Error, "busy")
		})
		r := response{Method: invocation, Target: function, Status: http.StatusOK, Body: result.Payload}
		if result.Error != "" || result.FunctionError != "" {
			r.Status = http.StatusInternalServerError
		}
		return r
	}
}
