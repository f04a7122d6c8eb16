package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// unwritten returns a check that nobody was added since it was asked for.
func unwritten(t *testing.T, p *portal) (check func()) {
	t.Helper()
	before := p.root(t).get("/v1/users").number("pagination.total")
	return func() { p.root(t).get("/v1/users").has("pagination.total", before) }
}

func badBodies(t *testing.T, p *portal) {
	defer unwritten(t, p)()
	const good = `{"email":"bad@example.com","name":"Bad","role":"user"`
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	for name, c := range map[string]struct{ body, pointers string }{
		"not JSON":           {`{"email":`, ""},
		"trailing text":      {good + `} x`, ""},
		"a key twice":        {good + `,"name":"Other"}`, ""},
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
			a := p.root(t).with("Content-Type", "application/json").post("/v1/users", c.body).
				is(http.StatusBadRequest).has("code", "VALIDATION_ERROR")
			if got := a.pointers(); got != c.pointers {
				t.Errorf("pointers %q, want %q: %s", got, c.pointers, a.body)
			}
		})
	}
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data; boundary=x"} {
		p.root(t).with("Content-Type", typ).post("/v1/users", good+"}").is(http.StatusUnsupportedMediaType).has("code", "UNSUPPORTED_MEDIA_TYPE")
	}
}

// largeBodies meets three limits, each with its own answer: the function's, Lambda's and API Gateway's.
func largeBodies(t *testing.T, p *portal) {
	defer unwritten(t, p)()
	body := func(megabytes int) string {
		return `{"email":"large@example.com","name":"` + strings.Repeat("x", megabytes<<20) + `","role":"user"}`
	}
	p.root(t).post("/v1/users", body(5)).is(http.StatusRequestEntityTooLarge).has("code", "PAYLOAD_TOO_LARGE")
	for _, megabytes := range []int{7, 11} {
		p.root(t).atGateway().post("/v1/users", body(megabytes)).is(http.StatusRequestEntityTooLarge).
			has("message", "Request Entity Too Large").hasHeader("Content-Type", "application/json")
	}
}

func badTargets(t *testing.T, p *portal) {
	root := p.root(t)
	for query, pointers := range map[string]string{
		"limit=0": "query/limit", "limit=101": "query/limit", "limit=ten": "query/limit", "limit=": "query/limit",
		"limit=99999999999999999999": "query/limit", "limit=1&limit=2": "query/limit", "offset=-1": "query/offset",
		"role=root": "query/role", "role=user&role=admin": "query/role", "rol=admin": "query/rol", "role=%ff": "query/role",
		"limit=%zz": "query", "role=%00": "query/role", "limit=0&offset=-1&role=x": "query/limit,query/offset,query/role",
	} {
		t.Run(query, func(t *testing.T) {
			a := root.at(t).get("/v1/users?"+query).is(http.StatusBadRequest).has("code", "VALIDATION_ERROR")
			if got := a.pointers(); got != pointers {
				t.Errorf("pointers %q, want %q", got, pointers)
			}
		})
	}
	for _, id := range []string{"1", "not-a-uuid", "%00", "%ff", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1g", strings.Repeat("a", 5000)} {
		root.get("/v1/users/"+id).is(http.StatusBadRequest).has("errors.0.pointer", "path/userId")
	}
	const slip = "hunter2-typed-into-the-query"
	p.secrets.keep(slip)
	root.get("/v1/users?password=" + slip).is(http.StatusBadRequest)
}

func badCredentials(t *testing.T, p *portal) {
	at, key := p.user(t, "garbled@example.com", "user")
	made := p.visitor(t).as(key).post(at+"/api-keys", `{"name":"to be revoked"}`).is(http.StatusCreated)
	p.root(t).delete(at + "/api-keys/" + made.text("data.id")).is(http.StatusNoContent)
	p.root(t).post("/v1/users", `{"email":"link@example.com","name":"Link","role":"user"}`).is(http.StatusCreated)
	_, link := p.invite(t, "link@example.com")

	want := p.visitor(t).get("/v1/users").is(http.StatusUnauthorized).text("detail")
	for name, bad := range map[string]string{
		"garbage": "not a key at all", "one character changed": key[:25] + swap(key[25:26]) + key[26:], "cut": key[:len(key)-1],
		"longer": key + "x", "twice": key + "," + key, "long": strings.Repeat("k", 8000), "revoked": made.text("data.key"),
		"a link": link, "not ASCII": "psk_äöüäöüäöü_", "hash of nothing": "psk_000000000000_" + strings.Repeat("0", 36),
	} {
		t.Run(name, func(t *testing.T) {
			a := p.visitor(t).as(bad).get("/v1/users").is(http.StatusUnauthorized).has("code", "UNAUTHORIZED").has("detail", want)
			if a.header.Get("WWW-Authenticate") == "" {
				t.Error("no WWW-Authenticate")
			}
		})
	}
	p.visitor(t).with("Authorization", "Bearer "+key).get("/v1/users").is(http.StatusUnauthorized) // a key is no token
	p.visitor(t).with("Authorization", "Basic YWRhOmxvdmVsYWNlLTE4MTU=").get("/v1/users").is(http.StatusUnauthorized)
	p.visitor(t).as(key).get(at).is(http.StatusOK)
	p.visitor(t).post("/v1/users/activate", `{"token":"`+key+`"}`).is(http.StatusUnauthorized)
}

// swap returns another character.
func swap(s string) string {
	if s == "a" {
		return "b"
	}
	return "a"
}
