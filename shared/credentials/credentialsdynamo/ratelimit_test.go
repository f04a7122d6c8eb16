package credentialsdynamo_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/shared/credentials"
)

func TestCountRequestCountsByTheMinute(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	for i, step := range []struct {
		after time.Duration
		want  int
	}{
		{0, 1}, {0, 2}, {59*time.Second + 999*time.Millisecond, 3},
		{time.Minute, 1}, {time.Minute + time.Second, 2},
		{3 * time.Minute, 1}, {500 * time.Hour, 1}, {500 * time.Hour, 2},
	} {
		if used := s.use(secret, noon.Add(step.after)); used != step.want {
			t.Errorf("step %d: %d requests, want %d", i, used, step.want)
		}
	}
	token.LastUsedAt = noon.Add(500 * time.Hour)
	if diff := cmp.Diff(token, s.get(token.ID)); diff != "" {
		t.Error(diff)
	}
}

// TestCountRequestNeedsTheHash uses only the public id, which must neither count nor be recorded.
func TestCountRequestNeedsTheHash(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	for _, hash := range [][]byte{credentials.Mint(credentials.AccessToken).Hash(), {}, secret.Hash()[:31]} {
		if _, _, err := s.table.CountRequest(t.Context(), token.ID, hash, noon); !errors.Is(err, credentials.ErrUnknown) {
			t.Errorf("a wrong hash: %v", err)
		}
	}
	if diff := cmp.Diff(token, s.get(token.ID)); diff != "" {
		t.Error(diff)
	}
	if used := s.use(secret, noon); used != 1 {
		t.Errorf("%d requests were counted", used)
	}
	unknown := credentials.Mint(credentials.AccessToken)
	if _, _, err := s.table.CountRequest(t.Context(), unknown.ID(), unknown.Hash(), noon); !errors.Is(err, credentials.ErrUnknown) {
		t.Errorf("an unknown id: %v", err)
	}
	if _, err := s.table.Get(t.Context(), unknown.ID()); !errors.Is(err, credentials.ErrUnknown) {
		t.Errorf("CountRequest with an unknown id wrote an item: %v", err)
	}
}

func TestCountRequestIsAtomic(t *testing.T) {
	const each, workers = 25, 4
	s := newFixture(t)
	_, secret := s.issued()
	seen := make([]bool, each*workers+1)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				used := s.use(secret, noon)
				mu.Lock()
				seen[used] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for i, was := range seen[1:] {
		if !was {
			t.Errorf("no request was number %d of the minute", i+1)
		}
	}
}

// TestOldCountersAreRemoved uses a credential every four minutes, so that no request removes the
// counter of the one before, and then with pauses of up to three minutes, where each request does.
func TestOldCountersAreRemoved(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	for i := range 60 {
		if used := s.use(secret, noon.Add(time.Duration(i)*4*time.Minute)); used != 1 {
			t.Fatalf("use %d: %d requests", i, used)
		}
		if n := s.counters(token.ID); n > 9 { // eight old ones and the current one
			t.Fatalf("%d counters after %d uses", n, i+1)
		}
	}
	at := noon.Add(24 * time.Hour)
	s.use(secret, at)
	before := s.counters(token.ID)
	for _, minutes := range []int{1, 2, 3, 1} {
		at = at.Add(time.Duration(minutes) * time.Minute)
		s.use(secret, at)
	}
	if after := s.counters(token.ID); after != before {
		t.Errorf("%d counters became %d after requests within a few minutes", before, after)
	}
}

// TestCountRequestDoesNotReviveIdleSessions uses a session until its idle end.
func TestCountRequestDoesNotReviveIdleSessions(t *testing.T) {
	s := newFixture(t)
	secret, session := credentials.NewSession(credentials.Owner{ID: owner, Active: true}, "Firefox", noon)
	s.write(s.table.Issue(session)...)
	at := noon
	for range 3 {
		at = at.Add(credentials.SessionIdle - credentials.LastUseResolution)
		s.use(secret, at)
	}
	at = s.get(session.ID).LastUsedAt.Add(credentials.SessionIdle)
	for range 2 {
		if _, _, err := s.table.CountRequest(t.Context(), secret.ID(), secret.Hash(), at); !errors.Is(err, credentials.ErrUnknown) {
			t.Errorf("an idle session is counted: %v", err)
		}
	}
}
