// Package apitest states what the API promises of every resource: fields that are stored and change alone, null,
// patches, versions in If-Match, and idempotency keys.
package apitest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"portside/shared/testkit/fieldstest"
	"portside/shared/testkit/webtest"
)

// Resource describes a kind of resource, and has clients of a service without such resources, except any that the
// clients themselves need.
type Resource struct {
	Client webtest.Client // of an admin
	Other  webtest.Client // of another user who may create resources
	Clock  *webtest.Clock // of the service
	Path   string         // of the list, such as /v1/users

	// Minimal returns the body that creates the n-th resource with as few fields as possible. All bodies differ, also
	// in their unique values.
	Minimal func(n int) map[string]any
	Create  any // the body of the request, whose tags have an example for each field
	Update  any // likewise, for changes
	// Values replace the examples of Create and Update. Nil leaves a field out.
	Values   map[string]any
	Text     string         // a field whose value can be any short text in lower case, such as name
	Object   string         // a field with an object of at most 16 KB and 8 levels, which PATCH merges; empty without PATCH
	Required []string       // fields that a creation needs
	Empty    map[string]any // the fields that a change can set to null, with their values in the response
	Changes  []string       // the methods that change a resource: PUT, and PATCH if there is one

	tb testing.TB
}

// TestFields tests the fields of a kind of resource. open returns it in a new service.
func TestFields(t *testing.T, open func(testing.TB) Resource) {
	t.Helper()
	run(t, open, map[string]func(Resource){
		"a creation stores each field":   Resource.testCreation,
		"null is no field in POST":       Resource.testNullInPost,
		"each field changes alone":       Resource.testChanges,
		"null removes a value":           Resource.testNull,
		"what was read can be sent back": Resource.testSentBack,
	})
}

// TestRequests tests versions and idempotency keys.
func TestRequests(t *testing.T, open func(testing.TB) Resource) {
	t.Helper()
	run(t, open, map[string]func(Resource){
		"If-Match":         Resource.testIfMatch,
		"idempotency keys": Resource.testIdempotency,
	})
}

// TestPatches tests PATCH of a kind of resource that has an Object.
func TestPatches(t *testing.T, open func(testing.TB) Resource) {
	t.Helper()
	run(t, open, map[string]func(Resource){
		"a patch merges an object":       Resource.testMerge,
		"patches cannot outgrow a limit": Resource.testBounds,
		"types of patches":               Resource.testPatchTypes,
	})
}

// Concurrently tests concurrent requests.
func Concurrently(t *testing.T, open func(testing.TB) Resource) {
	t.Helper()
	tests := map[string]func(Resource){
		"changes of one version": Resource.testConcurrentChanges,
		"creations with one key": Resource.testConcurrentCreations,
	}
	if open(t).Object != "" {
		tests["patches of several values"] = Resource.testConcurrentPatches
	}
	run(t, open, tests)
}

func run(t *testing.T, open func(testing.TB) Resource, tests map[string]func(Resource)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			r.tb = t
			test(r)
		})
	}
}

// create creates a resource and returns its path.
func (r Resource) create(body map[string]any) string {
	r.tb.Helper()
	return r.Client.Post(r.Path, r.encode(body)).WantStatus(http.StatusCreated).Header.Get("Location")
}

func (r Resource) encode(body map[string]any) string {
	r.tb.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		r.tb.Fatal(err)
	}
	return string(text)
}

// text returns a body that only has the text.
func (r Resource) text(value string) string {
	r.tb.Helper()
	return r.encode(map[string]any{r.Text: value})
}

func (r Resource) testCreation() {
	r.tb.Helper()
	body := fieldstest.Examples(r.tb, r.Create, r.Values)
	at := r.create(body)
	stored := r.Client.Get(at).WantStatus(http.StatusOK)
	for name, value := range body {
		stored.WantValue("data."+name, value)
	}
	id := stored.Text("data.id")
	for _, entry := range r.Client.Get(r.Path).WantStatus(http.StatusOK).JSON("data").([]any) {
		listed := entry.(map[string]any)
		if listed["id"] != id {
			continue
		}
		for name, value := range listed {
			stored.WantValue("data."+name, value)
		}
		return
	}
	r.tb.Errorf("the list does not have %s", at)
}

// testNullInPost tests that null is the same as no field in POST, and that a required field cannot be null.
func (r Resource) testNullInPost() {
	r.tb.Helper()
	whole := fieldstest.Examples(r.tb, r.Create, r.Values)
	maps.Copy(whole, r.Minimal(0))
	for n, name := range slices.Sorted(maps.Keys(whole)) {
		body := maps.Clone(whole)
		maps.Copy(body, r.Minimal(n))
		body[name] = nil
		response := r.Client.Post(r.Path, r.encode(body))
		if slices.Contains(r.Required, name) {
			response.WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		} else {
			response.WantStatus(http.StatusCreated)
		}
	}
}

// testChanges finds code that forgets a field, which answers 200 and changes nothing.
func (r Resource) testChanges() {
	r.tb.Helper()
	n := 0
	for name, value := range fieldstest.Examples(r.tb, r.Update, r.Values) {
		at := r.create(r.Minimal(n))
		n++
		r.Client.Put(at, r.encode(map[string]any{name: value})).WantStatus(http.StatusOK).WantValue("data."+name, value)
		r.Client.Get(at).WantStatus(http.StatusOK).WantValue("data."+name, value).WantHeader("ETag", `"2"`)
	}
}

func (r Resource) testNull() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	for _, method := range r.Changes {
		for name, value := range fieldstest.Examples(r.tb, r.Update, r.Values) {
			r.Client.Do(method, at, r.encode(map[string]any{name: value})).WantStatus(http.StatusOK)
			response := r.Client.Do(method, at, r.encode(map[string]any{name: nil}))
			if removed, canBeRemoved := r.Empty[name]; canBeRemoved {
				response.WantStatus(http.StatusOK).WantValue("data."+name, removed)
				continue
			}
			response.WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
			r.Client.Get(at).WantValue("data."+name, value)
		}
	}
}

// testSentBack tests that a client may send back the resource that it has read, and that each field rejects a value of
// another type.
func (r Resource) testSentBack() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	read := r.Client.Get(at).WantStatus(http.StatusOK).JSON("data").(map[string]any)
	for _, method := range r.Changes {
		r.Client.Do(method, at, r.encode(read)).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
		for name := range read {
			changed := maps.Clone(read)
			changed[name] = -5
			r.Client.Do(method, at, r.encode(changed)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		}
	}
	const unknown = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2eff"
	r.Client.Put(r.Path+"/"+unknown, r.encode(read)).WantStatus(http.StatusNotFound)
	r.Client.Put(at, r.text("other")).WantStatus(http.StatusOK)
	r.Client.With("If-Match", `"1"`).Put(at, r.encode(read)).WantStatus(http.StatusPreconditionFailed)
}
