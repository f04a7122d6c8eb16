package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

const somebody = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"

func TestCreateCustomerRejectsInvalidInput(t *testing.T) {
	o := newFixture(t)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	with := func(field string) string { return `{"name":"A","slug":"a",` + field + `}` }
	contact := `{"email":"ada@example.com"}`
	for name, c := range map[string]struct {
		body     string
		pointers []string
	}{
		"nothing":       {"", []string{""}},
		"not JSON":      {`{"name":`, []string{""}},
		"an array":      {`[]`, []string{""}},
		"a key twice":   {`{"name":"A","name":"B"}`, []string{""}},
		"invalid UTF-8": {"{\"name\":\"\xff\"}", []string{""}},
		"depth bomb":    {strings.Repeat("[", 50000), []string{""}},
		"empty object":  {`{}`, []string{"/name", "/slug"}},
		"wrong types": {
			`{"name":5,"slug":[],"status":true,"externalId":{},"contacts":{},"limits":7}`,
			[]string{"/name", "/slug", "/status", "/externalId", "/contacts", "/limits"},
		},
		"null":              {`{"name":null,"slug":null}`, []string{"/name", "/slug"}},
		"unknown field":     {with(`"budget":1`), []string{"/budget"}},
		"blank name":        {`{"name":"  ","slug":"a"}`, []string{"/name"}},
		"long name":         {`{"name":"` + strings.Repeat("ä", 201) + `","slug":"a"}`, []string{"/name"}},
		"turned name":       {`{"name":"\u202eada","slug":"a"}`, []string{"/name"}},
		"no slug":           {`{"name":"A","slug":""}`, []string{"/slug"}},
		"capital slug":      {`{"name":"A","slug":"Acme"}`, []string{"/slug"}},
		"slug with a space": {`{"name":"A","slug":"acme "}`, []string{"/slug"}},
		"long slug":         {`{"name":"A","slug":"` + strings.Repeat("a", 64) + `"}`, []string{"/slug"}},
		"no status":         {with(`"status":"gone"`), []string{"/status"}},
		"empty status":      {with(`"status":""`), []string{"/status"}},
		"long external ID":  {with(`"externalId":"` + strings.Repeat("ä", 201) + `"`), []string{"/externalId"}},
		"lines in the ID":   {with(`"externalId":"a\nb"`), []string{"/externalId"}},
		"contact without":   {with(`"contacts":[{"name":"Ada"}]`), []string{"/contacts/0/email"}},
		"wrong contact":     {with(`"contacts":[{"email":"ada"}]`), []string{"/contacts/0/email"}},
		"lines in a contact": {
			with(`"contacts":[{"email":"a@b.c","name":"a\nb","role":"\u0000"}]`), []string{"/contacts/0/name", "/contacts/0/role"},
		},
		"contact and more":   {with(`"contacts":[{"email":"a@b.c","phone":1}]`), []string{"/contacts/0/phone"}},
		"many contacts":      {with(`"contacts":[` + strings.Repeat(contact+",", 20) + contact + `]`), []string{"/contacts"}},
		"no users":           {with(`"limits":{"users":0}`), []string{"/limits/users"}},
		"fewer users":        {with(`"limits":{"users":-1}`), []string{"/limits/users"}},
		"half a user":        {with(`"limits":{"users":1.5}`), []string{"/limits/users"}},
		"many users":         {with(`"limits":{"users":1000001}`), []string{"/limits/users"}},
		"no requests":        {with(`"limits":{"requestsPerMinute":0}`), []string{"/limits/requestsPerMinute"}},
		"many requests":      {with(`"limits":{"requestsPerMinute":1000001}`), []string{"/limits/requestsPerMinute"}},
		"another limit":      {with(`"limits":{"users":1,"projects":1}`), []string{"/limits/projects"}},
		"metadata a text":    {with(`"metadata":"x"`), []string{"/metadata"}},
		"metadata too deep":  {with(`"metadata":` + deep), []string{"/metadata"}},
		"metadata too large": {with(`"metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}`), []string{"/metadata"}},
		"read-only":          {with(`"users":1`), []string{"/users"}},
	} {
		t.Run(name, func(t *testing.T) {
			response := o.asAdmin().For(t).With("Content-Type", "application/json").Post(path, c.body).
				WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			got := slices.Compact(slices.Sorted(slices.Values(response.Pointers())))
			if !slices.Equal(got, slices.Sorted(slices.Values(c.pointers))) {
				t.Errorf("pointers %q, want %q: %s", got, c.pointers, response.Body)
			}
		})
	}
	o.asAdmin().Get(path).WantValue("pagination.total", 0) // nothing was created
}

func TestCreateCustomerAcceptsLimits(t *testing.T) {
	o := newFixture(t)
	deep := strings.Repeat(`{"a":`, 7) + "{}" + strings.Repeat("}", 7)
	large := `{"a":"` + strings.Repeat("x", 16<<10-8) + `"}`
	contact := `{"name":"` + strings.Repeat("ä", 200) + `","email":"` + strings.Repeat("a", 64) + `@example.com","role":"` +
		strings.Repeat("ä", 100) + `"}`
	for name, body := range map[string]string{
		"longest": `{"name":"` + strings.Repeat("ä", 200) + `","slug":"` + strings.Repeat("a", 63) + `","externalId":"` +
			strings.Repeat("𝄞", 200) + `","limits":{"users":1000000}}`,
		"deepest":       `{"name":"A","slug":"a","metadata":` + deep + `}`,
		"largest":       `{"name":"A","slug":"b","metadata":` + large + `,"limits":{"users":1}}`,
		"many contacts": `{"name":"A","slug":"c","contacts":[` + strings.Repeat(contact+",", 19) + contact + `]}`,
		"empty":         `{"name":"A","slug":"d","externalId":"","contacts":[],"limits":{"users":null},"metadata":{}}`,
	} {
		t.Run(name, func(t *testing.T) { o.asAdmin().For(t).Post(path, body).WantStatus(http.StatusCreated) })
	}
	o.asAdmin().Get(path).WantValue("pagination.total", 5)
}

func TestListCustomersRejectsInvalidQueries(t *testing.T) {
	o := newFixture(t)
	for query, pointer := range map[string]string{
		"limit=0": "query/limit", "limit=101": "query/limit", "limit=ten": "query/limit", "offset=-1": "query/offset",
		"status=gone": "query/status", "status=": "query/status", "status=active&status=suspended": "query/status",
		"role=admin": "query/role", "limit=%zz": "query",
	} {
		t.Run(query, func(t *testing.T) {
			response := o.asAdmin().For(t).Get(path+"?"+query).WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
				t.Errorf("pointers %q, want %q", got, pointer)
			}
		})
	}
}

func TestCustomersRejectInvalidPathsAndMethods(t *testing.T) {
	o := newFixture(t)
	for _, id := range []string{"1", "%00", strings.Repeat("a", 5000)} {
		o.asAdmin().Get(path+"/"+id).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/customerId")
	}
	o.asAdmin().Get(path + "/" + somebody).WantStatus(http.StatusNotFound)
	o.asAdmin().Get(path + "/a/b").WantStatus(http.StatusNotFound)
	o.asAdmin().Do(http.MethodPatch, path, "{}").WantStatus(http.StatusMethodNotAllowed).WantHeader("Allow", "GET, HEAD, POST")
}

func TestUpdateCustomerRejectsInvalidInput(t *testing.T) {
	o := newFixture(t)
	at := o.create(acme)
	for body, pointer := range map[string]string{
		`{"status":"gone"}`: "/status", `{"name":""}`: "/name", `{"slug":"A"}`: "/slug", `{"metadata":5}`: "/metadata", `{"id":"x"}`: "/id",
		`{"createdAt":"2026-03-01T09:00:00Z"}`: "/createdAt", `{"users":5}`: "/users", `{"limits":{"users":0}}`: "/limits/users",
		`{"limits":{"users":1,"seats":1}}`: "/limits/seats", `{"limits":[]}`: "/limits", `{"contacts":[{}]}`: "/contacts/0/email",
	} {
		for _, method := range []string{http.MethodPut, http.MethodPatch} {
			response := o.asAdmin().Do(method, at, body).WantStatus(http.StatusBadRequest)
			if got := slices.Compact(response.Pointers()); !slices.Equal(got, []string{pointer}) {
				t.Errorf("%s %s: pointers %q, want %q", method, body, got, pointer)
			}
		}
	}
	o.asAdmin().Get(at).WantHeader("ETag", `"1"`)
}
