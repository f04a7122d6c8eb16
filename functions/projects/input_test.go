package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

const somebody = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"

func TestCreateProjectRejectsInvalidInput(t *testing.T) {
	o := newFixture(t)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	member := fmt.Sprintf(`{"userId":%q,"role":"viewer"}`, somebody)
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
		"empty object":  {`{}`, []string{"/name"}},
		"wrong types": {
			`{"name":5,"description":[],"status":true,"ownerId":{},"members":{}}`,
			[]string{"/name", "/description", "/status", "/ownerId", "/members"},
		},
		"null":               {`{"name":null}`, []string{"/name"}},
		"unknown field":      {`{"name":"A","budget":1}`, []string{"/budget"}},
		"blank name":         {`{"name":"  "}`, []string{"/name"}},
		"long name":          {`{"name":"` + strings.Repeat("ä", 201) + `"}`, []string{"/name"}},
		"lines in name":      {`{"name":"A\nB"}`, []string{"/name"}},
		"turned name":        {`{"name":"\u202eada"}`, []string{"/name"}},
		"long description":   {`{"name":"A","description":"` + strings.Repeat("ä", 2001) + `"}`, []string{"/description"}},
		"NUL in description": {`{"name":"A","description":"a\u0000"}`, []string{"/description"}},
		"no status":          {`{"name":"A","status":"finished"}`, []string{"/status"}},
		"empty status":       {`{"name":"A","status":""}`, []string{"/status"}},
		"no owner":           {`{"name":"A","ownerId":"ada"}`, []string{"/ownerId"}},
		"empty owner":        {`{"name":"A","ownerId":""}`, []string{"/ownerId"}},
		"braced owner":       {`{"name":"A","ownerId":"{` + somebody + `}"}`, []string{"/ownerId"}},
		"no member":          {`{"name":"A","members":[{"userId":"ada","role":"viewer"}]}`, []string{"/members/0/userId"}},
		"no role":            {`{"name":"A","members":[{"userId":"` + somebody + `"}]}`, []string{"/members/0/role"}},
		"wrong role": {`{"name":"A","members":[{"userId":"` + somebody + `","role":"boss"}]}`,
			[]string{"/members/0/role"}},
		"member and more": {`{"name":"A","members":[{"userId":"` + somebody + `","role":"viewer","since":1}]}`,
			[]string{"/members/0/since"}},
		"a member twice": {`{"name":"A","members":[` + member + `,` + strings.ToUpper(member[:47]) + member[47:] + `]}`, nil},
		"many members": {`{"name":"A","members":[` + strings.Repeat(member+",", 100) + member + `]}`,
			[]string{"/members"}},
		"settings a list":    {`{"name":"A","settings":[]}`, []string{"/settings"}},
		"settings too deep":  {`{"name":"A","settings":` + deep + `}`, []string{"/settings"}},
		"metadata a text":    {`{"name":"A","metadata":"x"}`, []string{"/metadata"}},
		"metadata too large": {`{"name":"A","metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`, []string{"/metadata"}},
		"everything": {
			`{"name":"","status":"x","ownerId":"y","settings":1,"metadata":2}`,
			[]string{"/name", "/status", "/ownerId", "/settings", "/metadata"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			response := o.asAdmin().For(t).With("Content-Type", "application/json").Post("/v1/projects", c.body).
				WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR")
			got := slices.Sorted(slices.Values(response.Pointers()))
			if c.pointers != nil && !slices.Equal(got, slices.Sorted(slices.Values(c.pointers))) {
				t.Errorf("pointers %q, want %q: %s", got, c.pointers, response.Body)
			}
		})
	}
	o.asAdmin().Get("/v1/projects").WantValue("pagination.total", 0) // nothing was created
}

func TestMemberIsListedOnce(t *testing.T) {
	o := newFixture(t)
	body := fmt.Sprintf(`{"name":"A","members":[{"userId":%q,"role":"viewer"},{"userId":%q,"role":"owner"}]}`,
		o.admin.ID, strings.ToUpper(o.admin.ID))
	o.asAdmin().Post("/v1/projects", body).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/members/1/userId").WantValue("errors.1", nil)
}

func TestCreateProjectAcceptsLimits(t *testing.T) {
	o := newFixture(t)
	deep := strings.Repeat(`{"a":`, 7) + "{}" + strings.Repeat("}", 7)
	large := `{"a":"` + strings.Repeat("x", 16<<10-8) + `"}`
	for name, body := range map[string]string{
		"longest": `{"name":"` + strings.Repeat("ä", 200) + `","description":"` + strings.Repeat("ä", 2000) + `"}`,
		"deepest": `{"name":"A","settings":` + deep + `,"metadata":` + deep + `}`,
		"largest": `{"name":"A","settings":` + large + `,"metadata":` + large + `}`,
		"empty":   `{"name":"A","description":"","members":[],"settings":{},"metadata":{}}`,
	} {
		t.Run(name, func(t *testing.T) { o.asAdmin().For(t).Post("/v1/projects", body).WantStatus(http.StatusCreated) })
	}
	o.asAdmin().Get("/v1/projects").WantValue("pagination.total", 4)
}

func TestListProjectsRejectsInvalidQueries(t *testing.T) {
	o := newFixture(t)
	for query, pointer := range map[string]string{
		"limit=0": "query/limit", "limit=101": "query/limit", "limit=ten": "query/limit", "offset=-1": "query/offset",
		"status=gone": "query/status", "status=": "query/status", "status=draft&status=active": "query/status",
		"role=admin": "query/role", "limit=%zz": "query",
	} {
		t.Run(query, func(t *testing.T) {
			response := o.asAdmin().For(t).Get("/v1/projects?"+query).WantStatus(http.StatusBadRequest).
				WantValue("code", "VALIDATION_ERROR")
			if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
				t.Errorf("pointers %q, want %q", got, pointer)
			}
		})
	}
}

func TestProjectsRejectInvalidPathsAndMethods(t *testing.T) {
	o := newFixture(t)
	for _, id := range []string{"1", "%00", strings.Repeat("a", 5000)} {
		o.asAdmin().Get("/v1/projects/"+id).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "path/projectId")
	}
	o.asAdmin().Get("/v1/projects/" + somebody).WantStatus(http.StatusNotFound)
	o.asAdmin().Get("/v1/projects/a/b").WantStatus(http.StatusNotFound)
	o.asAdmin().Do(http.MethodPatch, "/v1/projects", "{}").WantStatus(http.StatusMethodNotAllowed).
		WantHeader("Allow", "GET, HEAD, POST")
}

func TestUpdateProjectRejectsInvalidInput(t *testing.T) {
	o := newFixture(t)
	at := "/v1/projects/" + o.asAdmin().Post("/v1/projects", engine).Text("data.id")
	for body, pointer := range map[string]string{
		`{"status":"gone"}`: "/status", `{"name":""}`: "/name", `{"metadata":5}`: "/metadata", `{"id":"x"}`: "/id",
		`{"createdAt":"2026-03-01T09:00:00Z"}`: "/createdAt", `{"settings":5}`: "/settings",
	} {
		response := o.asAdmin().Put(at, body).WantStatus(http.StatusBadRequest)
		if got := response.Pointers(); !slices.Equal(got, []string{pointer}) {
			t.Errorf("%s: pointers %q, want %q", body, got, pointer)
		}
	}
	o.asAdmin().Get(at).WantHeader("ETag", `"1"`)
}
