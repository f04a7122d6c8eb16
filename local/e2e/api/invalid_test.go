package api

import (
	"net/http"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// The tests of invalid requests send what the gateway could change, refuse or decode otherwise before a function sees
// it. The tests of the functions send all other invalid requests.

func TestInvalidBodies(t *testing.T) {
	p := e2etest.Shared(t)
	good := `{"email":"` + p.Email("bad") + `","name":"Bad","role":"user"`
	for name, body := range map[string]string{
		"not JSON": `{"email":`, "invalid UTF-8": good + ",\"department\":\"\xff\xfe\"}", "NUL byte": good + ",\"department\":\"\x00\"}",
		"depth bomb": strings.Repeat("[", 50_000),
	} {
		a := p.Admin(t).With("Content-Type", "application/json").Post("/v1/users", body).
			WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
		if got := strings.Join(a.Pointers(), ","); got != "" {
			t.Errorf("%s: pointers %q: %s", name, got, a.Body)
		}
	}
	for _, typ := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml",
		"multipart/form-data; boundary=x"} {
		p.Admin(t).With("Content-Type", typ).Post("/v1/users", good+"}").
			WantStatus(http.StatusUnsupportedMediaType).WantValue("code", "UNSUPPORTED_MEDIA_TYPE")
	}
	checkNoUser(t, p, "bad")
}

// checkNoUser checks that a request has not created the user.
func checkNoUser(t *testing.T, p *e2etest.Stack, person string) {
	t.Helper()
	p.Admin(t).Get("/v1/users?email="+p.Email(person)).WantValue("pagination.total", 0)
}

// TestLargeBodies exceeds the limits of the function, Lambda and API Gateway, which have different responses.
func TestLargeBodies(t *testing.T) {
	p := e2etest.Shared(t)
	body := func(megabytes int) string {
		return `{"email":"` + p.Email("large") + `","name":"` + strings.Repeat("x", megabytes<<20) + `","role":"user"}`
	}
	p.Admin(t).Post("/v1/users", body(5)).WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("code", "PAYLOAD_TOO_LARGE")
	for _, megabytes := range []int{7, 11} {
		p.Admin(t).FromGateway().Post("/v1/users", body(megabytes)).WantStatus(http.StatusRequestEntityTooLarge).
			WantValue("message", "Request Entity Too Large").WantHeader("Content-Type", "application/json")
	}
	checkNoUser(t, p, "large")
}

func TestInvalidTargets(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	for query, pointers := range map[string]string{
		"limit=": "query/limit", "limit=1&limit=2": "query/limit", "role=user&role=admin": "query/role", "rol=admin": "query/rol",
		"role=%ff": "query/role", "limit=%zz": "query", "role=%00": "query/role", "limit=0&offset=-1&role=x": "query/limit,query/offset,query/role",
	} {
		a := root.Get("/v1/users?"+query).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
		if got := strings.Join(a.Pointers(), ","); got != pointers {
			t.Errorf("%s: pointers %q, want %q", query, got, pointers)
		}
	}
	for _, id := range []string{"1", "%00", "%ff", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1g", strings.Repeat("a", 5000)} {
		root.Get("/v1/users/"+id).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/userId")
	}
	const slip = "hunter2-typed-into-the-query"
	p.Secrets.Add(slip)
	root.Get("/v1/users?password=" + slip).WantStatus(http.StatusBadRequest)
}

func TestInvalidCredentials(t *testing.T) {
	p := e2etest.Shared(t)
	at, key := p.Users.Create(t, "garbled", "user")
	p.Admin(t).Post("/v1/users", `{"email":"`+p.Email("link")+`","name":"Link","role":"user"}`).
		WantStatus(http.StatusCreated)
	_, link := p.Mail.Link(t, "link")

	want := p.Anonymous(t).Get("/v1/users").WantStatus(http.StatusUnauthorized).Text("detail")
	for name, bad := range map[string]string{
		"garbage": "not a key at all", "cut": key[:len(key)-1], "twice": key + "," + key, "long": strings.Repeat("k", 8000),
		"a link":    link,
		"not ASCII": "psk_äöüäöüäöü_", "hash of nothing": "psk_000000000000_" + strings.Repeat("0", 36),
	} {
		a := p.As(t, bad).Get("/v1/users").WantStatus(http.StatusUnauthorized).
			WantValue("code", "UNAUTHORIZED").WantValue("detail", want)
		if a.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
	}
	p.WithToken(t, key).Get("/v1/users").WantStatus(http.StatusUnauthorized) // an API key is not a token
	p.Anonymous(t).With("Authorization", "Basic YWRhOmxvdmVsYWNlLTE4MTU=").Get("/v1/users").
		WantStatus(http.StatusUnauthorized)
	p.As(t, key).Get(at).WantStatus(http.StatusOK)
	p.Anonymous(t).Post("/v1/users/activate", `{"token":"`+key+`"}`).WantStatus(http.StatusUnauthorized)
}
