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

// TestTheService is one long visit to one stack. Limits are off, for the visit is a busy one; TestRateLimit has them on.
func TestTheService(t *testing.T) {
	p := newPortal(t)
	stop := p.start(t, new(int))
	for _, part := range []struct {
		name string
		play func(*testing.T, *portal)
	}{
		{"the first admin", firstAdmin},
		{"life of a user", lifeOfAUser},
		{"pages", pages},
		{"a request repeated", repeated},
		{"one address, one user", oneAddress},
		{"activation by mail", activation},
		{"mail left unsent", unsentMail},
		{"a credential request", credentialRequest},
		{"API keys", apiKeys},
		{"a suspended user", suspended},
		{"who may what", permissions},
		{"system pages", systemPages},
		{"the API's description", description},
		{"bad bodies", badBodies},
		{"bodies too large", largeBodies},
		{"bad queries and paths", badTargets},
		{"bad credentials", badCredentials},
		{"browsers", browsers},
		{"methods and headers", methodsAndHeaders},
		{"no limit", unlimited},
	} {
		t.Run(part.name, func(t *testing.T) { part.play(t, p) })
	}
	p.secretsAreNowhere(t) // while the engines still write
	stop()
	p.secretsAreNowhere(t)
}

func firstAdmin(t *testing.T, p *portal) {
	info, err := os.Stat(filepath.Join(p.data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key file's mode is %v", info.Mode())
	}
	p.root(t).get("/v1/users").is(http.StatusOK).has("pagination.total", 1).
		has("data.0.role", "admin").has("data.0.status", "active").has("data.0.email", "admin@localhost")
	p.visitor(t).get("/v1/users").is(http.StatusUnauthorized).has("code", "UNAUTHORIZED")
}

func lifeOfAUser(t *testing.T, p *portal) {
	root := p.root(t)
	created := root.post("/v1/users", `{"email":" Ada@Example.com ","name":"Ada","role":"user","department":"Engines",`+
		`"metadata":{"seat":12345678901234567890},"sendActivationEmail":false}`).is(http.StatusCreated).
		has("data.email", "ada@example.com").has("data.status", "active").has("data.lastLoginAt", nil).hasHeader("ETag", `"1"`)
	if !strings.Contains(string(created.body), "12345678901234567890") {
		t.Errorf("a number lost digits on its way: %s", created.body)
	}
	if _, count := p.letter(t, "ada@example.com"); count != 0 {
		t.Errorf("%d mails came that nobody asked for", count)
	}
	at := created.header.Get("Location")
	root.get(at).is(http.StatusOK).has("", created.json("")).hasHeader("ETag", `"1"`)

	root.with("If-Match", `"1"`).put(at, `{"name":"Ada L.","role":"manager"}`).is(http.StatusOK).
		has("data.name", "Ada L.").has("data.department", "Engines").hasHeader("ETag", `"2"`)
	root.with("If-Match", `"1"`).put(at, `{"name":"Lost"}`).is(http.StatusPreconditionFailed).has("code", "PRECONDITION_FAILED")
	root.get("/v1/users?role=manager").has("pagination.total", 1).has("data.0.name", "Ada L.")
	root.get("/v1/users?role=user").has("pagination.total", 0).has("data", []any{})

	root.with("If-Match", `"1"`).delete(at).is(http.StatusPreconditionFailed)
	root.with("If-Match", `"2"`).delete(at).is(http.StatusNoContent)
	root.get(at).is(http.StatusNotFound).has("code", "NOT_FOUND")
	root.get("/v1/users").has("pagination.total", 1)
	root.post("/v1/users", newUser("ada@example.com", "user")).is(http.StatusCreated) // the address is free again
}

// pages turns over the viewers, of whom there are no others.
func pages(t *testing.T, p *portal) {
	const count, limit = 27, 10
	root := p.root(t)
	before := root.get("/v1/users").number("pagination.total")
	var want []string
	for i := range count {
		want = append(want, fmt.Sprintf("viewer%02d@example.com", i))
		root.post("/v1/users", newUser(want[i], "viewer")).is(http.StatusCreated)
	}
	root.get("/v1/users?limit=1").has("pagination.total", before+count).has("pagination.hasMore", true)

	var got []string
	for offset := 0; offset < count; offset += limit {
		page := root.get(fmt.Sprintf("/v1/users?role=viewer&limit=%d&offset=%d", limit, offset)).is(http.StatusOK).
			has("pagination", map[string]any{
				"total": float64(count), "limit": float64(limit), "offset": float64(offset), "hasMore": offset+limit < count,
			})
		for i := range page.list("data") {
			got = append(got, page.text(fmt.Sprintf("data.%d.email", i)))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the pages have %q", got)
	}
	root.get("/v1/users?role=viewer&limit=7&offset=20").has("pagination.hasMore", false).has("data.6.email", want[26])
	root.get("/v1/users?role=viewer&offset=27").has("data", []any{}).has("pagination.total", count).has("pagination.hasMore", false)
}

func repeated(t *testing.T, p *portal) {
	once := p.root(t).with("Idempotency-Key", "order 66")
	body := `{"email":"once@example.com","name":"Once","role":"user"}`
	first := once.post("/v1/users", body).is(http.StatusCreated).hasHeader("Idempotency-Replayed", "")
	second := once.post("/v1/users", body).is(http.StatusCreated).hasHeader("Idempotency-Replayed", "true").
		hasHeader("Location", first.header.Get("Location"))
	if !bytes.Equal(second.body, first.body) {
		t.Errorf("the replay differs:\n%s\n%s", second.body, first.body)
	}
	once.post("/v1/users", newUser("other@example.com", "user")).is(http.StatusUnprocessableEntity).has("code", "UNPROCESSABLE")
	if _, count := p.letter(t, "once@example.com"); count != 1 {
		t.Errorf("%d mails, want 1", count)
	}
}

func oneAddress(t *testing.T, p *portal) {
	root := p.root(t)
	root.post("/v1/users", newUser("taken@example.com", "user")).is(http.StatusCreated)
	root.post("/v1/users", newUser("TAKEN@example.com", "user")).is(http.StatusConflict).
		has("code", "CONFLICT").hasHeader("X-Should-Retry", "false")

	before := root.get("/v1/users").number("pagination.total")
	statuses := atOnce(8, func(int) int {
		a, err := root.try(http.MethodPost, "/v1/users", newUser("same@example.com", "user"))
		if err != nil {
			t.Error(err)
		}
		return a.status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusConflict] != 7 {
		t.Errorf("statuses %v, want one 201 and seven 409", statuses)
	}
	root.get("/v1/users").has("pagination.total", before+1)
}

func activation(t *testing.T, p *portal) {
	created := p.root(t).post("/v1/users", `{"email":"grace@example.com","name":"Grace <b>","role":"user"}`).
		is(http.StatusCreated).has("data.status", "pending")
	mail, count := p.letter(t, "grace@example.com")
	if count != 1 || !strings.Contains(mail.text("html"), "Grace &lt;b&gt;") {
		t.Fatalf("%d mails, the newest with %s", count, mail.text("html"))
	}
	page, token := p.invite(t, "grace@example.com")
	p.activate(t, page, token, created.header.Get("Location"))
}

// activate does what the reader of a mail does.
func (p *portal) activate(t *testing.T, page, token, at string) {
	t.Helper()
	visitor := p.visitor(t)
	visitor.get(page).is(http.StatusOK).hasHeader("Content-Type", "text/html; charset=utf-8").hasHeader("Referrer-Policy", "no-referrer")
	for _, file := range references(visitor.get(page)) {
		visitor.get(file).is(http.StatusOK)
	}
	body := `{"token":"` + token + `"}`
	key := visitor.post("/v1/users/activate", body).is(http.StatusOK).has("data.status", "active").text("data.apiKey")
	visitor.as(key).get(at).is(http.StatusOK).has("data.status", "active")
	visitor.post("/v1/users/activate", body).is(http.StatusUnauthorized).has("code", "UNAUTHORIZED")
	visitor.as(token).get(at).is(http.StatusUnauthorized) // a link is no key
}

// unsentMail imports users, whose mails the import leaves to the schedule, and does not wait for that.
func unsentMail(t *testing.T, p *portal) {
	file := filepath.Join(t.TempDir(), "people.csv")
	rows := "email,name,role,sendActivationEmail\nimported@example.com,Imported,user,\nquiet@example.com,Quiet,user,false\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	operator := filepath.Join(repository, ".local", "bin", "portside")
	for range 2 { // the second finds everybody there
		p.command(t, operator, "import-users", "--local", p.data, "--send-activation-email", file)
	}
	p.invoke(t, "SendMailFunction", "mail/schedule.json")
	p.invoke(t, "SendMailFunction", "mail/empty.json") // nothing is due any more
	for to, want := range map[string]int{"imported@example.com": 1, "quiet@example.com": 0} {
		if _, count := p.letter(t, to); count != want {
			t.Errorf("%d mails to %s, want %d", count, to, want)
		}
	}
	page, token := p.invite(t, "imported@example.com")
	p.activate(t, page, token, p.find(t, "imported@example.com"))
}

// find returns the path of a user, by the list.
func (p *portal) find(t *testing.T, email string) string {
	t.Helper()
	list := p.root(t).get("/v1/users?limit=100").is(http.StatusOK).has("pagination.hasMore", false)
	for _, entry := range list.list("data") {
		if user := entry.(map[string]any); user["email"] == email {
			return "/v1/users/" + user["id"].(string)
		}
	}
	t.Fatalf("there is no %s", email)
	return ""
}

func apiKeys(t *testing.T, p *portal) {
	at, key := p.user(t, "keys@example.com", "user")
	me := p.visitor(t).as(key)
	made := me.post(at+"/api-keys", `{"name":"build server","expirationDays":30}`).is(http.StatusCreated)
	second := p.visitor(t).as(made.text("data.key"))
	second.get(at).is(http.StatusOK)
	listed := second.get(at+"/api-keys").is(http.StatusOK).has("data.2", nil)
	if credential.Match(listed.body) {
		t.Error("the list shows a key")
	}
	me.delete(at + "/api-keys/" + made.text("data.id")).is(http.StatusNoContent)
	second.get(at).is(http.StatusUnauthorized)
	me.get(at).is(http.StatusOK)
}

func suspended(t *testing.T, p *portal) {
	at, key := p.user(t, "suspended@example.com", "manager")
	me, root := p.visitor(t).as(key), p.root(t)
	me.get("/v1/users").is(http.StatusOK)
	root.put(at, `{"status":"suspended"}`).is(http.StatusOK)
	me.get("/v1/users").is(http.StatusUnauthorized)
	root.put(at, `{"status":"active"}`).is(http.StatusOK)
	me.get("/v1/users").is(http.StatusOK)
	root.delete(at).is(http.StatusNoContent)
	me.get("/v1/users").is(http.StatusUnauthorized)
}

func permissions(t *testing.T, p *portal) {
	at, key := p.user(t, "plain@example.com", "user")
	plain := p.visitor(t).as(key)
	plain.get("/v1/users").is(http.StatusOK)
	plain.post("/v1/users", newUser("x@example.com", "user")).is(http.StatusForbidden).has("code", "FORBIDDEN")
	plain.put(at, `{"role":"admin"}`).is(http.StatusForbidden)
	admin := p.find(t, "admin@localhost")
	plain.get(admin + "/api-keys").is(http.StatusForbidden)
	p.root(t).delete(admin).is(http.StatusConflict) // the last one
}
