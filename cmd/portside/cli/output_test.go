package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const (
	ada = `{"id":"` + adaID + `","email":"ada@example.com","name":"=Ada","customerId":null,"role":"admin","status":"active",
"createdAt":"2026-03-02T09:15:30.25Z"}`
	wendy = `{"id":"01939f6f","email":"wendy@example.com","name":"王 \u001b[31mW","customerId":"c-1","role":"user","status":"pending",` +
		`"createdAt":"2026-03-02T09:15:30Z"}`
)

// twoUsers returns a page for each user.
func twoUsers(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("offset") == "1" {
		answer(`{"data":[`+wendy+`],"pagination":{"total":2,"limit":1,"offset":1,"hasMore":false}}`)(w, r)
		return
	}
	answer(`{"data":[`+ada+`],"pagination":{"total":2,"limit":1,"offset":0,"hasMore":true}}`)(w, r)
}

func TestListsInEachFormat(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": twoUsers}).loggedIn()
	wantText(t, c.want("users", "list"),
		"ID                                    EMAIL              NAME       CUSTOMER  ROLE   STATUS   CREATED\n"+
			adaID+"  ada@example.com    =Ada                 admin  active   2026-03-02 09:15\n"+
			"01939f6f                              wendy@example.com  王 \uFFFD[31mW  c-1       user   pending  2026-03-02 09:15\n")
	wantText(t, c.want("users", "list", "--csv", "--limit", "1"), "id,email,name,customerId,role,status,createdAt\n"+
		adaID+",ada@example.com,'=Ada,,admin,active,2026-03-02T09:15:30.25Z\n")
	var got []map[string]any
	err := json.Unmarshal([]byte(c.want("users", "list", "--json")), &got)
	if err != nil || len(got) != 2 || got[1]["email"] != "wendy@example.com" || got[0]["customerId"] != nil || got[1]["customerId"] != "c-1" {
		t.Errorf("the JSON is %v: %v", got, err)
	}
	c.wantUsageError("exclude each other", "users", "list", "--json", "--csv")
}

func TestEmptyLists(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": answer(noUsers)}).loggedIn()
	wantText(t, c.want("users", "list"), "ID  EMAIL  NAME  CUSTOMER  ROLE  STATUS  CREATED\n")
	wantText(t, c.want("users", "list", "--csv"), "id,email,name,customerId,role,status,createdAt\n")
	wantText(t, c.want("users", "list", "--json"), "[]\n")
}

// A program must not take the first page for the list.
func TestListThatFailsLaterIsNotComplete(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "1" {
			problem(http.StatusInternalServerError, "INTERNAL_ERROR", "Something failed.")(w, r)
			return
		}
		twoUsers(w, r)
	}}).loggedIn()
	stdout, _, err := c.run("users", "list", "--json")
	if err == nil || json.Valid([]byte(stdout)) {
		t.Errorf("printed %s: %v", stdout, err)
	}
	want := "Something failed; try again; if it fails again, send the request ID to your operator [request request-1]"
	wantText(t, Explain(c.last, err), want)
}

func TestTablesHaveColorsOnATerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeTable(&out, []string{"ID", "STATUS"}, [][]string{{"1", "suspended"}}, true); err != nil {
		t.Fatal(err)
	}
	wantText(t, out.String(), bold+"ID"+plain+"  "+bold+"STATUS"+plain+"\n1   "+red+"suspended"+plain+"\n")
}

func TestCanceledCommandsStop(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/users": func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done() // the service answers never
	}}).loggedIn()
	_, _, err := c.runIn(ctx, "users", "list")
	wantText(t, Explain(c.last, err), "stopped")
}

// The command is stopped when it reports the wait, so the test does not wait.
func TestLongWaitsAreReported(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["POST /v1/users/"+adaID+"/invitation"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"code":"RATE_LIMITED","detail":"An invitation was sent less than a minute ago."}`))
	}
	c := newTestCLI(t, answers).loggedIn()
	ctx, cancel := context.WithCancel(t.Context())
	c.watch = func(string) { cancel() }
	_, stderr, err := c.runIn(ctx, "users", "invite", adaID)
	if err == nil {
		t.Error("the command succeeds")
	}
	wantText(t, stderr, "waiting 60 s: An invitation was sent less than a minute ago\n")
	c.wantCalls("POST /v1/users/" + adaID + "/invitation")
}
