package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// checkNoUserCreated returns a function that checks that no user was created in between.
func checkNoUserCreated(t *testing.T, p *testStack) (check func()) {
	t.Helper()
	before := p.admin(t).Get("/v1/users").Number("pagination.total")
	return func() { p.admin(t).Get("/v1/users").WantValue("pagination.total", before) }
}

func testInvalidBodies(t *testing.T, p *testStack) {
	defer checkNoUserCreated(t, p)()
	const good = `{"email":"bad@example.com","name":"Bad","role":"user"`
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	for name, c := range map[string]struct{ body, pointers string }{
		"not JSON":           {`{"email":`, ""},
		"trailing text":      {good + `} x`, ""},
		"duplicate key":      {good + `,"name":"Other"}`, ""},
		"invalid UTF-8":      {good + ",\"department\":\"\xff\xfe\"}", ""},
		"NUL byte":           {good + ",\"department\":\"\x00\"}", ""},
		"depth bomb":         {strings.Repeat("[", 50_000), ""},
		"everything missing": {`{}`, "/email,/name,/role"},
		"wrong types":        {`{"email":5,"name":[],"role":true}`, "/email,/name,/role"},
		"unknown field":      {good + `,"isAdmin":true}`, "/isAdmin"},
		"bad address":        {`{"email":"bad@","name":"Bad","role":"user"}`, "/email"},
		"escaped NUL":        {good + `,"department":"\u0000"}`, "/department"},
		"metadata too deep":  {good + `,"metadata":` + deep + `}`, "/metadata"},
		"metadata too long":  {good + `,"metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`, "/metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.admin(t).With("Content-Type", "application/json").Post("/v1/users", c.body).
				WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			if got := strings.Join(a.Pointers(), ","); got != c.pointers {
				t.Errorf("pointers %q, want %q: %s", got, c.pointers, a.Body)
			}
		})
	}
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data; boundary=x"} {
		p.admin(t).With("Content-Type", typ).Post("/v1/users", good+"}").
			WantStatus(http.StatusUnsupportedMediaType).WantValue("code", "UNSUPPORTED_MEDIA_TYPE")
	}
}

// testLargeBodies exceeds the limits of the function, Lambda and API Gateway, which have different
// responses.
func testLargeBodies(t *testing.T, p *testStack) {
	defer checkNoUserCreated(t, p)()
	body := func(megabytes int) string {
		return `{"email":"large@example.com","name":"` + strings.Repeat("x", megabytes<<20) + `","role":"user"}`
	}
	p.admin(t).Post("/v1/users", body(5)).WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("code", "PAYLOAD_TOO_LARGE")
	for _, megabytes := range []int{7, 11} {
		p.admin(t).fromGateway().Post("/v1/users", body(megabytes)).WantStatus(http.StatusRequestEntityTooLarge).
			WantValue("message", "Request Entity Too Large").WantHeader("Content-Type", "application/json")
	}
}

func testInvalidTargets(t *testing.T, p *testStack) {
	root := p.admin(t)
	for query, pointers := range map[string]string{
		"limit=0": "query/limit", "limit=101": "query/limit", "limit=ten": "query/limit", "limit=": "query/limit",
		"limit=99999999999999999999": "query/limit", "limit=1&limit=2": "query/limit", "offset=-1": "query/offset",
		"role=root": "query/role", "role=user&role=admin": "query/role", "rol=admin": "query/rol", "role=%ff": "query/role",
		"limit=%zz": "query", "role=%00": "query/role", "limit=0&offset=-1&role=x": "query/limit,query/offset,query/role",
	} {
		t.Run(query, func(t *testing.T) {
			a := root.For(t).Get("/v1/users?"+query).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			if got := strings.Join(a.Pointers(), ","); got != pointers {
				t.Errorf("pointers %q, want %q", got, pointers)
			}
		})
	}
	for _, id := range []string{"1", "not-a-uuid", "%00", "%ff", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1g", strings.Repeat("a", 5000)} {
		root.Get("/v1/users/"+id).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/userId")
	}
	const slip = "hunter2-typed-into-the-query"
	p.secrets.add(slip)
	root.Get("/v1/users?password=" + slip).WantStatus(http.StatusBadRequest)
}

func testInvalidCredentials(t *testing.T, p *testStack) {
	at, key := p.createUser(t, "garbled@example.com", "user")
	made := p.anonymous(t).as(key).Post(at+"/api-keys", `{"name":"to be revoked"}`).WantStatus(http.StatusCreated)
	p.admin(t).Delete(at + "/api-keys/" + made.Text("data.id")).WantStatus(http.StatusNoContent)
	p.admin(t).Post("/v1/users", `{"email":"link@example.com","name":"Link","role":"user"}`).WantStatus(http.StatusCreated)
	_, link := p.mailedLink(t, "link@example.com")

	want := p.anonymous(t).Get("/v1/users").WantStatus(http.StatusUnauthorized).Text("detail")
	for name, bad := range map[string]string{
		"garbage": "not a key at all", "one character changed": key[:25] + otherCharacter(key[25:26]) + key[26:], "cut": key[:len(key)-1],
		"longer": key + "x", "twice": key + "," + key, "long": strings.Repeat("k", 8000), "revoked": made.Text("data.key"),
		"a link": link, "not ASCII": "psk_äöüäöüäöü_", "hash of nothing": "psk_000000000000_" + strings.Repeat("0", 36),
	} {
		t.Run(name, func(t *testing.T) {
			a := p.anonymous(t).as(bad).Get("/v1/users").WantStatus(http.StatusUnauthorized).
				WantValue("code", "UNAUTHORIZED").WantValue("detail", want)
			if a.Header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
		})
	}
	p.anonymous(t).With("Authorization", "Bearer "+key).Get("/v1/users").
		WantStatus(http.StatusUnauthorized) // an API key is not a token
	p.anonymous(t).With("Authorization", "Basic YWRhOmxvdmVsYWNlLTE4MTU=").Get("/v1/users").
		WantStatus(http.StatusUnauthorized)
	p.anonymous(t).as(key).Get(at).WantStatus(http.StatusOK)
	p.anonymous(t).Post("/v1/users/activate", `{"token":"`+key+`"}`).WantStatus(http.StatusUnauthorized)
}

// otherCharacter returns a character that differs from s.
func otherCharacter(s string) string {
	if s == "a" {
		return "b"
	}
	return "a"
}
