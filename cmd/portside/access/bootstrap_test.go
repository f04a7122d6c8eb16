package access

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

func TestBootstrap(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	keyFile := filepath.Join("keys", "admin-key")

	got := o.Expect(o.Bootstrap(), 0, "created the admin ada@example.com")
	first := o.Read(keyFile)
	if strings.Contains(got.Stdout+got.Stderr, strings.TrimSpace(first)) {
		t.Error("the command printed the key although --key-file is given")
	}
	admin, err := o.Authenticate(first)
	if err != nil {
		t.Fatalf("the key is not accepted: %v", err)
	}
	if info, err := os.Stat(filepath.Join(o.Dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, %v; want 0600", info.Mode(), err)
	}

	o.Expect(o.Bootstrap(), 0, "works; nothing to do")
	if again := o.Read(keyFile); again != first {
		t.Error("a working key was replaced")
	}

	if err := os.Remove(filepath.Join(o.Dir, keyFile)); err != nil {
		t.Fatal(err)
	}
	o.Expect(o.Bootstrap(), 0, "the API key")
	second := o.Read(keyFile)
	if who, err := o.Authenticate(second); err != nil || who != admin {
		t.Errorf("the second key belongs to %q with error %v, want %q", who, err, admin)
	}

	parsed, err := credentials.Parse(strings.TrimSpace(second))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Tables.Users.Keys.Revoke(t.Context(), admin, parsed.ID(), o.Now()); err != nil {
		t.Fatal(err)
	}
	o.Expect(o.Bootstrap(), 0, "no longer works")
	if who, err := o.Authenticate(o.Read(keyFile)); err != nil || who != admin {
		t.Errorf("the third key belongs to %q with error %v, want %q", who, err, admin)
	}

	onStdout := o.Expect(o.Run("bootstrap", "--email", "ada@example.com", "--name", "Ada"), 0, "shown only once")
	if who, err := o.Authenticate(onStdout.Stdout); err != nil || who != admin {
		t.Errorf("the key on stdout belongs to %q with error %v, want %q", who, err, admin)
	}
	if all := o.UserEmails(); len(all) != 1 {
		t.Errorf("users are %v, want one", all)
	}
}

func TestBootstrapRejectsConflicts(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.Expect(o.Run("bootstrap", "--email", "no address", "--name", "Ada"), 1, "email must be an email address")
	o.Expect(o.Bootstrap(), 0, "created the admin")

	o.Expect(o.Run("bootstrap", "--email", "eve@example.com", "--name", "Eve"), 1, "an active admin already exists")
	o.Expect(o.Run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--force"), 0, "created the admin eve@example.com")
	o.Expect(o.Run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--key-file", filepath.Join(o.Dir, "keys", "admin-key")),
		1, "contains a working key of another user")

	other := o.Write("diary", "dear diary")
	o.Expect(o.Bootstrap("--key-file", other), 1, "contains something other than an API key")
	if text := o.Read("diary"); text != "dear diary" {
		t.Errorf("the file was overwritten: %q", text)
	}

	user := users.User{
		ID: installation.NewID(), Email: "bob@example.com", Name: "Bob", Role: principal.User, Status: users.Active,
		Metadata: []byte("{}"), CreatedAt: o.Now(),
	}
	if _, err := o.Tables.Users.Create(t.Context(), users.Creation{User: user}); err != nil {
		t.Fatal(err)
	}
	o.Expect(o.Run("bootstrap", "--email", "bob@example.com", "--name", "Bob"), 1, "is not an active admin (user, active)")
	o.Expect(o.Run("bootstrap", "--email", "bob@example.com", "--name", "Bob", "--force"), 1, "choose another --email")
}

// TestBootstrapWhenAllAdminsAreLockedOut follows docs/operations.md.
func TestBootstrapWhenAllAdminsAreLockedOut(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.Expect(o.Bootstrap(), 0, "created the admin")
	before := o.Read("keys/admin-key")
	keyFile := filepath.Join(o.Dir, "eve-key")
	got := o.Run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--key-file", keyFile, "--force")
	o.Expect(got, 0, "created the admin eve@example.com")
	o.Expect(got, 0, "of eve@example.com is in "+keyFile)
	if _, err := o.Authenticate(o.Read("eve-key")); err != nil {
		t.Errorf("the new key: %v", err)
	}
	if _, err := o.Authenticate(before); err != nil {
		t.Errorf("the key of the other admin: %v", err)
	}
	o.Expect(o.Run("sign-in-link", "--email", "eve@example.com", "--base-url", "https://portal.example.com"), 0, "the link works once")
}

// The test kills a run at its nth call, before the call takes effect and after its response is
// lost, for every n. The next run leaves one admin and a working key.
func TestBootstrapKilled(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	for stop, finished := 1, false; !finished; stop++ {
		for _, fault := range []error{killed, awstest.Lost(killed)} {
			o := newTestStack(t)
			calls := 0
			faulty := awstest.Faulty(o.Client, func(string, int) error {
				if calls++; calls == stop {
					return fault
				}
				return nil
			})
			keyFile := filepath.Join(o.Dir, "keys", "admin-key")
			b := &bootstrap{
				Process: operator.Process{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Now: o.Now}, Tables: o.TablesOver(faulty),
				firstAdmin: firstAdmin{email: "ada@example.com", name: "Ada", keyFile: keyFile},
			}
			err := b.run(t.Context())
			if finished = err == nil; !finished && !errors.Is(err, killed) {
				t.Fatal(err)
			}
			o.Expect(o.Bootstrap(), 0, "")
			if _, err := o.Authenticate(o.Read("keys/admin-key")); err != nil {
				t.Errorf("killed at call %d: the key is not accepted: %v", stop, err)
			}
			if all := o.UserEmails(); len(all) != 1 {
				t.Errorf("killed at call %d: got the users %v, want one", stop, all)
			}
		}
	}
}
