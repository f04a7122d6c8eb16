package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

const customerToPatch = `{"name":"Acme","slug":"acme","limits":{"users":5},"metadata":{"a":{"b":1,"c":2},"n":12345678901234567890.10}}`

func TestPatchMergesObjects(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(customerToPatch)
	root.With("Content-Type", "application/merge-patch+json").
		Patch(at, `{"metadata":{"a":{"b":null,"d":[1,null]},"e":"f"}}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	want := `"metadata":{"a":{"c":2,"d":[1,null]},"e":"f","n":12345678901234567890.10}`
	if got := root.Get(at); !strings.Contains(string(got.Body), want) {
		t.Errorf("the patched metadata is not %s: %s", want, got)
	}
	root.Put(at, `{"metadata":{"a":1}}`).WantStatus(http.StatusOK).WantValue("data.metadata", map[string]any{"a": 1.0})
}

// A limit that the body does not name stays unchanged.
func TestLimitsAreSetAndRemoved(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(customerToPatch)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for _, step := range []struct {
			sent            string
			users, requests any
		}{
			{`{"users":null,"requestsPerMinute":600}`, nil, 600}, {`{"users":7}`, 7, 600}, {`{}`, 7, 600}, {`{"requestsPerMinute":null}`, 7, nil},
			{`{"requestsPerMinute":1}`, 7, 1}, {`{"users":null}`, nil, 1}, {`{"users":7,"requestsPerMinute":null}`, 7, nil},
		} {
			root.Do(method, at, `{"limits":`+step.sent+`}`).WantStatus(http.StatusOK).
				WantValue("data.limits.users", step.users).WantValue("data.limits.requestsPerMinute", step.requests)
		}
		root.Do(method, at, `{"limits":null}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/limits")
		root.Get(at).WantValue("data.limits.users", 7)
	}
}

// Two halves are each within the limit, but not together.
//
//proves:docs/security.md
func TestPatchedObjectIsBounded(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(customerToPatch)
	half := func(name string) string {
		return fmt.Sprintf(`{"metadata":{%q:%q}}`, name, strings.Repeat("x", 10<<10))
	}
	root.Patch(at, half("first")).WantStatus(http.StatusOK)
	root.Patch(at, half("second")).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/metadata")
	root.Patch(at, half("first")).WantStatus(http.StatusOK)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	root.Patch(at, `{"metadata":`+deep+`}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/metadata")
}

// Patches of different members at the same time are merged into each other.
func TestConcurrentPatchesLoseNothing(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(customerToPatch)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { root.Patch(at, fmt.Sprintf(`{"metadata":{"m%d":%d}}`, i, i)).WantStatus(http.StatusOK) })
	}
	all.Wait()
	stored := root.Get(at).WantHeader("ETag", `"5"`)
	for i := range 4 {
		stored.WantValue(fmt.Sprintf("data.metadata.m%d", i), float64(i))
	}
}

func TestPatchChecksVersionAndType(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(customerToPatch)
	root.With("If-Match", `"7"`).Patch(at, `{"name":"Grace"}`).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", `"1"`).Patch(at, `{"name":"Grace"}`).WantStatus(http.StatusOK).WantValue("data.name", "Grace")
	root.With("Content-Type", "application/json-patch+json").Patch(at, `[]`).WantStatus(http.StatusUnsupportedMediaType)
	root.With("Content-Type", "application/merge-patch+json").Put(at, `{"name":"Ada"}`).
		WantStatus(http.StatusUnsupportedMediaType)
	root.Patch(at, `null`).WantStatus(http.StatusBadRequest)
	root.Patch(at, `{"title":"Ada"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/title")
}
