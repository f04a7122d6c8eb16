package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"portside/shared/core/fault"
	"portside/shared/images"
)

var errMethod = fault.New(fault.Forbidden, "This registry is read-only: it takes GET and HEAD.")

// codes are those of the OCI distribution specification, and of the CNCF registry where that has none. They are looked for
// in this order, and then by kind.
var codes = []struct {
	err    error
	code   string
	status int
}{
	{errMethod, "UNSUPPORTED", http.StatusMethodNotAllowed},
	{images.ErrRoute, "UNSUPPORTED", http.StatusNotFound},
	{images.ErrName, "NAME_INVALID", http.StatusBadRequest},
	{images.ErrTag, "MANIFEST_INVALID", http.StatusBadRequest},
	{images.ErrDigest, "DIGEST_INVALID", http.StatusBadRequest},
	{images.ErrPage, "PAGINATION_NUMBER_INVALID", http.StatusBadRequest},
	{images.ErrRepositoryUnknown, "NAME_UNKNOWN", http.StatusNotFound},
	{images.ErrManifestUnknown, "MANIFEST_UNKNOWN", http.StatusNotFound},
	{images.ErrBlobUnknown, "BLOB_UNKNOWN", http.StatusNotFound},
}

// kindCodes map what other packages say.
var kindCodes = map[fault.Kind]struct {
	code   string
	status int
}{
	fault.Unauthorized: {"UNAUTHORIZED", http.StatusUnauthorized},
	fault.Forbidden:    {"DENIED", http.StatusForbidden},
	fault.RateLimited:  {"TOOMANYREQUESTS", http.StatusTooManyRequests},
	fault.Unavailable:  {"UNAVAILABLE", http.StatusServiceUnavailable},
}

// retryAfter is what a client is told to wait, in seconds, where nobody knows better.
const retryAfter = 1

// refuse answers with an error as the specification has it. It is the only place that maps errors to the registry's wire.
func refuse(w http.ResponseWriter, err error) {
	code, status := "UNKNOWN", http.StatusInternalServerError
	detail := "Something went wrong on our side. Try again; if it stays, tell us the X-Request-Id."
	if known := fault.As(err); known != nil {
		detail = known.Detail
		if mapped, found := kindCodes[known.Kind]; found {
			code, status = mapped.code, mapped.status
		}
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			code, status = c.code, c.status
			break
		}
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD")
	}
	waits := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	if waits && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	writeError(w, status, ociError{Code: code, Message: detail})
}

// ociError is one error of the specification's body.
type ociError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func writeError(w http.ResponseWriter, status int, e ociError) {
	body, err := json.Marshal(map[string][]ociError{"errors": {e}})
	if err != nil {
		panic(err) // two strings always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}

// broken answers for a handler that panicked.
func broken(w http.ResponseWriter, _ *http.Request) { refuse(w, errors.New("panic")) }
