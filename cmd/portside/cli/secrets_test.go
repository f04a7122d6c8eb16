package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (c *testCLI) file(size int) string {
	c.t.Helper()
	path := filepath.Join(c.dir, "invoice.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["DELETE /v1/users/"+adaID+"/credentials"] = answer("")
	answers["GET /v1/users/"+adaID+"/api-keys"] = answer(`{"data":[{"id":"k1"},{"id":"k2"}]}`)
	answers["DELETE /v1/users/"+adaID+"/api-keys/k1"] = answer("")
	answers["DELETE /v1/users/"+adaID+"/api-keys/k2"] = problem(http.StatusNotFound, "NOT_FOUND", "The key does not exist.")
	c := newTestCLI(t, answers).loggedIn()
	c.wantUsageError("pass --all", "revoke", adaID)
	c.wantUsageError("pass --yes", "revoke", "--all", adaID)
	c.calls = nil
	if _, stderr, err := c.run("revoke", "--all", adaID, "--yes"); err != nil || !strings.Contains(stderr, "Ended all credentials of") {
		t.Errorf("%v, %s", err, stderr)
	}
	c.wantCalls("GET /v1/users/"+adaID, "DELETE /v1/users/"+adaID+"/credentials")
	c.calls = nil
	if _, stderr, err := c.run("revoke", "--all", adaID, "--yes", "--made"); err != nil {
		t.Errorf("%v, %s", err, stderr)
	}
	c.wantCalls("GET /v1/users/"+adaID, "GET /v1/users/"+adaID+"/api-keys", "DELETE /v1/users/"+adaID+"/credentials",
		"DELETE /v1/users/"+adaID+"/api-keys/k1?made=true", "DELETE /v1/users/"+adaID+"/api-keys/k2?made=true")

	answers["DELETE /v1/users/"+adaID+"/api-keys/k1"] = problem(http.StatusUnauthorized, "UNAUTHORIZED", "The key does not work.")
	newTestCLI(t, answers).loggedIn().wantError("may still work, end it with the key of another admin: k1, k2: the API key does not work",
		"revoke", "--all", adaID, "--yes", "--made")

	answers["GET /v1/users/"+adaID+"/api-keys"] = answer(`{"data":[{"id":"k1"},{"id":"3vQB7B6MrGQZ"}]}`)
	own := newTestCLI(t, answers).loggedIn()
	own.wantUsageError("--made needs the key of another admin", "revoke", "--all", adaID, "--yes", "--made")
	own.wantCalls("GET /v1/users/"+adaID, "GET /v1/users/"+adaID+"/api-keys")
}

func TestTokensOfTheCallerAndOfAnotherUser(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /api/v1/tokens": answer(`{"data":[]}`), "POST /v1/projects": answer(`{"data":{"id":"7"}}`),
	}).loggedIn()
	c.want("tokens", "list")
	c.want("tokens", "list", "--user", adaID)
	c.wantCalls("GET /api/v1/tokens", "GET /api/v1/tokens?userId="+adaID)
	c.want("projects", "create", "Engine") // the caller owns it
	c.want("projects", "create", "Engine", "--owner", adaID)
	if want := []string{"", "", `{"name":"Engine"}`, `{"name":"Engine","ownerId":"` + adaID + `"}`}; !slices.Equal(c.bodies, want) {
		t.Errorf("sent %q, want %q", c.bodies, want)
	}
}

func TestTokensArePrintedOnce(t *testing.T) {
	t.Parallel()
	made := `{"data":{"id":"t1","name":"nightly","token":"pst_t1_x","scopes":["read:helm-charts"],"expiresAt":"2028-03-02T09:15:30Z"}}`
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"POST /api/v1/tokens":      answer(made),
		"GET /api/v1/tokens/t1":    answer(`{"data":{"id":"t1","name":"nightly","kind":"token"}}`),
		"GET /api/v1/tokens/t2":    problem(http.StatusNotFound, "NOT_FOUND", "There is no such token."),
		"DELETE /api/v1/tokens/t1": answer(""),
	}).loggedIn()
	wantText(t, c.want("tokens", "create", "--name", "nightly", "--scope", "read:helm-charts", "--days", "3"), "pst_t1_x\n")
	wantText(t, c.bodies[0], `{"expiration_days":3,"name":"nightly","scopes":["read:helm-charts"]}`)
	got := c.want("tokens", "create", "--name", "nightly", "--scope", "read:helm-charts", "--csv")
	if !strings.Contains(got, "t1,nightly,pst_t1_x") {
		t.Error(got)
	}
	c.calls = nil
	c.wantUsageError("pass --yes", "tokens", "revoke", "t1")
	c.wantError("There is no such token", "tokens", "revoke", "t2")
	c.want("tokens", "revoke", "t1", "--line", "--yes")
	c.wantCalls("GET /api/v1/tokens/t1", "GET /api/v1/tokens/t2", "DELETE /api/v1/tokens/t1?line=true")
	c.wantUsageError("pass --name and --scope", "tokens", "create")
}

func TestExtractPrintsEachVariable(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"POST /v1/capabilities/extract/media": answer(`{"extracted_data":{"total":12.5,"due":null},"warnings":["one page is empty"]}`),
	}).loggedIn()
	got := c.want("extract", c.file(10), "--var", "total:number:amount: with tax", "--var", "due:date", "--csv")
	wantText(t, got, "name,value\ntotal,12.5\ndue,\n")
	if !strings.Contains(c.bodies[0], "amount: with tax") {
		t.Errorf("sent %s", c.bodies[0])
	}
	c.wantUsageError("pass at least one --var", "extract", "x")
	c.wantUsageError("write NAME:TYPE", "extract", "x", "--var", "total")
	c.wantUsageError("is a folder", "extract", c.dir, "--var", "total:number")
}

func TestLargeFilesAreUploadedAndAwaited(t *testing.T) {
	t.Parallel()
	var stored int64
	var c *testCLI
	storage := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		stored = r.ContentLength
		if err != nil || !strings.Contains(string(body), "policy") || r.ContentLength != int64(len(body)) || r.Header.Get("X-API-Key") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}
	other := newStorage(t, storage)
	c = newTestCLI(t, map[string]http.HandlerFunc{
		"POST /v1/uploads": answer(`{"uploadId":"u1","url":"` + other + `","fields":{"policy":"p"}}`),
		"POST /v1/capabilities/extract/media": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/v1/capabilities/jobs/j1")
			w.WriteHeader(http.StatusAccepted)
		},
		"GET /v1/capabilities/jobs/j1": answer(`{"id":"j1","status":"succeeded","result":{"extracted_data":{"total":7},"warnings":[]}}`),
	}).loggedIn()
	got := c.want("extract", c.file(maxFormBytes+1), "--var", "total:number")
	if stored <= maxFormBytes || !strings.HasSuffix(got, "total  7\n") || !strings.Contains(c.bodies[1], "u1") {
		t.Errorf("stored %d bytes, printed\n%s", stored, got)
	}
}
