package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"portside/local/lambda"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
)

// serveInvoke invokes a function for `make invoke`.
func (c Config) serveInvoke(w http.ResponseWriter, r *http.Request) {
	event, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lambda.MaxPayloadBytes))
	answer := functions.Invocation{Error: lambda.ErrPayloadTooLarge.Error()}
	if err == nil {
		answer = c.Invoke(r.Context(), r.PathValue("function"), event)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // fails if the command has exited
}

// Invoke invokes a function on a stack that runs in another process.
func Invoke(ctx context.Context, i folder.Info, function string, event []byte) (functions.Invocation, error) {
	var answer functions.Invocation
	response, err := post(ctx, i, "/_local/invoke/"+url.PathEscape(function), bytes.NewReader(event))
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("the stack at %s answered %s", i.API, response.Status)
	}
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}

// post sends a command to a stack.
func post(ctx context.Context, i folder.Info, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.API+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+i.Control)
	return http.DefaultClient.Do(request)
}
