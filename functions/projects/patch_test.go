package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

const projectToPatch = `{"name":"Loom","settings":{"a":{"b":1,"c":2},"n":12345678901234567890.10}}`

func TestPatchMergesObjects(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", projectToPatch).WantStatus(http.StatusCreated).Text("data.id")
	root.With("Content-Type", "application/merge-patch+json").
		Patch(at, `{"settings":{"a":{"c":null,"d":[1,null]},"e":"f"}}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	want := `"settings":{"a":{"b":1,"d":[1,null]},"e":"f","n":12345678901234567890.10}`
	if got := root.Get(at); !strings.Contains(string(got.Body), want) {
		t.Errorf("the patched settings are not %s: %s", want, got)
	}
	root.Put(at, `{"settings":{"a":1}}`).WantStatus(http.StatusOK).WantValue("data.settings", map[string]any{"a": 1.0})
}

// Two halves are each within the limit, but not together.
//
//proves:docs/security.md
func TestPatchedObjectIsBounded(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", projectToPatch).WantStatus(http.StatusCreated).Text("data.id")
	half := func(name string) string {
		return fmt.Sprintf(`{"settings":{%q:%q}}`, name, strings.Repeat("x", 10<<10))
	}
	root.Patch(at, half("first")).WantStatus(http.StatusOK)
	root.Patch(at, half("second")).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/settings")
	root.Patch(at, half("first")).WantStatus(http.StatusOK)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	root.Patch(at, `{"settings":`+deep+`}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/settings")
}

// Patches of different members at the same time are merged into each other.
func TestConcurrentPatchesLoseNothing(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", projectToPatch).WantStatus(http.StatusCreated).Text("data.id")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() { root.Patch(at, fmt.Sprintf(`{"settings":{"m%d":%d}}`, i, i)).WantStatus(http.StatusOK) })
	}
	all.Wait()
	stored := root.Get(at).WantHeader("ETag", `"5"`)
	for i := range 4 {
		stored.WantValue(fmt.Sprintf("data.settings.m%d", i), float64(i))
	}
}

func TestPatchChecksVersionAndType(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", projectToPatch).WantStatus(http.StatusCreated).Text("data.id")
	root.With("If-Match", `"7"`).Patch(at, `{"name":"Grace"}`).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", `"1"`).Patch(at, `{"name":"Grace"}`).WantStatus(http.StatusOK).WantValue("data.name", "Grace")
	root.With("Content-Type", "application/json-patch+json").Patch(at, `[]`).WantStatus(http.StatusUnsupportedMediaType)
	root.With("Content-Type", "application/merge-patch+json").Put(at, `{"name":"Ada"}`).
		WantStatus(http.StatusUnsupportedMediaType)
	root.Patch(at, `null`).WantStatus(http.StatusBadRequest)
	root.Patch(at, `{"title":"Ada"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/title")
}
