package credentials_test

import (
	"errors"
	"testing"
	"time"

	"portside/shared/credentials"
)

// units are what a request takes from DynamoDB.
type units struct {
	calls         int
	reads, writes float64
}

// The costs of unknown credentials. The engine charges nothing for a condition that fails; AWS charges one write unit.
var (
	counted   = units{3, 1, 2}
	refused   = units{3, 1, 1}
	throttled = units{1, 1, 0}
)

// guess sends an unknown token from a network, and checks the error and the cost.
func (g *fixture) guess(network string, want error, costs units) credentials.Allowance {
	g.tb.Helper()
	g.meter.Reset()
	ctx := credentials.WithNetwork(g.tb.Context(), network)
	_, allowance, err := g.auth.Authenticate(ctx, credentials.Mint(credentials.AccessToken).Reveal(), credentials.AccessToken)
	if !errors.Is(err, want) {
		g.tb.Fatalf("%v, want %v", err, want)
	}
	if took := (units{g.meter.Calls(), g.meter.ReadUnits(), g.meter.WriteUnits()}); took != costs {
		g.tb.Fatalf("cost %+v, want %+v", took, costs)
	}
	return allowance
}

// exhaust uses up the unknown credentials of a network.
func (g *fixture) exhaust(network string) {
	g.tb.Helper()
	for range credentials.MaxUnknown {
		g.guess(network, credentials.ErrUnauthorized, counted)
	}
}

//proves:docs/security.md
func TestUnknownCredentialsAreLimitedByNetwork(t *testing.T) {
	g := newFixture(t, 100)
	g.now = g.now.Add(18 * time.Second)
	g.exhaust("192.0.2.1")
	for range 3 {
		if a := g.guess("192.0.2.1", credentials.ErrTooManyUnknown, throttled); a.Reset != 42*time.Second || a.Limit != 0 {
			t.Errorf("allowance %+v", a)
		}
	}
	g.guess("192.0.2.2", credentials.ErrUnauthorized, counted)
	g.auth = credentials.NewAuthenticator(g.table.Requests, 100, func() time.Time { return g.now })
	g.guess("192.0.2.1", credentials.ErrTooManyUnknown, refused) // another process learns it by counting once
	g.guess("192.0.2.1", credentials.ErrTooManyUnknown, throttled)
	g.now = g.now.Add(time.Minute)
	g.guess("192.0.2.1", credentials.ErrUnauthorized, counted)
}

// TestThrottledNetworkKeepsItsCredentials has people behind the same address as an attacker.
//
//proves:docs/security.md
func TestThrottledNetworkKeepsItsCredentials(t *testing.T) {
	g := newFixture(t, 5)
	token := g.issue(credentials.AccessToken, nil)
	revoked := g.issue(credentials.AccessToken, func(c *credentials.Credential) { c.RevokedAt = g.now })
	g.exhaust("192.0.2.1")
	ctx := credentials.WithNetwork(t.Context(), "192.0.2.1")
	present := func(secret credentials.Secret) (string, int, error) {
		who, allowance, err := g.auth.Authenticate(ctx, secret.Reveal(), credentials.AccessToken)
		return who.UserID, allowance.Remaining, err
	}
	for i := range 5 {
		if user, remaining, err := present(token); user != "ada" || remaining != 4-i || err != nil {
			t.Errorf("request %d: %q, %d remaining, %v", i+1, user, remaining, err)
		}
	}
	if _, _, err := present(token); !errors.Is(err, credentials.ErrRateLimited) {
		t.Errorf("beyond the limit of the token: %v", err)
	}
	if _, _, err := present(revoked); !errors.Is(err, credentials.ErrUnauthorized) {
		t.Errorf("a revoked token: %v", err)
	}
	wrong := credentials.WithID(credentials.Mint(credentials.AccessToken), token.ID())
	if _, _, err := present(wrong); !errors.Is(err, credentials.ErrTooManyUnknown) {
		t.Errorf("the public ID of a token with another secret: %v", err)
	}
}

// TestIdleSessionIsNotUnknown has many people of one office come back to work.
//
//proves:docs/security.md
func TestIdleSessionIsNotUnknown(t *testing.T) {
	g := newFixture(t, 0)
	session := g.issue(credentials.Session, func(c *credentials.Credential) { c.LastUsedAt = g.now })
	g.now = g.now.Add(credentials.SessionIdle + time.Hour)
	ctx := credentials.WithNetwork(t.Context(), "192.0.2.1")
	for range credentials.MaxUnknown + 1 {
		if _, _, err := g.auth.Authenticate(ctx, session.Reveal(), credentials.Session); !errors.Is(err, credentials.ErrUnauthorized) {
			t.Fatal(err)
		}
	}
	g.guess("192.0.2.1", credentials.ErrUnauthorized, counted)
}

// TestMalformedTextIsNotCounted refuses text that costs nothing.
//
//proves:docs/security.md
func TestMalformedTextIsNotCounted(t *testing.T) {
	g := newFixture(t, 0)
	g.exhaust("192.0.2.1")
	g.meter.Reset()
	ctx := credentials.WithNetwork(t.Context(), "192.0.2.1")
	_, _, err := g.auth.Authenticate(ctx, "pst_x", credentials.AccessToken)
	if !errors.Is(err, credentials.ErrUnauthorized) || g.meter.Calls() != 0 {
		t.Errorf("%v, %d calls", err, g.meter.Calls())
	}
}
