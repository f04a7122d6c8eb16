package overload

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portside/local/stack"
	"portside/shared/testkit/awstest"
)

// maxAdminCall is how long a call of an admin may take during a flood of one user. The test logs the times with it. It
// does not fail because of them, because they also depend on what else runs on the machine. A call that hangs exceeds
// the patience.
const maxAdminCall = 2 * time.Second

// adminCall is a call by which an admin stops or limits a user.
type adminCall struct {
	name   string
	method string
	target func(user) string
	body   string
	status int
	closes bool // the user's credentials stop working
}

func adminCalls() []adminCall {
	return []adminCall{
		{"suspend", http.MethodPut, user.path, `{"status":"suspended"}`, http.StatusOK, true},
		{"delete", http.MethodDelete, user.path, "", http.StatusNoContent, true},
		{"update the role", http.MethodPut, user.path, `{"role":"viewer"}`, http.StatusOK, false},
		{"end all sessions", http.MethodDelete, func(u user) string { return u.path() + "/sessions" }, "", http.StatusNoContent, false},
		{"revoke the key", http.MethodDelete, func(u user) string { return u.path() + "/api-keys/" + u.keyID }, "", http.StatusNoContent, false},
	}
}

// userFlood is a way in which one user floods the service.
type userFlood struct {
	name    string
	links   int // sign-in links for each connection
	run     attack
	isQuota bool // the flood would end on its own, because it creates as many credentials as a user may on one day
}

func userFloods() []userFlood {
	return []userFlood{
		{"API keys create API keys", 0, keysByKeys, true},
		{"tokens renew themselves", 0, tokensByTokens, true},
		{"sessions create API keys", 1, keysBySessions, true},
		{"people sign in and out", 2, signInAndOut, false},
		{"requests for credentials", 0, requestsForCredentials, false},
		{"uploads and media jobs", 0, uploadsAndJobs, false},
		{"reports of leaked keys", 0, leakedKeys, false},
		{"idempotent repeats", 0, repeats, false},
	}
}

// TestAdminStopsFloods lets one user flood the service in each way, and an admin make each call. Every call succeeds,
// and what the flood has created stops working with its user.
//
//proves:docs/security.md
func TestAdminStopsFloods(t *testing.T) {
	s := start(t, stack.Options{})
	for number, flood := range userFloods() {
		t.Run(flood.name, func(t *testing.T) {
			here := *s
			here.t = t
			slowest, sent := time.Duration(0), 0
			for i, call := range adminCalls() {
				done := here.callDuring(flood, call, fmt.Sprintf("victim-%d-%d", number, i))
				slowest, sent = max(slowest, done.took), sent+done.requests
			}
			t.Logf("figure: %s over %d connections: %d requests, slowest of %d calls of an admin %v (limit %v)",
				flood.name, connections, sent, len(adminCalls()), slowest.Round(time.Millisecond), maxAdminCall)
		})
	}
}

// callTries is how often a call is tried with another user if a flood happens to end on its own during the call.
const callTries = 3

// callDuring makes the call until it succeeds, during the flood. A call that succeeds only after the flood has used up
// its quota has waited for the flood to end.
func (s *service) callDuring(flood userFlood, call adminCall, name string) callResult {
	s.t.Helper()
	sum := callResult{}
	for try := range callTries {
		victim := s.user(fmt.Sprintf("%s-%d@example.com", name, try), "manager")
		done := s.callOnce(call, victim, s.signInTokens(victim.email, flood.links*connections), flood.run)
		sum.took, sum.requests = max(sum.took, done.took), sum.requests+done.requests
		if !flood.isQuota || !done.quotaUsedUp {
			return sum
		}
	}
	s.t.Errorf("%s: in %d tries, the call succeeded only after the flood had used up its quota", call.name, callTries)
	return sum
}

// callResult is what happened during a call.
type callResult struct {
	took        time.Duration
	requests    int  // of the flood
	quotaUsedUp bool // by the flood, before the call succeeded
}

// callOnce makes the call during a flood.
func (s *service) callOnce(call adminCall, victim user, links []string, run attack) callResult {
	s.t.Helper()
	admin := s.admin(patience)
	admin.Get("/v1/users?limit=1").WantStatus(http.StatusOK) // connects
	f := s.flood(victim, links, run)
	began := awstest.RealTime()
	response, err := admin.Send(call.method, call.target(victim), call.body)
	done := callResult{took: awstest.RealTime().Sub(began), quotaUsedUp: f.count(http.StatusTooManyRequests) > 0}
	f.stop()
	s.t.Logf("%s: %v during %s", call.name, done.took.Round(time.Millisecond), f.describe())
	if err != nil {
		s.t.Fatalf("%s: %v", call.name, err)
	}
	if response.Status != call.status {
		s.t.Errorf("%s: status %d, want %d: %s", call.name, response.Status, call.status, response.Body)
	}
	if call.closes {
		s.checkRefused(append(f.made, victim.key))
	}
	if n := f.count(http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent); n < connections {
		s.t.Errorf("only %d requests of the flood succeeded", n)
	}
	done.requests = f.total()
	return done
}

// checkRefused checks that API keys and tokens do not work.
func (s *service) checkRefused(secrets []string) {
	s.t.Helper()
	client := s.connect(1, patience)
	for _, secret := range secrets {
		with, target := client.With("X-API-Key", secret), "/v1/users"
		if secret[:4] != "psk_" {
			with, target = client.With("Authorization", "Bearer "+secret), "/api/v1/tokens"
		}
		if response := with.Get(target); response.Status != http.StatusUnauthorized {
			s.t.Fatalf("a credential of a closed user gets %d: %s", response.Status, response.Body)
		}
	}
}
