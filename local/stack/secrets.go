package stack

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"portside/local/iam"
	"portside/local/secrets"
)

func (s *Stack) startSecrets(ctx context.Context) error {
	store, err := secrets.New(ctx, secrets.Config{
		Dir: filepath.Join(s.options.DataDir, "secrets"), Region: region, AccountID: accountID,
		Invoke: s.invokeRotationStep, Log: s.console.writeLine, Now: time.Now,
	})
	if err != nil {
		return err
	}
	s.secrets = store
	s.onStop(func(context.Context) error {
		store.Close()
		return nil
	})
	values := map[string]string{}
	for _, secret := range s.template.Load().Secrets {
		values[secret.Name] = secret.Value
	}
	if err := store.Deploy(values); err != nil {
		return err
	}
	endpoint, err := s.startServer("Secrets Manager", s.crashPoints().Wrap(iam.SecretsManager(s.authorizer, arn).Guard(store.API())))
	s.setInfo(func(i *Info) { i.SecretsManager = endpoint })
	return err
}

// invokeRotationStep invokes a function for one step of a rotation. The function's name in an ARN
// begins with the stack's name.
func (s *Stack) invokeRotationStep(ctx context.Context, function string, event []byte) error {
	_, id, found := strings.Cut(function, "-")
	if !found {
		id = function
	}
	answer := s.InvokeOnce(ctx, id, event)
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	if answer.FunctionError == "" {
		return nil
	}
	var failure struct {
		Message string `json:"errorMessage"`
	}
	if json.Unmarshal(answer.Payload, &failure) != nil || failure.Message == "" {
		return errors.New(answer.FunctionError)
	}
	return errors.New(failure.Message)
}

// Progress is one line about a rotation, or its end.
type Progress struct {
	Line  string `json:"line,omitempty"`
	Error string `json:"error,omitempty"`
	Done  bool   `json:"done,omitempty"`
}

// serveRotate rotates a secret for `make rotate`. The response has one Progress in JSON per line.
func (s *Stack) serveRotate(w http.ResponseWriter, r *http.Request) {
	if !s.isAuthorized(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	send := func(p Progress) {
		_ = json.NewEncoder(w).Encode(p)          // fails if the command has exited
		_ = http.NewResponseController(w).Flush() // fails if the command has exited
	}
	id := r.URL.Query().Get("secret")
	err := s.secrets.Rotate(r.Context(), id, newVersionToken(), func(line string) { send(Progress{Line: line}) })
	if err != nil {
		send(Progress{Error: err.Error()})
		return
	}
	send(Progress{Done: true})
}

// newVersionToken returns a random ClientRequestToken with the length of a UUID.
func newVersionToken() string { return (rand.Text() + rand.Text())[:36] }

// Rotate rotates a secret on the stack that i describes, which runs in another process. It calls
// log with one line for each step.
func (i Info) Rotate(ctx context.Context, secret string, log func(string)) error {
	address := i.API + "/_local/rotate?secret=" + url.QueryEscape(secret)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+i.Control)
	response, err := http.DefaultClient.Do(request)
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
		var p Progress
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
