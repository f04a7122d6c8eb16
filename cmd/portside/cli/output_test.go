package cli_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"portside/cmd/portside/cli"
	"portside/cmd/portside/cli/clitest"
)

const wendy = `{"id":"01939f6f","email":"wendy@example.com","name":"王 \u001b[31mW","customerId":"c-1","role":"user","status":"pending",` +
	`"createdAt":"2026-03-02T09:15:30Z"}`

// twoUsers returns a page for each user.
func twoUsers(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("offset") == "1" {
		clitest.Answer(`{"data":[`+wendy+`],"pagination":{"total":2,"limit":1,"offset":1,"hasMore":false}}`)(w, r)
		return
	}
	clitest.Answer(`{"data":[`+clitest.Ada+`],"pagination":{"total":2,"limit":1,"offset":0,"hasMore":true}}`)(w, r)
}

func TestListsInEachFormat(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": twoUsers}).LoggedIn()
	clitest.WantText(t, c.Want("users", "list"),
		"ID                                    EMAIL              NAME       CUSTOMER  ROLE   STATUS   CREATED\n"+
			clitest.AdaID+"  ada@example.com    =Ada                 admin  active   2026-03-02 09:15\n"+
			"01939f6f                              wendy@example.com  王 \uFFFD[31mW  c-1       user   pending  2026-03-02 09:15\n")
	clitest.WantText(t, c.Want("users", "list", "--csv", "--limit", "1"), "id,email,name,customerId,role,status,createdAt\n"+
		clitest.AdaID+",ada@example.com,'=Ada,,admin,active,2026-03-02T09:15:30.25Z\n")
	var got []map[string]any
	err := json.Unmarshal([]byte(c.Want("users", "list", "--json")), &got)
	if err != nil || len(got) != 2 || got[1]["email"] != "wendy@example.com" || got[0]["customerId"] != nil || got[1]["customerId"] != "c-1" {
		t.Errorf("the JSON is %v: %v", got, err)
	}
	c.WantUsageError("exclude each other", "users", "list", "--json", "--csv")
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": clitest.Answer(clitest.NoUsers)}).LoggedIn()
	clitest.WantText(t, c.Want("users", "list"), "ID  EMAIL  NAME  CUSTOMER  ROLE  STATUS  CREATED\n")
	clitest.WantText(t, c.Want("users", "list", "--csv"), "id,email,name,customerId,role,status,createdAt\n")
	clitest.WantText(t, c.Want("users", "list", "--json"), "[]\n")
}

// A program must not take the first page for the list.
func TestListThatFailsLaterIsNotComplete(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "1" {
			clitest.Problem(http.StatusInternalServerError, "INTERNAL_ERROR", "Something failed.")(w, r)
			return
		}
		twoUsers(w, r)
	}}).LoggedIn()
	stdout, _, err := c.Run("users", "list", "--json")
	if err == nil || json.Valid([]byte(stdout)) {
		t.Errorf("printed %s: %v", stdout, err)
	}
	want := "Something failed; try again; if it fails again, send the request ID to your operator [request request-1]"
	clitest.WantText(t, cli.Explain(c.Last, err), want)
}

func TestCanceledCommandsStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // the service answers never
	}}).LoggedIn()
	_, _, err := c.RunIn(ctx, "users", "list")
	clitest.WantText(t, cli.Explain(c.Last, err), "stopped")
}

// The command is stopped when it reports the wait, so the test does not wait.
func TestLongWaitsAreReported(t *testing.T) {
	t.Parallel()
	invitation := "POST /v1/users/" + clitest.AdaID + "/invitation"
	c := newTestCLI(t, map[string]http.HandlerFunc{invitation: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"code":"RATE_LIMITED","detail":"An invitation was sent less than a minute ago."}`))
	}}).LoggedIn()
	ctx, cancel := context.WithCancel(t.Context())
	c.Watch = func(string) { cancel() }
	_, stderr, err := c.RunIn(ctx, "users", "invite", clitest.AdaID)
	if err == nil {
		t.Error("the command succeeds")
	}
	clitest.WantText(t, stderr, "waiting 60 s: An invitation was sent less than a minute ago\n")
	c.WantCalls(invitation)
}
