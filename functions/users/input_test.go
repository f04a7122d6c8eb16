package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

//proves:docs/security.md
func TestCreateUserRejectsInvalidInput(t *testing.T) {
	p := newFixture(t)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	const good = `{"email":"a@example.com","name":"A","role":"user",`
	for name, c := range map[string]struct {
		body     string
		pointers []string
	}{
		"nothing":       {"", []string{""}},
		"not JSON":      {`{"email":`, []string{""}},
		"trailing text": {ada + "x", []string{""}},
		"an array":      {`[]`, []string{""}},
		"a key twice":   {`{"email":"a@example.com","email":"b@example.com"}`, []string{""}},
		"invalid UTF-8": {"{\"name\":\"\xff\"}", []string{""}},
		"NUL byte":      {"{\"name\":\"\x00\"}", []string{""}},
		"depth bomb":    {strings.Repeat("[", 50000), []string{""}},
		"second mail header": {`{"email":"a@example.com\r\nBcc: b@example.com","name":"A\nB","role":"user"}`,
			[]string{"/email", "/name"}},
		"empty object": {`{}`, []string{"/email", "/name", "/role"}},
		"wrong types": {`{"email":5,"name":[],"role":true,"department":{}}`,
			[]string{"/email", "/name", "/role", "/department"}},
		"not a boolean": {good + `"sendActivationEmail":"yes"}`, []string{"/sendActivationEmail"}},
		"null":          {`{"email":null,"name":"A","role":"user"}`, []string{"/email"}},
		"unknown field": {good + `"isAdmin":true}`, []string{"/isAdmin"}},
		"other case":    {good + `"Metadata":{}}`, []string{"/Metadata"}},
		"bad values":    {`{"email":"a@","name":"","role":"root"}`, []string{"/email", "/name", "/role"}},
		"display name":  {`{"email":"Ada <a@example.com>","name":"A","role":"user"}`, []string{"/email"}},
		"long address": {`{"email":"` + strings.Repeat("a", 250) + `@b.de","name":"A","role":"user"}`,
			[]string{"/email"}},
		"line in address": {`{"email":"a@example.com\nBcc: b@example.com","name":"A","role":"user"}`, []string{"/email"}},
		"NUL in name":     {`{"email":"a@example.com","name":"A\u0000B","role":"user"}`, []string{"/name"}},
		"invisible name":  {`{"email":"a@example.com","name":"\u3164","role":"user"}`, []string{"/name"}},
		"turned name":     {`{"email":"a@example.com","name":"\u202eada","role":"user"}`, []string{"/name"}},
		"huge number":     {good + `"metadata":{"n":1e999}}`, []string{""}},
		"blank name":      {`{"email":"a@example.com","name":"  ","role":"user"}`, []string{"/name"}},
		"long name": {`{"email":"a@example.com","name":"` + strings.Repeat("ä", 201) + `","role":"user"}`,
			[]string{"/name"}},
		"long department":    {good + `"department":"` + strings.Repeat("d", 201) + `"}`, []string{"/department"}},
		"metadata a list":    {good + `"metadata":[]}`, []string{"/metadata"}},
		"metadata too deep":  {good + `"metadata":` + deep + `}`, []string{"/metadata"}},
		"metadata too large": {good + `"metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`, []string{"/metadata"}},
		"metadata with NUL":  {good + `"metadata":{"a":"\u0000"}}`, []string{"/metadata"}},
	} {
		t.Run(name, func(t *testing.T) {
			response := p.asAdmin().For(t).With("Content-Type", "application/json").Post("/v1/users", c.body).
				WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			if got := slices.Sorted(slices.Values(response.Pointers())); !slices.Equal(got,
				slices.Sorted(slices.Values(c.pointers))) {
				t.Errorf("pointers %q, want %q: %s", got, c.pointers, response.Body)
			}
		})
	}
	p.asAdmin().Get("/v1/users").WantValue("pagination.total", 1) // nothing was created
}

func TestCreateUserAcceptsLimits(t *testing.T) {
	p := newFixture(t)
	deep := strings.Repeat(`{"a":`, 7) + "{}" + strings.Repeat("}", 7)
	for name, body := range map[string]string{
		"longest name":  `{"email":"a1@example.com","name":"` + strings.Repeat("ä", 200) + `","role":"user"}`,
		"deepest":       `{"email":"a2@example.com","name":"A","role":"user","metadata":` + deep + `}`,
		"largest":       `{"email":"a3@example.com","name":"A","role":"user","metadata":{"a":"` + strings.Repeat("x", 16<<10-8) + `"}}`,
		"international": `{"email":"joerg@xn--bcher-kva.example","name":"Jörg 李 \u0646\u0645\u06cc\u200c\u062e","role":"user"}`,
		"plus":          `{"email":"a+b.c@example.com","name":"A","role":"user"}`,
	} {
		t.Run(name, func(t *testing.T) { p.asAdmin().For(t).Post("/v1/users", body).WantStatus(http.StatusCreated) })
	}
}

func TestListUsersRejectsInvalidQueries(t *testing.T) {
	p := newFixture(t)
	for query, pointer := range map[string]string{
		"limit=0": "query/limit", "limit=101": "query/limit", "limit=ten": "query/limit", "limit=": "query/limit",
		"limit=1.5": "query/limit", "limit=99999999999999999999": "query/limit",
		"offset=-1": "query/offset", "offset=x": "query/offset", "role=root": "query/role", "role=": "query/role", "status=gone": "query/status",
		"limit=1&limit=2": "query/limit", "rol=admin": "query/rol", "limit=%zz": "query", "role=%ff": "query/role", "a;b": "query",
		"limit=%00": "query/limit",
	} {
		t.Run(query, func(t *testing.T) {
			response := p.asAdmin().For(t).Get("/v1/users?"+query).WantStatus(http.StatusBadRequest).
				WantValue("code", "VALIDATION_ERROR")
			if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
				t.Errorf("pointers %q, want %q", got, pointer)
			}
		})
	}
	p.asAdmin().Get("/v1/users?limit=0&offset=-1&role=x&foo=1&bar=").WantStatus(http.StatusBadRequest).
		WantValue("errors.4.pointer", "query/role")
	p.asAdmin().Post("/v1/users?x=1", `{"email":"a","name":"A","role":"user"}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "query/x").WantValue("errors.1.pointer", "/email")
}

func TestUsersRejectInvalidPathsAndMethods(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()
	for _, id := range []string{"1", "not-a-uuid", "%00", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e1g",
		strings.Repeat("a", 5000)} {
		root.Get("/v1/users/"+id).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/userId")
	}
	root.Get("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11").WantStatus(http.StatusNotFound)
	root.Get("/v1/users/").WantStatus(http.StatusNotFound)
	root.Get("/v1/users/a/b/c").WantStatus(http.StatusNotFound)
	root.Get("/v1//users").WantStatus(http.StatusNotFound)
	root.Do(http.MethodPatch, "/v1/users", "{}").WantStatus(http.StatusMethodNotAllowed).
		WantValue("code", "METHOD_NOT_ALLOWED").
		WantHeader("Allow", "GET, HEAD, POST")
	root.Do(http.MethodTrace, "/v1/users", "").WantStatus(http.StatusMethodNotAllowed)
	root.Do(http.MethodGet, "/v1/users", "a body that nobody reads").WantStatus(http.StatusOK)
}

// TestRefusalsAreLogged looks for what an operator needs to see of an attack: who, what and why, in lines that the
// attacker cannot forge.
func TestRefusalsAreLogged(t *testing.T) {
	p := newFixture(t)
	viewer, key := p.user("eve@example.com", principal.Viewer)
	manager, managersKey := p.user("mia@example.com", principal.Manager)
	logs := testkit.CaptureLogs(t)
	p.withKey("psk_wrong").Get("/v1/users").WantStatus(http.StatusUnauthorized)
	p.withKey(key).Delete("/v1/users/" + viewer.ID).WantStatus(http.StatusForbidden)
	p.withKey(managersKey).Post("/v1/users", `{"a`+strings.Repeat("a", 5000)+`\n{\"level\":\"ERROR\"}":1}`).
		WantStatus(http.StatusBadRequest)
	p.limit = 1
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusTooManyRequests)
	wanted := []struct {
		route, user string
		status      int
	}{
		{"GET /v1/users", "", 401}, {"DELETE /v1/users/{userId}", viewer.ID, 403}, {"POST /v1/users", manager.ID, 400},
		{"GET /v1/users", "", 429},
	}
	lines := bytes.Split(bytes.TrimSpace(logs.Bytes()), []byte("\n"))
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines for %d requests: %s", len(lines), len(wanted), logs)
	}
	for i, want := range wanted {
		t.Run(want.route, func(t *testing.T) {
			var got struct {
				Time, RequestID, Route, User, Error string
				Status                              int
			}
			if err := json.Unmarshal(lines[i], &got); err != nil {
				t.Fatalf("%s: %v", lines[i], err)
			}
			isWanted := got.Route == want.route && got.User == want.user && got.Status == want.status
			if !isWanted || got.Error == "" || got.Time == "" || len(lines[i]) > 4500 {
				t.Errorf("the log has %s", lines[i])
			}
		})
	}
}

// TestOutagesOfAuthenticationPermitNothing makes each call fail that authenticates an admin.
func TestOutagesOfAuthenticationPermitNothing(t *testing.T) {
	p := newFixture(t)
	var calls, failing atomic.Int32 // some calls are at the same time
	p.keys = credentialsdynamo.New(awstest.Faulty(p.client, func(string, int) error {
		if calls.Add(1) == failing.Load() {
			return errors.New("outage")
		}
		return nil
	}), p.credentialsTable, p.countsTable)
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK) // the first use of the key makes another call
	calls.Store(0)
	p.asAdmin().Get("/v1/users").WantStatus(http.StatusOK)
	all := calls.Load()
	if all == 0 {
		t.Error("nothing was read")
	}
	for failing.Add(1); failing.Load() <= all; failing.Add(1) {
		calls.Store(0)
		p.asAdmin().Get("/v1/users").WantStatus(http.StatusInternalServerError)
	}
}

//proves:docs/security.md
func TestCreateUserChecksMediaTypeAndSize(t *testing.T) {
	p := newFixture(t)
	root := p.asAdmin()
	for _, bad := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml",
		"multipart/form-data; boundary=x"} {
		root.With("Content-Type", bad).Post("/v1/users", ada).WantStatus(http.StatusUnsupportedMediaType).
			WantValue("code", "UNSUPPORTED_MEDIA_TYPE")
	}
	root.Post("/v1/users", `{"name":"`+strings.Repeat("x", 5<<20)+`"}`).WantStatus(http.StatusRequestEntityTooLarge).
		WantValue("code", "PAYLOAD_TOO_LARGE")
	root.With("Content-Encoding", "gzip").Post("/v1/users", ada).WantStatus(http.StatusUnsupportedMediaType)
	for _, bad := range []string{"json", ";", "x+json", "application/problem+json",
		"application/json; charset=iso-8859-1"} {
		root.With("Content-Type", bad).Post("/v1/users", ada).WantStatus(http.StatusUnsupportedMediaType)
	}
	root.With("Content-Type", "Application/JSON; charset=UTF-8").Post("/v1/users", ada).WantStatus(http.StatusCreated)
	largest := `{"name":"` + strings.Repeat("x", 128<<10-11) + `"}`
	root.Post("/v1/users", largest).WantStatus(http.StatusBadRequest)
	root.Post("/v1/users", largest+" ").WantStatus(http.StatusRequestEntityTooLarge)
}

func TestNumbersInOtherFieldsAreRejected(t *testing.T) {
	p := newFixture(t)
	p.asAdmin().Post("/v1/users/"+p.admin.ID+"/api-keys", `{"name":"x","expirationDays":12.0}`).
		WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/expirationDays")
	digits := strings.Repeat("4", 400)
	response := p.asAdmin().Post("/v1/users",
		`{"email":"a@example.com","name":"A","role":"user","metadata":{"n":`+digits+`}}`).
		WantStatus(http.StatusBadRequest)
	if strings.Contains(string(response.Body), "444") {
		t.Errorf("the response repeats the number: %s", response.Body)
	}
}

//proves:docs/security.md
func TestRejectedValuesAreNotRepeated(t *testing.T) {
	p := newFixture(t)
	const secret = "hunter2hunter2"
	for _, response := range []string{
		p.asAdmin().Post("/v1/users", `{"email":"`+secret+`","name":5,"role":"`+secret+`"}`).
			WantStatus(http.StatusBadRequest).String(),
		p.asAdmin().Post("/v1/users", `"`+secret).WantStatus(http.StatusBadRequest).String(),
		p.asAdmin().Get("/v1/users/" + strings.Repeat("x", 3)).WantStatus(http.StatusBadRequest).String(),
	} {
		_, body, _ := strings.Cut(response, ": ")
		if strings.Contains(body, secret) || strings.Contains(body, "xxx") {
			t.Errorf("the response repeats a rejected value: %s", body)
		}
	}
}

func TestUpdateUserRejectsInvalidInput(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.User)
	for body, pointer := range map[string]string{
		`{"status":"pending"}`: "/status", `{"status":"gone"}`: "/status", `{"role":"root"}`: "/role", `{"name":""}`: "/name",
		`{"email":"b@example.com"}`: "/email", `{"metadata":5}`: "/metadata", `{"id":"x"}`: "/id",
	} {
		response := p.asAdmin().Put("/v1/users/"+user.ID, body).WantStatus(http.StatusBadRequest)
		if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
			t.Errorf("%s: pointers %q, want %q", body, got, pointer)
		}
	}
	p.asAdmin().Get("/v1/users/"+user.ID).WantHeader("ETag", `"1"`)
}
