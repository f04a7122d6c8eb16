package apitest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"portside/shared/testkit/webtest"
)

func (r Resource) testIfMatch() {
	r.tb.Helper()
	at := r.create(r.Minimal(0))
	r.Client.With("If-Match", `"1"`).Put(at, r.text("b")).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`)
	r.Client.With("If-Match", `"1"`).Put(at, r.text("c")).WantStatus(http.StatusPreconditionFailed).
		WantValue("code", "PRECONDITION_FAILED")
	r.Client.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	for _, bad := range []string{"1", `"1`, "*, *", "abc"} {
		r.Client.With("If-Match", bad).Put(at, r.text("c")).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.pointer", "header/If-Match")
	}
	r.Client.With("If-Match", `W/"2"`).Put(at, r.text("c")).WantStatus(http.StatusPreconditionFailed)
	r.Client.With("If-Match", `"7", "2"`).Put(at, r.text("c")).WantStatus(http.StatusOK)
	r.Client.With("If-Match", "*").Put(at, r.text("d")).WantStatus(http.StatusOK)
	r.Client.With("If-Match", `"4"`).Delete(at).WantStatus(http.StatusNoContent)
	r.Client.Get(at).WantStatus(http.StatusNotFound)
}

// testConcurrentChanges tests that one of the changes with the same If-Match succeeds, and all changes without it.
func (r Resource) testConcurrentChanges() {
	r.tb.Helper()
	const n = 6
	at := r.create(r.Minimal(0))
	statuses := webtest.Concurrently(n, func(i int) int {
		return r.Client.With("If-Match", `"1"`).Put(at, r.text(fmt.Sprint("n", i))).Status
	})
	if statuses[http.StatusOK] != 1 || statuses[http.StatusPreconditionFailed] != n-1 {
		r.tb.Errorf("statuses %v, want one 200 and %d 412", statuses, n-1)
	}
	statuses = webtest.Concurrently(n, func(i int) int { return r.Client.Put(at, r.text(fmt.Sprint("m", i))).Status })
	if statuses[http.StatusOK] != n {
		r.tb.Errorf("statuses %v, want only 200 without If-Match", statuses)
	}
	r.Client.Get(at).WantHeader("ETag", fmt.Sprintf(`"%d"`, 2+n))
}

func (r Resource) testIdempotency() {
	r.tb.Helper()
	const header = "Idempotency-Key"
	once, body := r.Client.With(header, "order 66"), r.encode(r.Minimal(0))
	first := once.Post(r.Path, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	at := first.Header.Get("Location")
	r.Client.Put(at, r.text("changed")).WantStatus(http.StatusOK)
	again := once.Post(r.Path, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true").WantHeader("Location", at)
	if !bytes.Equal(again.Body, first.Body) {
		r.tb.Errorf("the replay differs:\n%s\n%s", again.Body, first.Body)
	}
	another := r.Minimal(1)
	once.Post(r.Path, r.encode(another)).WantStatus(http.StatusUnprocessableEntity).WantValue("code", "IDEMPOTENCY_KEY_REUSED")
	r.Other.With(header, "order 66").Post(r.Path, r.encode(another)).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")

	r.Client.Delete(at).WantStatus(http.StatusNoContent)
	r.Clock.Advance(23 * time.Hour)
	once.Post(r.Path, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "true")
	r.Clock.Advance(time.Hour)
	once.Post(r.Path, body).WantStatus(http.StatusCreated).WantHeader("Idempotency-Replayed", "")
	for _, bad := range []string{strings.Repeat("k", 256), "k\x00", "\xff", "schlüssel"} {
		r.Client.With(header, bad).Post(r.Path, body).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.pointer", "header/"+header)
	}
}

// testConcurrentCreations counts a replay as a negative status.
func (r Resource) testConcurrentCreations() {
	r.tb.Helper()
	const n = 6
	before := r.Client.Get(r.Path).JSON("pagination.total").(float64)
	body := r.encode(r.Minimal(0))
	statuses := webtest.Concurrently(n, func(int) int {
		response := r.Client.With("Idempotency-Key", "k").Post(r.Path, body)
		if response.Header.Get("Idempotency-Replayed") == "true" {
			return -response.Status
		}
		return response.Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[-http.StatusCreated] != n-1 {
		r.tb.Errorf("responses %v, want one 201 and %d replays of it", statuses, n-1)
	}
	r.Client.Get(r.Path).WantValue("pagination.total", before+1)
}
