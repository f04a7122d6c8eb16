package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestService runs many tests on one stack. Rate limits are off because of the many requests;
// TestRateLimit tests them.
func TestService(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, new(int))
	for _, part := range []struct {
		name string
		run  func(*testing.T, *testStack)
	}{
		{"the first admin", testFirstAdmin},
		{"user lifecycle", testUserLifecycle},
		{"pagination", testPagination},
		{"idempotency", testIdempotency},
		{"unique email", testUniqueEmail},
		{"activation by mail", testActivation},
		{"scheduled mail", testScheduledMail},
		{"a credential request", testCredentialRequest},
		{"API keys", testAPIKeys},
		{"a suspended user", testSuspendedUser},
		{"permissions", testPermissions},
		{"system pages", testSystemPages},
		{"OpenAPI document", testOpenAPIDocument},
		{"invalid bodies", testInvalidBodies},
		{"too large bodies", testLargeBodies},
		{"invalid queries and paths", testInvalidTargets},
		{"invalid credentials", testInvalidCredentials},
		{"CORS", testCORS},
		{"methods and headers", testMethodsAndHeaders},
		{"no rate limit", testNoRateLimit},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, p) })
	}
	p.checkNoSecretsLeaked(t) // while the engines are running
	stop()
	p.checkNoSecretsLeaked(t)
}

func testFirstAdmin(t *testing.T, p *testStack) {
	info, err := os.Stat(filepath.Join(p.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key file's mode is %v", info.Mode())
	}
	p.admin(t).get("/v1/users").wantStatus(http.StatusOK).wantValue("pagination.total", 1).
		wantValue("data.0.role", "admin").wantValue("data.0.status", "active").wantValue("data.0.email", "admin@localhost")
	p.anonymous(t).get("/v1/users").wantStatus(http.StatusUnauthorized).wantValue("code", "UNAUTHORIZED")
}

func testUserLifecycle(t *testing.T, p *testStack) {
	root := p.admin(t)
	created := root.post("/v1/users", `{"email":" Ada@Example.com ","name":"Ada","role":"user","department":"Engines",`+
		`"metadata":{"seat":12345678901234567890},"sendActivationEmail":false}`).wantStatus(http.StatusCreated).
		wantValue("data.email", "ada@example.com").wantValue("data.status", "active").
		wantValue("data.lastLoginAt", nil).wantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.body), "12345678901234567890") {
		t.Errorf("a number lost digits: %s", created.body)
	}
	if _, count := p.newestMail(t, "ada@example.com"); count != 0 {
		t.Errorf("%d unexpected mails", count)
	}
	at := created.header.Get("Location")
	root.get(at).wantStatus(http.StatusOK).wantValue("", created.json("")).wantHeader("ETag", `"1"`)

	root.with("If-Match", `"1"`).put(at, `{"name":"Ada L.","role":"manager"}`).wantStatus(http.StatusOK).
		wantValue("data.name", "Ada L.").wantValue("data.department", "Engines").wantHeader("ETag", `"2"`)
	root.with("If-Match", `"1"`).put(at, `{"name":"Lost"}`).wantStatus(http.StatusPreconditionFailed).
		wantValue("code", "PRECONDITION_FAILED")
	root.get("/v1/users?role=manager").wantValue("pagination.total", 1).wantValue("data.0.name", "Ada L.")
	root.get("/v1/users?role=user").wantValue("pagination.total", 0).wantValue("data", []any{})

	root.with("If-Match", `"1"`).delete(at).wantStatus(http.StatusPreconditionFailed)
	root.with("If-Match", `"2"`).delete(at).wantStatus(http.StatusNoContent)
	root.get(at).wantStatus(http.StatusNotFound).wantValue("code", "NOT_FOUND")
	root.get("/v1/users").wantValue("pagination.total", 1)
	root.post("/v1/users", newUser("ada@example.com", "user")).wantStatus(http.StatusCreated) // the address is free again
}

// testPagination pages through the viewers. No other test creates viewers before it.
func testPagination(t *testing.T, p *testStack) {
	const count, limit = 27, 10
	root := p.admin(t)
	before := root.get("/v1/users").number("pagination.total")
	var want []string
	for i := range count {
		want = append(want, fmt.Sprintf("viewer%02d@example.com", i))
		root.post("/v1/users", newUser(want[i], "viewer")).wantStatus(http.StatusCreated)
	}
	root.get("/v1/users?limit=1").wantValue("pagination.total", before+count).wantValue("pagination.hasMore", true)

	var got []string
	for offset := 0; offset < count; offset += limit {
		page := root.get(fmt.Sprintf("/v1/users?role=viewer&limit=%d&offset=%d", limit, offset)).wantStatus(http.StatusOK).
			wantValue("pagination", map[string]any{
				"total": float64(count), "limit": float64(limit), "offset": float64(offset), "hasMore": offset+limit < count,
			})
		for i := range page.list("data") {
			got = append(got, page.text(fmt.Sprintf("data.%d.email", i)))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %q", got)
	}
	root.get("/v1/users?role=viewer&limit=7&offset=20").wantValue("pagination.hasMore", false).
		wantValue("data.6.email", want[26])
	root.get("/v1/users?role=viewer&offset=27").wantValue("data", []any{}).wantValue("pagination.total", count).
		wantValue("pagination.hasMore", false)
}

func testIdempotency(t *testing.T, p *testStack) {
	once := p.admin(t).with("Idempotency-Key", "order 66")
	body := `{"email":"once@example.com","name":"Once","role":"user"}`
	first := once.post("/v1/users", body).wantStatus(http.StatusCreated).wantHeader("Idempotency-Replayed", "")
	second := once.post("/v1/users", body).wantStatus(http.StatusCreated).wantHeader("Idempotency-Replayed", "true").
		wantHeader("Location", first.header.Get("Location"))
	if !bytes.Equal(second.body, first.body) {
		t.Errorf("the replay differs:\n%s\n%s", second.body, first.body)
	}
	once.post("/v1/users", newUser("other@example.com", "user")).wantStatus(http.StatusUnprocessableEntity).
		wantValue("code", "UNPROCESSABLE")
	if _, count := p.newestMail(t, "once@example.com"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
}

func testUniqueEmail(t *testing.T, p *testStack) {
	root := p.admin(t)
	root.post("/v1/users", newUser("taken@example.com", "user")).wantStatus(http.StatusCreated)
	root.post("/v1/users", newUser("TAKEN@example.com", "user")).wantStatus(http.StatusConflict).
		wantValue("code", "CONFLICT").wantHeader("X-Should-Retry", "false")

	before := root.get("/v1/users").number("pagination.total")
	statuses := runConcurrently(8, func(int) int {
		a, err := root.send(http.MethodPost, "/v1/users", newUser("same@example.com", "user"))
		if err != nil {
			t.Error(err)
		}
		return a.status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("statuses %v, want one 201 and seven 409", statuses)
	}
	root.get("/v1/users").wantValue("pagination.total", before+1)
}

func testActivation(t *testing.T, p *testStack) {
	created := p.admin(t).post("/v1/users", `{"email":"grace@example.com","name":"Grace <b>","role":"user"}`).
		wantStatus(http.StatusCreated).wantValue("data.status", "pending")
	mail, count := p.newestMail(t, "grace@example.com")
	if count != 1 || !strings.Contains(mail.text("html"), "Grace &lt;b&gt;") {
		t.Fatalf("%d mails, the newest with %s", count, mail.text("html"))
	}
	page, token := p.mailedLink(t, "grace@example.com")
	p.activate(t, page, token, created.header.Get("Location"))
}

// activate follows the link of a mail and activates the user.
func (p *testStack) activate(t *testing.T, page, token, at string) {
	t.Helper()
	visitor := p.anonymous(t)
	visitor.get(page).wantStatus(http.StatusOK).wantHeader("Content-Type", "text/html; charset=utf-8").
		wantHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.get(page)) {
		visitor.get(file).wantStatus(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	key := visitor.post("/v1/users/activate", body).wantStatus(http.StatusOK).
		wantValue("data.status", "active").text("data.apiKey")
	visitor.as(key).get(at).wantStatus(http.StatusOK).wantValue("data.status", "active")
	visitor.post("/v1/users/activate", body).wantStatus(http.StatusUnauthorized).wantValue("code", "UNAUTHORIZED")
	visitor.as(token).get(at).wantStatus(http.StatusUnauthorized) // a link's token is not an API key
}

// testScheduledMail imports users, whose mails the schedule sends, and invokes the schedule's
// function.
func testScheduledMail(t *testing.T, p *testStack) {
	file := filepath.Join(t.TempDir(), "people.csv")
	rows := "email,name,role,sendActivationEmail\nimported@example.com,Imported,user,\nquiet@example.com,Quiet,user,false\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	operator := filepath.Join(repository, ".local", "bin", "portside")
	for range 2 { // the second import finds all users
		p.runCommand(t, operator, "import-users", "--local", p.data, "--send-activation-email", file)
	}
	p.invoke(t, "SendMailFunction", "sendmail/schedule.json")
	p.invoke(t, "SendMailFunction", "sendmail/empty.json") // no mail is due
	for to, want := range map[string]int{"imported@example.com": 1, "quiet@example.com": 0} {
		if _, count := p.newestMail(t, to); count != want {
			t.Errorf("%d mails to %s, want %d", count, to, want)
		}
	}
	page, token := p.mailedLink(t, "imported@example.com")
	p.activate(t, page, token, p.userPath(t, "imported@example.com"))
}

// userPath finds a user in the list and returns the user's path.
func (p *testStack) userPath(t *testing.T, email string) string {
	t.Helper()
	list := p.admin(t).get("/v1/users?limit=100").wantStatus(http.StatusOK).wantValue("pagination.hasMore", false)
	for _, entry := range list.list("data") {
		if user := entry.(map[string]any); user["email"] == email {
			return "/v1/users/" + user["id"].(string)
		}
	}
	t.Fatalf("user %s not found", email)
	return ""
}

func testAPIKeys(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "keys@example.com", "user")
	me := p.anonymous(t).as(key)
	made := me.post(at+"/api-keys", `{"name":"build server","expirationDays":30}`).wantStatus(http.StatusCreated)
	second := p.anonymous(t).as(made.text("data.key"))
	second.get(at).wantStatus(http.StatusOK)
	listed := second.get(at+"/api-keys").wantStatus(http.StatusOK).wantValue("data.2", nil)
	if credential.Match(listed.body) {
		t.Error("the list shows a key")
	}
	me.delete(at + "/api-keys/" + made.text("data.id")).wantStatus(http.StatusNoContent)
	second.get(at).wantStatus(http.StatusUnauthorized)
	me.get(at).wantStatus(http.StatusOK)
}

func testSuspendedUser(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "suspended@example.com", "manager")
	me, root := p.anonymous(t).as(key), p.admin(t)
	me.get("/v1/users").wantStatus(http.StatusOK)
	root.put(at, `{"status":"suspended"}`).wantStatus(http.StatusOK)
	me.get("/v1/users").wantStatus(http.StatusUnauthorized)
	root.put(at, `{"status":"active"}`).wantStatus(http.StatusOK)
	me.get("/v1/users").wantStatus(http.StatusOK)
	root.delete(at).wantStatus(http.StatusNoContent)
	me.get("/v1/users").wantStatus(http.StatusUnauthorized)
}

func testPermissions(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "plain@example.com", "user")
	plain := p.anonymous(t).as(key)
	plain.get("/v1/users").wantStatus(http.StatusOK)
	plain.post("/v1/users", newUser("x@example.com", "user")).wantStatus(http.StatusForbidden).
		wantValue("code", "FORBIDDEN")
	plain.put(at, `{"role":"admin"}`).wantStatus(http.StatusForbidden)
	admin := p.userPath(t, "admin@localhost")
	plain.get(admin + "/api-keys").wantStatus(http.StatusForbidden)
	p.admin(t).delete(admin).wantStatus(http.StatusConflict) // the last admin
}
