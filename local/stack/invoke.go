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

// Invocation is what came of one event: a Lambda result or, in Error, a line for the user.
type Invocation struct {
	Payload       []byte `json:"payload"` // base64 in JSON, as a function may answer with anything
	FunctionError string `json:"functionError,omitempty"`
	Error         string `json:"error,omitempty"`
}

// InvokeOnce is Invoke with every failure in its answer.
func (s *Stack) InvokeOnce(ctx context.Context, function string, event []byte) Invocation {
	result, err := s.Invoke(ctx, function, event)
	answer := Invocation{Payload: result.Payload, FunctionError: result.FunctionError}
	switch {
	case errors.Is(err, lambda.ErrUnknownFunction):
		answer.Error = fmt.Sprintf("there is no function %q; there are %s", function, s.functionNames())
	case err != nil && result.FunctionError == "":
		answer.Error = err.Error()
	}
	return answer
}

func (s *Stack) functionNames() string {
	var names []string
	for _, f := range s.template.Load().Functions {
		names = append(names, f.ID)
	}
	return strings.Join(names, ", ")
}

// controlled reports whether a request has the control word, and answers it if it has not. The word,
// which only the user's own programs can read, keeps web pages out: they can post to any port of this
// machine.
func (s *Stack) controlled(w http.ResponseWriter, r *http.Request) bool {
	word := r.Header.Get("Authorization")
	if subtle.ConstantTimeCompare([]byte(word), []byte("Bearer "+s.info.Control)) != 1 {
		http.Error(w, "the control word of stack.json is missing", http.StatusForbidden)
		return false
	}
	return true
}

// serveInvoke runs an event for `make invoke`.
func (s *Stack) serveInvoke(w http.ResponseWriter, r *http.Request) {
	if !s.controlled(w, r) {
		return
	}
	event, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lambda.MaxPayloadBytes))
	answer := Invocation{Error: lambda.ErrPayloadTooLarge.Error()}
	if err == nil {
		answer = s.InvokeOnce(r.Context(), r.PathValue("function"), event)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the command may have been ended
}

// InvokeOnce runs an event on the stack that is described, which another process runs.
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
