package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/cmd/portside/cli"
	"portside/cmd/portside/cli/clitest"
)

func TestLoginStoresAProfileThatOnlyItsOwnerReads(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": clitest.Answer(clitest.NoUsers)})
	c.Stdin = clitest.TestKey + "\n"
	_, stderr, err := c.Run("login", c.Service.URL+"/")
	if err != nil || strings.Contains(stderr, clitest.TestKey) || !strings.Contains(stderr, c.Service.URL) {
		t.Fatalf("%v, %s", err, stderr)
	}
	info, err := os.Stat(c.ProfileFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the profile has the mode %v: %v", info.Mode(), err)
	}
	if folder, err := os.Stat(filepath.Dir(c.ProfileFile())); err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v: %v", folder.Mode(), err)
	}
	c.Want("users", "list")

	if err := os.Chmod(c.ProfileFile(), 0o644); err != nil {
		t.Fatal(err)
	}
	c.WantError("other users of this computer can read the key", "users", "list")
	c.Want("logout")
	c.Want("logout") // nothing is left to do
	c.WantUsageError("not logged in", "users", "list")
}

func TestLoginReplacesTheWholeFile(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": clitest.Answer(clitest.NoUsers)})
	file := filepath.Join(c.Dir, "key.txt")
	if err := os.WriteFile(file, []byte(clitest.TestKey), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Want("login", c.Service.URL, "--key-file", file)
	before, err := os.Open(c.ProfileFile())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = before.Close() })
	c.Want("login", c.Service.URL, "--key-file", file)
	old, err := before.Stat()
	if err != nil {
		t.Fatal(err)
	}
	current, err := os.Stat(c.ProfileFile())
	if err != nil || os.SameFile(old, current) {
		t.Errorf("the second login wrote into the file of the first one: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(c.ProfileFile()))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v: %v", entries, err)
	}
}

func TestFailedLoginKeepsTheProfile(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": clitest.Answer(clitest.NoUsers)})
	c.Stdin = clitest.TestKey
	c.Want("login", c.Service.URL)
	c.Stdin = "psk_000000000000_wrong"
	c.WantError("or its user is not active; run `portside login` with another key, or check PORTSIDE_KEY [request request-1]",
		"login", c.Service.URL)
	c.Want("users", "list")
}

func TestLoginAcceptsAKeyWithoutTheRightToReadUsers(t *testing.T) {
	t.Parallel()
	refusal := clitest.Problem(http.StatusForbidden, "FORBIDDEN", "You lack users:read.")
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": refusal})
	c.Stdin = clitest.TestKey
	c.Want("login", c.Service.URL)
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, nil)
	c.Stdin = clitest.TestKey
	c.WantUsageError("must be on this computer", "login", "http://portal.example.com")
	c.WantUsageError("begins with https://", "login", "ftp://portal.example.com")
	c.WantError("no such file or directory", "login", c.Service.URL, "--key-file", "missing")
	if _, _, err := c.Run("login", c.Service.URL, "--key-file", "missing"); strings.Contains(cli.Explain(c.Last, err), "connection") {
		t.Errorf("a missing file is explained as %q", cli.Explain(c.Last, err))
	}
	c.WantUsageError("looks like https://portal.example.com", "login", "https://ada:secret@portal.example.com")
	c.WantUsageError("the name of a profile", "login", c.Service.URL, "--profile", "../other")
	c.WantUsageError("the address of the deployment is missing", "login")
	c.WantUsageError("neither an address nor", "login", c.Service.URL, "--local", "data")
	c.WantError("file does not exist", "login", "--local", "data")
	c.Stdin = "secret\n"
	c.WantUsageError("this is not an API key", "login", c.Service.URL)
	c.Stdin = clitest.TestKey
	c.Service.Close()
	c.WantError("cannot reach the service", "login", c.Service.URL)
}

func TestWhichProfileIsUsed(t *testing.T) {
	t.Parallel()
	users := map[string]http.HandlerFunc{"GET /v1/users": clitest.Answer(clitest.NoUsers)}
	c, other := newTestCLI(t, users), newTestCLI(t, users)
	c.Stdin = clitest.TestKey
	c.Want("login", c.Service.URL)
	c.Want("login", other.Service.URL, "--profile", "staging")
	c.Calls, other.Calls = nil, nil

	wantCalls := func(here, there int) {
		t.Helper()
		if len(c.Calls) != here || len(other.Calls) != there {
			t.Errorf("%d calls of the default profile and %d of staging, want %d and %d", len(c.Calls), len(other.Calls), here, there)
		}
	}
	c.Want("users", "list")
	wantCalls(1, 0)
	c.Want("users", "list", "--profile", "staging")
	wantCalls(1, 1)
	c.Env[cli.AddressVariable] = other.Service.URL
	c.WantUsageError("also set PORTSIDE_KEY", "users", "list") // the other server must not get the stored key
	wantCalls(1, 1)
	c.Env[cli.KeyVariable] = clitest.TestKey
	c.Want("users", "list")
	wantCalls(1, 2)
	c.Env[cli.AddressVariable] = ""
	c.Env[cli.KeyVariable] = "psk_000000000000_wrong"
	c.WantError("the API key does not work", "users", "list")
	wantCalls(2, 2)
	c.Env[cli.KeyVariable] = ""
	c.WantUsageError("PORTSIDE_KEY is set and empty", "users", "list")
	wantCalls(2, 2)
	c.Want("users", "list", "--profile", "staging")
	wantCalls(2, 3)
	c.WantUsageError(`there is no profile "nobody"`, "users", "list", "--profile", "nobody")
}
