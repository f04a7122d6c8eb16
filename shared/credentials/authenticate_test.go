package credentials_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
)

// fixture is an Authenticator on a table in a real engine, with a meter.
type fixture struct {
	tb     testing.TB
	client *dynamodb.Client
	meter  *awstest.Meter
	table  *credentialsdynamo.Table
	auth   *credentials.Authenticator
	now    time.Time
}

func newFixture(tb testing.TB, limit int) *fixture {
	tb.Helper()
	g := &fixture{tb: tb, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	g.client, g.meter = awstest.Metered(awstest.DynamoDB(tb))
	g.table = credentialsdynamo.New(
		g.client, awstest.Table(tb, g.client, "CredentialsTable"), awstest.Table(tb, g.client, "RequestCountsTable"))
	g.auth = credentials.NewAuthenticator(g.table.Requests, limit, func() time.Time { return g.now })
	return g
}

// issue stores a credential of a kind after applying change to it.
func (g *fixture) issue(kind credentials.Kind, change func(*credentials.Credential)) credentials.Secret {
	g.tb.Helper()
	secret := credentials.Mint(kind)
	c := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Owner: credentials.Owner{ID: "ada", Role: principal.Manager, Active: true},
		CreatedAt: g.now, ExpiresAt: g.now.AddDate(0, 0, 90), Scopes: []string{"read:helm-charts"},
	}
	if kind == credentials.Password {
		c.Username = "acme-7f3k2q5m"
	}
	if change != nil {
		change(&c)
	}
	if err := transactions.Write(g.tb.Context(), g.client, g.table.Writes.Issue(c)); err != nil {
		g.tb.Fatal(err)
	}
	return secret
}

//proves:docs/security.md
func TestBasicAcceptsAPasswordWithItsUserNameOnly(t *testing.T) {
	for _, limit := range []int{0, 100} {
		g := newFixture(t, limit)
		password := g.issue(credentials.Password, nil)
		for username, works := range map[string]bool{
			"acme-7f3k2q5m": true, "acme-7f3k2q5m\r\n": true, "": false, "acme": false, "ACME-7F3K2Q5M": false, "acme-7f3k2q5m" + " ": false,
			"acme-7f3k2q5mx": false, "acme-7f3k2q5": false, "acme-7f3k2q5m\x00": false, password.Reveal(): false,
		} {
			who, _, err := g.auth.AuthenticateBasic(t.Context(), username, password.Reveal())
			if works != (err == nil) || err != nil && !errors.Is(err, credentials.ErrUnauthorized) {
				t.Errorf("user name %q: %v", username, err)
			}
			if (who.UserID == "ada") != works {
				t.Errorf("user name %q authenticates %q", username, who.UserID)
			}
		}
	}
}

//proves:docs/security.md
func TestBasicReturnsScopesAndNoRole(t *testing.T) {
	g := newFixture(t, 100)
	password, token := g.issue(credentials.Password, nil), g.issue(credentials.AccessToken, nil)
	for _, c := range []struct{ username, text, id string }{
		{"acme-7f3k2q5m", password.Reveal(), password.ID()},
		{"anybody", token.Reveal(), token.ID()},
		{"acme-7f3k2q5m\n", password.Reveal() + "\n", password.ID()},
		{"anybody", token.Reveal() + "\r\n", token.ID()},
		{"", token.Reveal(), token.ID()},
	} {
		t.Run("user "+c.username, func(t *testing.T) {
			who, allowance, err := g.auth.AuthenticateBasic(t.Context(), c.username, c.text)
			if err != nil || !who.Scoped() || !slices.Equal(who.Scopes, []principal.Scope{"read:helm-charts"}) || who.CredentialID != c.id {
				t.Errorf("%q authenticates %+v, %v", c.username, who, err)
			}
			if allowance.Limit != 100 || allowance.Remaining > 99 {
				t.Errorf("%q has the allowance %+v", c.username, allowance)
			}
		})
	}
}

//proves:docs/security.md
func TestBasicRejectsOtherCredentialsWithOneError(t *testing.T) {
	g := newFixture(t, 100)
	revoked := g.issue(credentials.Password, func(c *credentials.Credential) { c.RevokedAt = g.now })
	expired := g.issue(credentials.Password, func(c *credentials.Credential) { c.ExpiresAt = g.now })
	inactive := g.issue(credentials.Password, func(c *credentials.Credential) { c.Owner.Active = false })
	nameless := g.issue(credentials.Password, func(c *credentials.Credential) { c.Username = "other" })
	for name, secret := range map[string]credentials.Secret{
		"revoked": revoked, "expired": expired, "inactive owner": inactive, "another's user name": nameless,
		"unknown": credentials.Mint(credentials.Password), "API key": g.issue(credentials.APIKey, nil), "link": g.issue(credentials.Link, nil),
	} {
		t.Run(name, func(t *testing.T) {
			who, _, err := g.auth.AuthenticateBasic(t.Context(), "acme-7f3k2q5m", secret.Reveal())
			if !errors.Is(err, credentials.ErrUnauthorized) || who.UserID != "" {
				t.Errorf("%+v, %v", who, err)
			}
		})
	}
	password := g.issue(credentials.Password, nil)
	_, _, err := g.auth.Authenticate(t.Context(), password.Reveal(), credentials.AccessToken)
	if !errors.Is(err, credentials.ErrUnauthorized) {
		t.Errorf("a password sent as Bearer: %v", err)
	}
}

func TestBasicRejectsMalformedTextWithoutACall(t *testing.T) {
	g := newFixture(t, 100)
	password := g.issue(credentials.Password, nil).Reveal()
	g.meter.Reset()
	changed := []byte(password)
	for i := range changed {
		before := changed[i]
		changed[i] = 'x'
		if before == 'x' {
			changed[i] = 'y'
		}
		if _, _, err := g.auth.AuthenticateBasic(t.Context(), "acme-7f3k2q5m", string(changed)); !errors.Is(err, credentials.ErrUnauthorized) {
			t.Errorf("with character %d changed: %v", i, err)
		}
		changed[i] = before
	}
	for _, text := range []string{"", "x", password[1:], password + "0", credentials.Mint(credentials.APIKey).Reveal()} {
		if _, _, err := g.auth.AuthenticateBasic(t.Context(), "acme-7f3k2q5m", text); !errors.Is(err, credentials.ErrUnauthorized) {
			t.Errorf("%d malformed bytes: %v", len(text), err)
		}
	}
	if n := g.meter.Calls(); n != 0 {
		t.Errorf("malformed text cost %d calls", n)
	}
}

// TestWrongUserNameLooksLikeUnknownPassword compares the responses that an attacker sees.
func TestWrongUserNameLooksLikeUnknownPassword(t *testing.T) {
	g := newFixture(t, 100)
	password := g.issue(credentials.Password, nil)
	_, _, wrong := g.auth.AuthenticateBasic(t.Context(), "guess", password.Reveal())
	_, _, unknown := g.auth.AuthenticateBasic(t.Context(), "guess", credentials.Mint(credentials.Password).Reveal())
	if !errors.Is(wrong, unknown) {
		t.Errorf("wrong user name: %v; unknown password: %v", wrong, unknown)
	}
}
