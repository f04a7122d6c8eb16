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

	"portside/testclient"
)

// TestService runs many tests on one stack. Rate limits are off because of the many requests;
// TestRateLimit tests them.
func TestService(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
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
		{"four eyes and a leak", testFourEyes},
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
	p.admin(t).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.role", "admin").WantValue("data.0.status", "active").WantValue("data.0.email", "admin@localhost")
	p.anonymous(t).Get("/v1/users").WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
}

func testUserLifecycle(t *testing.T, p *testStack) {
	root := p.admin(t)
	created := root.Post("/v1/users", `{"email":" Ada@Example.com ","name":"Ada","role":"user","department":"Engines",`+
		`"metadata":{"seat":12345678901234567890},"sendActivationEmail":false}`).WantStatus(http.StatusCreated).
		WantValue("data.email", "ada@example.com").WantValue("data.status", "active").
		WantValue("data.lastLoginAt", nil).WantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost digits: %s", created.Body)
	}
	if _, count := p.newestMail(t, "ada@example.com"); count != 0 {
		t.Errorf("%d unexpected mails", count)
	}
	at := created.Header.Get("Location")
	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)

	root.With("If-Match", `"1"`).Put(at, `{"name":"Ada L.","role":"manager"}`).WantStatus(http.StatusOK).
		WantValue("data.name", "Ada L.").WantValue("data.department", "Engines").WantHeader("ETag", `"2"`)
	root.With("If-Match", `"1"`).Put(at, `{"name":"Lost"}`).WantStatus(http.StatusPreconditionFailed).
		WantValue("code", "PRECONDITION_FAILED")
	root.Get("/v1/users?role=manager").WantValue("pagination.total", 1).WantValue("data.0.name", "Ada L.")
	root.Get("/v1/users?role=user").WantValue("pagination.total", 0).WantValue("data", []any{})

	root.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", `"2"`).Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Get("/v1/users").WantValue("pagination.total", 1)
	root.Post("/v1/users", newUser("ada@example.com", "user")).WantStatus(http.StatusCreated) // the address is free again
}

// testPagination pages through the viewers. No other test creates viewers before it.
func testPagination(t *testing.T, p *testStack) {
	const count, limit = 27, 10
	root := p.admin(t)
	before := root.Get("/v1/users").Number("pagination.total")
	var want []string
	for i := range count {
		want = append(want, fmt.Sprintf("viewer%02d@example.com", i))
		root.Post("/v1/users", newUser(want[i], "viewer")).WantStatus(http.StatusCreated)
	}
	root.Get("/v1/users?limit=1").WantValue("pagination.total", before+count).WantValue("pagination.hasMore", true)

	var got []string
	for offset := 0; offset < count; offset += limit {
		page := root.Get(fmt.Sprintf("/v1/users?role=viewer&limit=%d&offset=%d", limit, offset)).WantStatus(http.StatusOK).
			WantValue("pagination", map[string]any{
				"total": float64(count), "limit": float64(limit), "offset": float64(offset), "hasMore": offset+limit < count,
			})
		for i := range page.List("data") {
			got = append(got, page.Text(fmt.Sprintf("data.%d.email", i)))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %q", got)
	}
	root.Get("/v1/users?role=viewer&limit=7&offset=20").WantValue("pagination.hasMore", false).
		WantValue("data.6.email", want[26])
	root.Get("/v1/users?role=viewer&offset=27").WantValue("data", []any{}).WantValue("pagination.total", count).
		WantValue("pagination.hasMore", false)
}

func testIdempotency(t *testing.T, p *testStack) {
	once := p.admin(t).With("Idempotency-Key", "order 66")
	body := `{"email":"once@example.com","name":"Once","role":"user"}`
	first := once.Post("/v1/users", body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	second := once.Post("/v1/users", body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true").
		WantHeader("Location", first.Header.Get("Location"))
	if !bytes.Equal(second.Body, first.Body) {
		t.Errorf("the replay differs:\n%s\n%s", second.Body, first.Body)
	}
	once.Post("/v1/users", newUser("other@example.com", "user")).WantStatus(http.StatusUnprocessableEntity).
		WantValue("code", "IDEMPOTENCY_KEY_REUSED")
	if _, count := p.newestMail(t, "once@example.com"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
}

func testUniqueEmail(t *testing.T, p *testStack) {
	root := p.admin(t)
	root.Post("/v1/users", newUser("taken@example.com", "user")).WantStatus(http.StatusCreated)
	root.Post("/v1/users", newUser("TAKEN@example.com", "user")).WantStatus(http.StatusConflict).
		WantValue("code", "EMAIL_TAKEN").WantHeader("X-Should-Retry", "false")

	before := root.Get("/v1/users").Number("pagination.total")
	statuses := testclient.Concurrently(8, func(int) int {
		a, err := root.Send(http.MethodPost, "/v1/users", newUser("same@example.com", "user"))
		if err != nil {
			t.Error(err)
		}
		return a.Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("statuses %v, want one 201 and seven 409", statuses)
	}
	root.Get("/v1/users").WantValue("pagination.total", before+1)
}

func testActivation(t *testing.T, p *testStack) {
	created := p.admin(t).Post("/v1/users", `{"email":"grace@example.com","name":"Grace <b>","role":"user"}`).
		WantStatus(http.StatusCreated).WantValue("data.status", "pending")
	mail, count := p.newestMail(t, "grace@example.com")
	if count != 1 || !strings.Contains(mail.Text("html"), "Grace &lt;b&gt;") {
		t.Fatalf("%d mails, the newest with %s", count, mail.Text("html"))
	}
	page, token := p.mailedLink(t, "grace@example.com")
	p.activate(t, page, token, created.Header.Get("Location"))
}

// activate follows the link of a mail and activates the user.
func (p *testStack) activate(t *testing.T, page, token, at string) {
	t.Helper()
	visitor := p.anonymous(t)
	visitor.Get(page).WantStatus(http.StatusOK).WantHeader("Content-Type", "text/html; charset=utf-8").
		WantHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.Get(page)) {
		visitor.Get(file).WantStatus(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	key := visitor.Post("/v1/users/activate", body).WantStatus(http.StatusOK).
		WantValue("data.status", "active").Text("data.apiKey")
	visitor.as(key).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active")
	visitor.Post("/v1/users/activate", body).WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
	visitor.as(token).Get(at).WantStatus(http.StatusUnauthorized) // a link's token is not an API key
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
	list := p.admin(t).Get("/v1/users?limit=100").WantStatus(http.StatusOK).WantValue("pagination.hasMore", false)
	for _, entry := range list.List("data") {
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
	made := me.Post(at+"/api-keys", `{"name":"build server","expirationDays":30}`).WantStatus(http.StatusCreated)
	second := p.anonymous(t).as(made.Text("data.key"))
	second.Get(at).WantStatus(http.StatusOK)
	listed := second.Get(at+"/api-keys").WantStatus(http.StatusOK).WantValue("data.2", nil)
	if credential.Match(listed.Body) {
		t.Error("the list shows a key")
	}
	me.Delete(at + "/api-keys/" + made.Text("data.id")).WantStatus(http.StatusNoContent)
	second.Get(at).WantStatus(http.StatusUnauthorized)
	me.Get(at).WantStatus(http.StatusOK)
}

func testSuspendedUser(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "suspended@example.com", "manager")
	me, root := p.anonymous(t).as(key), p.admin(t)
	me.Get("/v1/users").WantStatus(http.StatusOK)
	root.Put(at, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	me.Get("/v1/users").WantStatus(http.StatusUnauthorized)
	root.Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	me.Get("/v1/users").WantStatus(http.StatusOK)
	root.Delete(at).WantStatus(http.StatusNoContent)
	me.Get("/v1/users").WantStatus(http.StatusUnauthorized)
}

func testPermissions(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "plain@example.com", "user")
	plain := p.anonymous(t).as(key)
	plain.Get("/v1/users").WantStatus(http.StatusOK)
	plain.Post("/v1/users", newUser("x@example.com", "user")).WantStatus(http.StatusForbidden).
		WantValue("code", "FORBIDDEN")
	plain.Put(at, `{"role":"admin"}`).WantStatus(http.StatusForbidden)
	admin := p.userPath(t, "admin@localhost")
	plain.Get(admin + "/api-keys").WantStatus(http.StatusForbidden)
	p.admin(t).Delete(admin).WantStatus(http.StatusConflict) // the last admin
}
