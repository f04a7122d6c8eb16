package resources

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

func newFile(t *testing.T, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "invoice.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["DELETE /v1/users/"+adaID+"/credentials"] = clitest.Answer("")
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"k1"},{"id":"k2"}]}`)
	answers["DELETE /v1/users/"+adaID+"/api-keys/k1"] = clitest.Answer("")
	answers["DELETE /v1/users/"+adaID+"/api-keys/k2"] = clitest.Problem(http.StatusNotFound, "NOT_FOUND", "The key does not exist.")
	c := newTestCLI(t, answers).LoggedIn()
	c.WantUsageError("pass --all", "revoke", adaID)
	c.WantUsageError("pass --yes", "revoke", "--all", adaID)
	c.Calls = nil
	if _, stderr, err := c.Run("revoke", "--all", adaID, "--yes"); err != nil || !strings.Contains(stderr, "Ended all credentials of") {
		t.Errorf("%v, %s", err, stderr)
	}
	c.WantCalls("GET /v1/users/"+adaID, "DELETE /v1/users/"+adaID+"/credentials")
	c.Calls = nil
	if _, stderr, err := c.Run("revoke", "--all", adaID, "--yes", "--made"); err != nil {
		t.Errorf("%v, %s", err, stderr)
	}
	c.WantCalls("GET /v1/users/"+adaID, "GET /v1/users/"+adaID+"/api-keys", "DELETE /v1/users/"+adaID+"/credentials",
		"DELETE /v1/users/"+adaID+"/api-keys/k1?made=true", "DELETE /v1/users/"+adaID+"/api-keys/k2?made=true")

	answers["DELETE /v1/users/"+adaID+"/api-keys/k1"] = clitest.Problem(http.StatusUnauthorized, "UNAUTHORIZED", "The key does not work.")
	newTestCLI(t, answers).LoggedIn().WantError("may still work, end it with the key of another admin: k1, k2: the API key does not work",
		"revoke", "--all", adaID, "--yes", "--made")

	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"k1"},{"id":"3vQB7B6MrGQZ"}]}`)
	own := newTestCLI(t, answers).LoggedIn()
	own.WantUsageError("--made needs the key of another admin", "revoke", "--all", adaID, "--yes", "--made")
	own.WantCalls("GET /v1/users/"+adaID, "GET /v1/users/"+adaID+"/api-keys")
}

func TestTokensOfTheCallerAndOfAnotherUser(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /api/v1/tokens": clitest.Answer(`{"data":[]}`), "POST /v1/projects": clitest.Answer(`{"data":{"id":"7"}}`),
	}).LoggedIn()
	c.Want("tokens", "list")
	c.Want("tokens", "list", "--user", adaID)
	c.WantCalls("GET /api/v1/tokens", "GET /api/v1/tokens?userId="+adaID)
	c.Want("projects", "create", "Engine") // the caller owns it
	c.Want("projects", "create", "Engine", "--owner", adaID)
	if want := []string{"", "", `{"name":"Engine"}`, `{"name":"Engine","ownerId":"` + adaID + `"}`}; !slices.Equal(c.Bodies, want) {
		t.Errorf("sent %q, want %q", c.Bodies, want)
	}
}

func TestTokensArePrintedOnce(t *testing.T) {
	t.Parallel()
	made := `{"data":{"id":"t1","name":"nightly","token":"pst_t1_x","scopes":["read:helm-charts"],"expiresAt":"2028-03-02T09:15:30Z"}}`
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"POST /api/v1/tokens":      clitest.Answer(made),
		"GET /api/v1/tokens/t1":    clitest.Answer(`{"data":{"id":"t1","name":"nightly","kind":"token"}}`),
		"GET /api/v1/tokens/t2":    clitest.Problem(http.StatusNotFound, "NOT_FOUND", "There is no such token."),
		"DELETE /api/v1/tokens/t1": clitest.Answer(""),
	}).LoggedIn()
	clitest.WantText(t, c.Want("tokens", "create", "--name", "nightly", "--scope", "read:helm-charts", "--days", "3"), "pst_t1_x\n")
	clitest.WantText(t, c.Bodies[0], `{"expiration_days":3,"name":"nightly","scopes":["read:helm-charts"]}`)
	got := c.Want("tokens", "create", "--name", "nightly", "--scope", "read:helm-charts", "--csv")
	if !strings.Contains(got, "t1,nightly,pst_t1_x") {
		t.Error(got)
	}
	c.Calls = nil
	c.WantUsageError("pass --yes", "tokens", "revoke", "t1")
	c.WantError("There is no such token", "tokens", "revoke", "t2")
	c.Want("tokens", "revoke", "t1", "--line", "--yes")
	c.WantCalls("GET /api/v1/tokens/t1", "GET /api/v1/tokens/t2", "DELETE /api/v1/tokens/t1?line=true")
	c.WantUsageError("pass --name and --scope", "tokens", "create")
}

func TestExtractPrintsEachVariable(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"POST /v1/capabilities/extract/media": clitest.Answer(`{"extracted_data":{"total":12.5,"due":null},"warnings":["one page is empty"]}`),
	}).LoggedIn()
	got := c.Want("extract", newFile(t, 10), "--var", "total:number:amount: with tax", "--var", "due:date", "--csv")
	clitest.WantText(t, got, "name,value\ntotal,12.5\ndue,\n")
	if !strings.Contains(c.Bodies[0], "amount: with tax") {
		t.Errorf("sent %s", c.Bodies[0])
	}
	c.WantUsageError("pass at least one --var", "extract", "x")
	c.WantUsageError("write NAME:TYPE", "extract", "x", "--var", "total")
	c.WantUsageError("is a folder", "extract", c.Dir, "--var", "total:number")
}

func TestLargeFilesAreUploadedAndAwaited(t *testing.T) {
	t.Parallel()
	var stored int64
	var c *clitest.CLI
	storage := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		stored = r.ContentLength
		if err != nil || !strings.Contains(string(body), "policy") || r.ContentLength != int64(len(body)) || r.Header.Get("X-API-Key") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	other := clitest.NewStorage(t, storage)
	c = newTestCLI(t, map[string]http.HandlerFunc{
		"POST /v1/uploads": clitest.Answer(`{"uploadId":"u1","url":"` + other + `","fields":{"policy":"p"}}`),
		"POST /v1/capabilities/extract/media": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/v1/capabilities/jobs/j1")
			w.WriteHeader(http.StatusAccepted)
		},
		"GET /v1/capabilities/jobs/j1": clitest.Answer(`{"id":"j1","status":"succeeded","result":{"extracted_data":{"total":7},"warnings":[]}}`),
	}).LoggedIn()
	got := c.Want("extract", newFile(t, maxFormBytes+1), "--var", "total:number")
	if stored <= maxFormBytes || !strings.HasSuffix(got, "total  7\n") || !strings.Contains(c.Bodies[1], "u1") {
		t.Errorf("stored %d bytes, printed\n%s", stored, got)
	}
}
