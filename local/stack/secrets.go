package stack

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"portside/local/secrets"
)

func (s *Stack) startSecrets(ctx context.Context) error {
	store, err := secrets.New(ctx, secrets.Config{
		Dir: filepath.Join(s.options.DataDir, "secrets"), Region: region, AccountID: accountID,
		Invoke: s.step, Log: s.console.say, Now: time.Now,
	})
	if err != nil {
		return err
	}
	s.secrets = store
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: store.API(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the port of Secrets Manager: %w", err)
		}
	}()
	s.onStop(func(context.Context) error {
		err := server.Close()
		store.Close()
		return err
	})
	s.setInfo(func(i *Info) { i.SecretsManager = "http://" + listener.Addr().String() })
	return nil
}

// step runs one step of a rotation with the function of that name, which in an ARN begins with that of
// the deployment.
func (s *Stack) step(ctx context.Context, function string, event []byte) error {
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

// Progress is one line of a rotation, or its end.
type Progress struct {
	Line  string `json:"line,omitempty"`
	Error string `json:"error,omitempty"`
	Done  bool   `json:"done,omitempty"`
}

// serveRotate rotates a secret for `make rotate`, and answers with a Progress a line while it does.
func (s *Stack) serveRotate(w http.ResponseWriter, r *http.Request) {
	if !s.controlled(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	tell := func(p Progress) {
		_ = json.NewEncoder(w).Encode(p)          // the command may have been ended
		_ = http.NewResponseController(w).Flush() // the same
	}
	id := r.URL.Query().Get("secret")
	err := s.secrets.Rotate(r.Context(), id, token(), func(line string) { tell(Progress{Line: line}) })
	if err != nil {
		tell(Progress{Error: err.Error()})
		return
	}
	tell(Progress{Done: true})
}

// token names a new version; a UUID's length is the least that Secrets Manager takes.
func token() string { return (rand.Text() + rand.Text())[:36] }

// Rotate rotates a secret on the stack that is described, which another process runs, and says a line
// for each step.
func (i Info) Rotate(ctx context.Context, secret string, say func(string)) error {
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
	return follow(response.Body, say)
}

func follow(body io.Reader, say func(string)) error {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		var p Progress
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return fmt.Errorf("the stack's answer: %w", err)
		}
		switch {
		case p.Error != "":
			return errors.New(p.Error)
		case p.Done:
			return nil
		default:
			say(p.Line)
		}
	}
	return errors.Join(errors.New("the stack ended before the rotation did; start it and rotate again"), lines.Err())
}
