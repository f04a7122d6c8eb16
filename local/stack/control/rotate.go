package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"portside/local/stack/folder"
)

// progress is one line about a rotation, or its end.
type progress struct {
	Line  string `json:"line,omitempty"`
	Error string `json:"error,omitempty"`
	Done  bool   `json:"done,omitempty"`
}

// serveRotate rotates a secret for `make rotate`. The response has one progress in JSON per line.
func (c Config) serveRotate(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	send := func(p progress) {
		_ = json.NewEncoder(w).Encode(p)          // fails if the command has exited
		_ = http.NewResponseController(w).Flush() // fails if the command has exited
	}
	id := r.URL.Query().Get("secret")
	if err := c.Services.Rotate(r.Context(), id, func(line string) { send(progress{Line: line}) }); err != nil {
		send(progress{Error: err.Error()})
		return
	}
	send(progress{Done: true})
}

// Rotate rotates a secret on a stack that runs in another process. It calls
// log with one line for each step.
func Rotate(ctx context.Context, i folder.Info, secret string, log func(string)) error {
	response, err := post(ctx, i, "/_local/rotate?secret="+url.QueryEscape(secret), http.NoBody)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the stack at %s answered %s", i.API, response.Status)
	}
	return readProgress(response.Body, log)
}

func readProgress(body io.Reader, log func(string)) error {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		var p progress
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return fmt.Errorf("the stack's response is invalid: %w", err)
		}
		switch {
		case p.Error != "":
			return errors.New(p.Error)
		case p.Done:
			return nil
		default:
			log(p.Line)
		}
	}
	return errors.Join(errors.New("the stack stopped during the rotation; start it and rotate again"), lines.Err())
}
