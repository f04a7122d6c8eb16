package credentials_test

import (
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
)

//proves:docs/security.md
func TestSessionEnds(t *testing.T) {
	began := time.Date(2026, 3, 2, 9, 2, 0, 0, time.UTC)
	secret, session := credentials.NewSession(credentials.Owner{ID: "u", Role: principal.User, Active: true}, "Firefox", began)
	if !secret.Matches(session.Hash) || secret.Kind() != credentials.Session {
		t.Error("the secret is not that of the session")
	}
	lastUse := began.Truncate(credentials.LastUseResolution)
	for _, c := range []struct {
		name string
		at   time.Time
		live bool
	}{
		{"at once", began, true},
		{"before the idle end", lastUse.Add(credentials.SessionIdle - time.Second), true},
		{"at the idle end", lastUse.Add(credentials.SessionIdle), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if session.Live(c.at) != c.live {
				t.Errorf("live %v, want %v", !c.live, c.live)
			}
		})
	}
	session.LastUsedAt = began.Add(credentials.SessionLifetime - time.Minute)
	if !session.Works(began.Add(credentials.SessionLifetime-time.Second)) || session.Works(began.Add(credentials.SessionLifetime)) {
		t.Error("the session does not end after its lifetime")
	}
	session.Owner.Active = false
	if session.Works(began) {
		t.Error("the session of an inactive user works")
	}
}
