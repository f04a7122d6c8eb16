package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

func (o *testStack) bootstrap(more ...string) outcome {
	o.t.Helper()
	keyFile := filepath.Join(o.dir, "keys", "admin-key")
	return o.run(append([]string{"bootstrap", "--email", " Ada@Example.com", "--name", "Ada", "--key-file", keyFile}, more...)...)
}

func TestBootstrap(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	keyFile := filepath.Join("keys", "admin-key")

	got := o.expect(o.bootstrap(), 0, "created the admin ada@example.com")
	first := o.read(keyFile)
	if strings.Contains(got.stdout+got.stderr, strings.TrimSpace(first)) {
		t.Error("the command printed the key although --key-file is given")
	}
	admin, err := o.authenticate(first)
	if err != nil {
		t.Fatalf("the key is not accepted: %v", err)
	}
	if info, err := os.Stat(filepath.Join(o.dir, keyFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, %v; want 0600", info.Mode(), err)
	}

	o.expect(o.bootstrap(), 0, "works; nothing to do")
	if again := o.read(keyFile); again != first {
		t.Error("a working key was replaced")
	}

	if err := os.Remove(filepath.Join(o.dir, keyFile)); err != nil {
		t.Fatal(err)
	}
	o.expect(o.bootstrap(), 0, "the API key")
	second := o.read(keyFile)
	if who, err := o.authenticate(second); err != nil || who != admin {
		t.Errorf("the second key belongs to %q with error %v, want %q", who, err, admin)
	}

	parsed, err := credentials.Parse(strings.TrimSpace(second))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.tables.users.Keys.Revoke(t.Context(), admin, parsed.ID(), o.now()); err != nil {
		t.Fatal(err)
	}
	o.expect(o.bootstrap(), 0, "no longer works")
	if who, err := o.authenticate(o.read(keyFile)); err != nil || who != admin {
		t.Errorf("the third key belongs to %q with error %v, want %q", who, err, admin)
	}

	onStdout := o.expect(o.run("bootstrap", "--email", "ada@example.com", "--name", "Ada"), 0, "shown only once")
	if who, err := o.authenticate(onStdout.stdout); err != nil || who != admin {
		t.Errorf("the key on stdout belongs to %q with error %v, want %q", who, err, admin)
	}
	if all := o.userEmails(); len(all) != 1 {
		t.Errorf("users are %v, want one", all)
	}
}

func TestBootstrapRejectsConflicts(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.expect(o.run("bootstrap", "--email", "no address", "--name", "Ada"), 1, "email must be an email address")
	o.expect(o.bootstrap(), 0, "created the admin")

	o.expect(o.run("bootstrap", "--email", "eve@example.com", "--name", "Eve"), 1, "an active admin already exists")
	o.expect(o.run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--force"), 0, "created the admin eve@example.com")
	o.expect(o.run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--key-file", filepath.Join(o.dir, "keys", "admin-key")),
		1, "contains a working key of another user")

	other := o.write("diary", "dear diary")
	o.expect(o.bootstrap("--key-file", other), 1, "contains something other than an API key")
	if text := o.read("diary"); text != "dear diary" {
		t.Errorf("the file was overwritten: %q", text)
	}

	user := users.User{
		ID: newID(), Email: "bob@example.com", Name: "Bob", Role: principal.User, Status: users.Active,
		Metadata: []byte("{}"), CreatedAt: o.now(),
	}
	if _, err := o.tables.users.Create(t.Context(), users.Creation{User: user}); err != nil {
		t.Fatal(err)
	}
	o.expect(o.run("bootstrap", "--email", "bob@example.com", "--name", "Bob"), 1, "is not an active admin (user, active)")
	o.expect(o.run("bootstrap", "--email", "bob@example.com", "--name", "Bob", "--force"), 1, "choose another --email")
}

// TestBootstrapWhenAllAdminsAreLockedOut follows docs/operations.md.
func TestBootstrapWhenAllAdminsAreLockedOut(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.expect(o.bootstrap(), 0, "created the admin")
	before := o.read("keys/admin-key")
	keyFile := filepath.Join(o.dir, "eve-key")
	got := o.run("bootstrap", "--email", "eve@example.com", "--name", "Eve", "--key-file", keyFile, "--force")
	o.expect(got, 0, "created the admin eve@example.com")
	o.expect(got, 0, "of eve@example.com is in "+keyFile)
	if _, err := o.authenticate(o.read("eve-key")); err != nil {
		t.Errorf("the new key: %v", err)
	}
	if _, err := o.authenticate(before); err != nil {
		t.Errorf("the key of the other admin: %v", err)
	}
	o.expect(o.run("sign-in-link", "--email", "eve@example.com", "--base-url", "https://portal.example.com"), 0, "the link works once")
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
			faulty := awstest.Faulty(o.client, func(string, int) error {
				if calls++; calls == stop {
					return fault
				}
				return nil
			})
			keyFile := filepath.Join(o.dir, "keys", "admin-key")
			b := &bootstrap{
				process: process{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, now: o.now}, tables: o.tablesOver(faulty),
				firstAdmin: firstAdmin{email: "ada@example.com", name: "Ada", keyFile: keyFile},
			}
			err := b.run(t.Context())
			if finished = err == nil; !finished && !errors.Is(err, killed) {
				t.Fatal(err)
			}
			o.expect(o.bootstrap(), 0, "")
			if _, err := o.authenticate(o.read("keys/admin-key")); err != nil {
				t.Errorf("killed at call %d: the key is not accepted: %v", stop, err)
			}
			if all := o.userEmails(); len(all) != 1 {
				t.Errorf("killed at call %d: got the users %v, want one", stop, all)
			}
		}
	}
}
