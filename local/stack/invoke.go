package stack

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"portside/local/lambda"
)

// Invocation is the result of an invocation: Lambda's result or, in Error, a line for the user.
type Invocation struct {
	Payload       []byte `json:"payload"` // any bytes; base64 in JSON
	FunctionError string `json:"functionError,omitempty"`
	Error         string `json:"error,omitempty"`
}

// InvokeOnce is Invoke, with all errors in the result.
func (s *Stack) InvokeOnce(ctx context.Context, function string, event []byte) Invocation {
	result, err := s.Invoke(ctx, function, event)
	answer := Invocation{Payload: result.Payload, FunctionError: result.FunctionError}
	switch {
	case errors.Is(err, lambda.ErrUnknownFunction):
		answer.Error = fmt.Sprintf("unknown function %q; the template has %s", function, s.functionNames())
	case err != nil && result.FunctionError == "":
		answer.Error = err.Error()
	}
	return answer
}

func (s *Stack) functionNames() string { return strings.Join(s.Functions(), ", ") }

// Functions returns the logical IDs of all functions of the template.
func (s *Stack) Functions() []string {
	var names []string
	for _, f := range s.template.Load().Functions {
		names = append(names, f.ID)
	}
	return names
}

// isAuthorized reports whether a request has the control token, and writes an error if not. Web
// pages can post to any port of this machine, but only the user's programs can read the token.
func (s *Stack) isAuthorized(w http.ResponseWriter, r *http.Request) bool {
	token := r.Header.Get("Authorization")
	if subtle.ConstantTimeCompare([]byte(token), []byte("Bearer "+s.info.Control)) != 1 {
		http.Error(w, "the control token of stack.json is missing", http.StatusForbidden)
		return false
	}
	return true
}

// serveInvoke invokes a function for `make invoke`.
func (s *Stack) serveInvoke(w http.ResponseWriter, r *http.Request) {
	if !s.isAuthorized(w, r) {
		return
	}
	event, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lambda.MaxPayloadBytes))
	answer := Invocation{Error: lambda.ErrPayloadTooLarge.Error()}
	if err == nil {
		answer = s.InvokeOnce(r.Context(), r.PathValue("function"), event)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // fails if the command has exited
}

// InvokeOnce invokes a function on the stack that i describes, which runs in another process.
func (i Info) InvokeOnce(ctx context.Context, function string, event []byte) (Invocation, error) {
	var answer Invocation
	address := i.API + "/_local/invoke/" + url.PathEscape(function)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(event))
	if err != nil {
		return answer, err
	}
	request.Header.Set("Authorization", "Bearer "+i.Control)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("the stack at %s answered %s", i.API, response.Status)
	}
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}
