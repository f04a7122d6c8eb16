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

// maxRequestBytes is above the largest value, 64 KB, in base64 and with everything around it.
const maxRequestBytes = 256 << 10

// API answers the calls of Secrets Manager. Other operations get the service's answer to an unknown one.
//
// Signatures are not checked, only that there is one: that is enough to keep out a web page that posts to this address
// from a browser.
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
		return nil, refuse("UnknownOperationException", "the local Secrets Manager has no such operation")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		return nil, refuse("ValidationException", "the request is larger than %d bytes or could not be read", maxRequestBytes)
	}
	return operation(body)
}

// call makes an operation out of a method; one runs at a time.
func call[In, Out any](s *Store, operation func(In) (Out, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) {
		var in In
		if err := json.Unmarshal(body, &in); err != nil {
			return nil, refuse("SerializationException", "the request is not JSON of this operation's shape")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return operation(in)
	}
}

// errorNotFound is the kind of refusal that others ask for.
const errorNotFound = "ResourceNotFoundException"

// refusal is an error of the service.
type refusal struct{ kind, message string }

func (r *refusal) Error() string { return r.kind + ": " + r.message }

func refuse(kind, format string, args ...any) error {
	return &refusal{kind, fmt.Sprintf(format, args...)}
}

func writeError(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		// The local stack has no secrets to keep from its own developer, and no error holds a value.
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
	_, _ = w.Write(body) // the client is gone when this fails
}

// epochSeconds is a time as the protocol has it: seconds as a number.
type epochSeconds time.Time

// MarshalJSON writes milliseconds as decimals.
func (i epochSeconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.3f", float64(time.Time(i).UnixMilli())/1000), nil
}

// optionalTime returns nil for the zero time.
func optionalTime(at time.Time) *epochSeconds {
	if at.IsZero() {
		return nil
	}
	i := epochSeconds(at)
	return &i
}
