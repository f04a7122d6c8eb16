package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"portside/shared/core/fault"
	"portside/shared/images"
)

var errMethod = fault.New(fault.Forbidden, "This registry is read-only. The vendor pushes to the registry behind it.")

// errLongBlob is the error for HEAD of a blob whose length cannot be sent. Without a length, clients would take the
// blob for empty.
var errLongBlob = fault.New(fault.Forbidden, "HEAD cannot return the size of a blob of more than 4 MiB. Send GET; "+
	"with the header Range: bytes=0-0, it returns the size in Content-Range.")

// codes are the error codes of the OCI distribution specification, or of the CNCF registry if it has none. The first
// match counts, and otherwise the kind of the error.
var codes = []struct {
	err    error
	code   string
	status int
}{
	{errMethod, "UNSUPPORTED", http.StatusMethodNotAllowed},
	{errLongBlob, "UNSUPPORTED", http.StatusMethodNotAllowed},
	{errTokenMethod, "UNSUPPORTED", http.StatusMethodNotAllowed},
	{errTokenForm, "UNSUPPORTED", http.StatusBadRequest},
	{images.ErrRoute, "UNSUPPORTED", http.StatusNotFound},
	{images.ErrName, "NAME_INVALID", http.StatusBadRequest},
	{images.ErrTag, "MANIFEST_UNKNOWN", http.StatusNotFound},
	{images.ErrDigest, "DIGEST_INVALID", http.StatusBadRequest},
	{images.ErrPage, "PAGINATION_NUMBER_INVALID", http.StatusBadRequest},
	{images.ErrRepositoryUnknown, "NAME_UNKNOWN", http.StatusNotFound},
	{images.ErrManifestUnknown, "MANIFEST_UNKNOWN", http.StatusNotFound},
	{images.ErrBlobUnknown, "BLOB_UNKNOWN", http.StatusNotFound},
}

// kindCodes maps the kinds of errors that are not in codes.
var kindCodes = map[fault.Kind]struct {
	code   string
	status int
}{
	fault.Unauthorized: {"UNAUTHORIZED", http.StatusUnauthorized},
	fault.Forbidden:    {"DENIED", http.StatusForbidden},
	fault.RateLimited:  {"TOOMANYREQUESTS", http.StatusTooManyRequests},
	fault.Unavailable:  {"UNAVAILABLE", http.StatusServiceUnavailable},
}

// retryAfterSeconds is the Retry-After header, unless it is set already.
const retryAfterSeconds = 1

// writeFault sends an error in the form of the specification. All errors are mapped here.
func writeFault(w http.ResponseWriter, err error) {
	code, status := "UNKNOWN", http.StatusInternalServerError
	detail := "Something went wrong on our side. Try again. If it happens again, send us the X-Request-Id."
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
	if status == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
		allow := "GET, HEAD"
		if errors.Is(err, errLongBlob) {
			allow = http.MethodGet
		}
		w.Header().Set("Allow", allow)
	}
	isTemporary := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	if isTemporary && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfterSeconds))
	}
	writeError(w, status, ociError{Code: code, Message: detail})
}

// ociError is one error in the body of an error response.
type ociError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func writeError(w http.ResponseWriter, status int, e ociError) {
	body, err := json.Marshal(map[string][]ociError{"errors": {e}})
	if err != nil {
		panic(err) // two strings can always be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}

// writePanic sends the error for a handler that panicked.
func writePanic(w http.ResponseWriter, _ *http.Request) { writeFault(w, errors.New("panic")) }
