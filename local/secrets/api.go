package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRequestBytes is enough for the largest value, 64 KB, in base64.
const maxRequestBytes = 256 << 10

// API returns the handler of the supported operations. Other operations get the service's error for
// unknown ones.
//
// It requires a signature but does not verify it. That is enough to keep out web pages, which
// cannot send an Authorization header to this address.
func (s *Store) API() http.Handler {
	operations := map[string]func([]byte) (any, error){
		"CancelRotateSecret":       call(s, s.cancelRotation),
		"CreateSecret":             call(s, s.create),
		"DeleteSecret":             call(s, s.remove),
		"DescribeSecret":           call(s, s.describe),
		"GetSecretValue":           call(s, s.get),
		"ListSecretVersionIds":     call(s, s.list),
		"PutSecretValue":           call(s, s.put),
		"RotateSecret":             call(s, s.rotate),
		"UpdateSecretVersionStage": call(s, s.moveStage),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		output, err := answer(w, r, operations)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, http.StatusOK, output)
	})
}

func answer(w http.ResponseWriter, r *http.Request, operations map[string]func([]byte) (any, error)) (any, error) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		return nil, refuse("MissingAuthenticationTokenException", "Missing Authentication Token")
	}
	operation := operations[strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "secretsmanager.")]
	if r.Method != http.MethodPost || operation == nil {
		return nil, refuse("UnknownOperationException", "the local Secrets Manager does not support this operation")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		return nil, refuse("ValidationException", "the request is larger than %d bytes or could not be read", maxRequestBytes)
	}
	return operation(body)
}

// errorNotFound is the error type for missing secrets and versions.
const errorNotFound = "ResourceNotFoundException"

// refusal is an error in the service's format.
type refusal struct{ kind, message string }

func (r *refusal) Error() string { return r.kind + ": " + r.message }

func refuse(kind, format string, args ...any) error {
	return &refusal{kind, fmt.Sprintf(format, args...)}
}

func writeError(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		// The only caller is the developer, so the error may show internal details. No error
		// contains a value.
		r, status = &refusal{"InternalServiceError", err.Error()}, http.StatusInternalServerError
	}
	w.Header().Set("X-Amzn-Errortype", r.kind)
	writeJSON(w, status, map[string]string{"__type": r.kind, "Message": r.message})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails if the client is gone
}

// epochSeconds is a time in the protocol's format, a number of seconds.
type epochSeconds time.Time

// MarshalJSON writes milliseconds as decimals.
func (i epochSeconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", float64(time.Time(i).UnixMilli())/1000), nil
}

// optionalTime converts a time, or returns nil for the zero time.
func optionalTime(at time.Time) *epochSeconds {
	if at.IsZero() {
		return nil
	}
	i := epochSeconds(at)
	return &i
}
