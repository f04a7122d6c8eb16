package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const noUsers = `{"data":[],"pagination":{"total":0,"limit":1,"offset":0,"hasMore":false}}`

func TestLoginStoresAProfileThatOnlyItsOwnerReads(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": answer(noUsers)})
	c.stdin = testKey + "\n"
	_, stderr, err := c.run("login", c.service.URL+"/")
	if err != nil || strings.Contains(stderr, testKey) || !strings.Contains(stderr, c.service.URL) {
		t.Fatalf("%v, %s", err, stderr)
	}
	info, err := os.Stat(c.profilePath())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the profile has the mode %v: %v", info.Mode(), err)
	}
	if folder, err := os.Stat(filepath.Dir(c.profilePath())); err != nil || folder.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v: %v", folder.Mode(), err)
	}
	c.want("users", "list")

	if err := os.Chmod(c.profilePath(), 0o644); err != nil {
		t.Fatal(err)
	}
	c.wantError("other users of this computer can read the key", "users", "list")
	c.want("logout")
	c.want("logout") // nothing is left to do
	c.wantUsageError("not logged in", "users", "list")
}

func TestLoginReplacesTheWholeFile(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": answer(noUsers)})
	file := filepath.Join(c.dir, "key.txt")
	if err := os.WriteFile(file, []byte(testKey), 0o600); err != nil {
		t.Fatal(err)
	}
	c.want("login", c.service.URL, "--key-file", file)
	before, err := os.Open(c.profilePath())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = before.Close() })
	c.want("login", c.service.URL, "--key-file", file)
	old, err := before.Stat()
	if err != nil {
		t.Fatal(err)
	}
	current, err := os.Stat(c.profilePath())
	if err != nil || os.SameFile(old, current) {
		t.Errorf("the second login wrote into the file of the first one: %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(c.profilePath()))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v: %v", entries, err)
	}
}

func TestFailedLoginKeepsTheProfile(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": answer(noUsers)})
	c.stdin = testKey
	c.want("login", c.service.URL)
	c.stdin = "psk_000000000000_wrong"
	c.wantError("or its user is not active; run `portside login` with another key, or check PORTSIDE_KEY [request request-1]",
		"login", c.service.URL)
	c.want("users", "list")
}

func TestLoginAcceptsAKeyWithoutTheRightToReadUsers(t *testing.T) {
	t.Parallel()
	refusal := problem(http.StatusForbidden, "FORBIDDEN", "You lack users:read.")
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": refusal})
	c.stdin = testKey
	c.want("login", c.service.URL)
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, nil)
	c.stdin = testKey
	c.wantUsageError("must be on this computer", "login", "http://portal.example.com")
	c.wantUsageError("begins with https://", "login", "ftp://portal.example.com")
	c.wantError("no such file or directory", "login", c.service.URL, "--key-file", "missing")
	if _, _, err := c.run("login", c.service.URL, "--key-file", "missing"); strings.Contains(Explain(c.last, err), "connection") {
		t.Errorf("a missing file is explained as %q", Explain(c.last, err))
	}
	c.wantUsageError("looks like https://portal.example.com", "login", "https://ada:secret@portal.example.com")
	c.wantUsageError("the name of a profile", "login", c.service.URL, "--profile", "../other")
	c.wantUsageError("the address of the deployment is missing", "login")
	c.wantUsageError("neither an address nor", "login", c.service.URL, "--local", "data")
	c.wantError("file does not exist", "login", "--local", "data")
	c.stdin = "secret\n"
	c.wantUsageError("this is not an API key", "login", c.service.URL)
	c.stdin = testKey
	c.service.Close()
	c.wantError("cannot reach the service", "login", c.service.URL)
}

func TestWhichProfileIsUsed(t *testing.T) {
	t.Parallel()
	users := map[string]http.HandlerFunc{"GET /v1/users": answer(noUsers)}
	c, other := newTestCLI(t, users), newTestCLI(t, users)
	c.stdin = testKey
	c.want("login", c.service.URL)
	c.want("login", other.service.URL, "--profile", "staging")
	c.calls, other.calls = nil, nil

	wantCalls := func(here, there int) {
		t.Helper()
		if len(c.calls) != here || len(other.calls) != there {
			t.Errorf("%d calls of the default profile and %d of staging, want %d and %d", len(c.calls), len(other.calls), here, there)
		}
	}
	c.want("users", "list")
	wantCalls(1, 0)
	c.want("users", "list", "--profile", "staging")
	wantCalls(1, 1)
	c.env[addressVariable] = other.service.URL
	c.wantUsageError("also set PORTSIDE_KEY", "users", "list") // the other server must not get the stored key
	wantCalls(1, 1)
	c.env[keyVariable] = testKey
	c.want("users", "list")
	wantCalls(1, 2)
	c.env[addressVariable] = ""
	c.env[keyVariable] = "psk_000000000000_wrong"
	c.wantError("the API key does not work", "users", "list")
	wantCalls(2, 2)
	c.env[keyVariable] = ""
	c.wantUsageError("PORTSIDE_KEY is set and empty", "users", "list")
	wantCalls(2, 2)
	c.want("users", "list", "--profile", "staging")
	wantCalls(2, 3)
	c.wantUsageError(`there is no profile "nobody"`, "users", "list", "--profile", "nobody")
}

func TestAddressesAreCompleted(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"portal.example.com": "https://portal.example.com", "https://portal.example.com/portal/users": "https://portal.example.com",
		"127.0.0.1:3000": "http://127.0.0.1:3000", "localhost:3000/portal": "http://localhost:3000", "localhost": "https://localhost",
		"https://example.com/stage/": "https://example.com/stage",
	} {
		if got, err := normalAddress(given); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", given, got, err, want)
		}
	}
}
