package office_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"portside/harness/office"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/users"
)

func open(t *testing.T, mails string) *office.Office {
	t.Helper()
	o, err := office.Open(t.Context(), office.Options{
		Root: filepath.Join("..", ".."), Mails: mails, Now: time.Date(2028, 2, 28, 12, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// A mail that is sent shows that SES is reached; the key that works and then stops working shows that the tables are.
func TestAKeyWorksUntilItsOwnerIsSuspended(t *testing.T) {
	o, ctx := open(t, t.TempDir()), t.Context()
	asOperator := users.CreateOptions{Caller: principal.Operator()}
	created, err := o.Users.Create(ctx, asOperator,
		users.NewUser{Email: "v@example.com", Name: "V", Role: principal.Viewer})
	if err != nil {
		t.Fatal(err)
	}
	key, err := o.Keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.Authenticator.Authenticate(ctx, key.Secret.Reveal(), credentials.APIKey); err != nil {
		t.Fatalf("the key does not work: %v", err)
	}
	suspended := users.Suspended
	target := versions.Target{ID: created.User.ID}
	if _, err := o.Users.Update(ctx, principal.Operator(), target, users.Change{Status: &suspended}); err != nil {
		t.Fatal(err)
	}
	o.Clock.Advance(time.Hour)
	if err := o.SendDue(ctx); err != nil {
		t.Fatal(err)
	}
	_, _, err = o.Authenticator.Authenticate(ctx, key.Secret.Reveal(), credentials.APIKey)
	if !errors.Is(err, credentials.ErrUnauthorized) {
		t.Fatalf("a suspended user's key answers %v, want ErrUnauthorized", err)
	}
}

func TestAnInvitationIsMailed(t *testing.T) {
	mails := t.TempDir()
	o, ctx := open(t, mails), t.Context()
	_, err := o.Users.Create(ctx, users.CreateOptions{Caller: principal.Operator(), BaseURL: "https://example.com"},
		users.NewUser{Email: "w@example.com", Name: "W", Role: principal.Viewer, ActivationEmail: true})
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(mails)
	if err != nil || len(files) != 1 {
		t.Fatalf("the outbox has %d mails, %v; want the invitation", len(files), err)
	}
	o.Clock.Advance(time.Hour)
	if sent, err := o.Inviter.SendDue(ctx); err != nil || sent != 0 {
		t.Fatalf("%d more mails are sent, %v; want none", sent, err)
	}
}
