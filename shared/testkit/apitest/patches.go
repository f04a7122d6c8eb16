package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"portside/shared/testkit/webtest"
)

// object returns a body that only has the object.
func (r Resource) object(value string) string {
	r.tb.Helper()
	return r.encode(map[string]any{r.Object: json.RawMessage(value)})
}

// testMerge tests that PATCH merges an object and keeps its numbers as they were written, and that PUT replaces it.
func (r Resource) testMerge() {
	r.tb.Helper()
	body := r.Minimal(0)
	body[r.Object] = json.RawMessage(`{"a":{"b":1,"c":2},"n":12345678901234567890.10}`)
	at := r.create(body)
	r.Client.With("Content-Type", "application/merge-patch+json").Patch(at, r.object(`{"a":{"c":null,"d":[1,null]},"e":"f"}`)).
		WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	want := fmt.Sprintf(`%q:{"a":{"b":1,"d":[1,null]},"e":"f","n":12345678901234567890.10}`, r.Object)
	if got := r.Client.Get(at); !strings.Contains(string(got.Body), want) {
		r.tb.Errorf("the patched object is not %s: %s", want, got)
	}
	r.Client.Put(at, r.object(`{"a":1}`)).WantStatus(http.StatusOK).WantValue("data."+r.Object, map[string]any{"a": 1.0})
}

// testBounds tests that patches within the limits cannot make an object that exceeds them.
func (r Resource) testBounds() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	half := func(name string) string {
		return r.object(fmt.Sprintf("{%q:%q}", name, strings.Repeat("x", 10<<10)))
	}
	r.Client.Patch(at, half("first")).WantStatus(http.StatusOK)
	r.Client.Patch(at, half("second")).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+r.Object)
	r.Client.Patch(at, half("first")).WantStatus(http.StatusOK)
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	r.Client.Patch(at, r.object(deep)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+r.Object)
}

// testConcurrentPatches tests that concurrent patches keep each other's members.
func (r Resource) testConcurrentPatches() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	const n = 4
	webtest.Concurrently(n, func(i int) int {
		return r.Client.Patch(at, r.object(fmt.Sprintf(`{"m%d":%d}`, i, i))).WantStatus(http.StatusOK).Status
	})
	stored := r.Client.Get(at).WantHeader("ETag", `"5"`)
	for i := range n {
		stored.WantValue(fmt.Sprintf("data.%s.m%d", r.Object, i), float64(i))
	}
}

func (r Resource) testPatchTypes() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	r.Client.With("If-Match", `"7"`).Patch(at, r.text("b")).WantStatus(http.StatusPreconditionFailed)
	r.Client.With("If-Match", `"1"`).Patch(at, r.text("b")).WantStatus(http.StatusOK).WantValue("data."+r.Text, "b")
	r.Client.With("Content-Type", "application/json-patch+json").Patch(at, `[]`).WantStatus(http.StatusUnsupportedMediaType)
	r.Client.With("Content-Type", "application/merge-patch+json").Put(at, r.text("c")).WantStatus(http.StatusUnsupportedMediaType)
	r.Client.Patch(at, `null`).WantStatus(http.StatusBadRequest)
	r.Client.Patch(at, `{"unknownField":"B"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/unknownField")
}
