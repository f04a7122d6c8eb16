package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"portside/local/stack"
	"portside/local/stack/functions"
)

// arm64Command starts a temporary stack whose functions are built as for AWS and run in an emulator, and lets every
// function of the template answer an event of events/.
func arm64Command(ctx context.Context, args []string) (err error) {
	o := stack.Options{Addr: "127.0.0.1:0", Log: os.Stderr}
	set := newFlagSet("arm64", &o)
	emulator := set.String("emulator", "qemu-aarch64-static", "`program` that runs arm64 binaries on this machine")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	if o.Emulator, err = exec.LookPath(*emulator); err != nil {
		return fmt.Errorf("%s is missing: install it (on Debian: apt-get install qemu-user-static)", *emulator)
	}
	if o.DataDir, err = os.MkdirTemp("", "portside-arm64-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.DataDir)) }()
	s, err := stack.Start(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(answerEvents(ctx, s, o), stopStack(ctx, s))
}

// answerEvents returns an error for each function that answers none of its events.
func answerEvents(ctx context.Context, s *stack.Stack, o stack.Options) error {
	var failed []error
	for _, function := range s.Functions() {
		answered, err := answerOne(ctx, s, o, function)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", function, err))
			continue
		}
		if _, err := fmt.Fprintf(os.Stdout, "%-24s %s\n", function, answered); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// answerOne passes events to the function until it answers one, and returns the file and the answer's status. Some
// events need data that a new stack does not have, so a function may fail for some of them.
func answerOne(ctx context.Context, s *stack.Stack, o stack.Options, function string) (string, error) {
	folder := filepath.Join(o.RepoDir, "events", strings.ToLower(strings.TrimSuffix(function, "Function")))
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return "", err
	}
	failed := []error{errors.New("it answers no event of " + folder)}
	for _, file := range files {
		event, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		status, err := answerStatus(s.InvokeAndExplain(ctx, function, addAdminKey(event, o)))
		if err == nil {
			return filepath.Base(file) + ": " + status, nil
		}
		failed = append(failed, fmt.Errorf("%s: %w", filepath.Base(file), err))
	}
	return "", errors.Join(failed...)
}

// answerStatus returns the HTTP status of an answer, or "done" if it is not HTTP. Failures and HTTP statuses from 500
// are errors.
func answerStatus(answer functions.Invocation) (string, error) {
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	if answer.FunctionError != "" {
		return "", fmt.Errorf("%s %s", answer.FunctionError, answer.Payload)
	}
	var response struct {
		StatusCode int `json:"statusCode"`
	}
	isObject := json.Unmarshal(answer.Payload, &response) == nil
	switch {
	case !isObject || response.StatusCode == 0:
		return "done", nil
	case response.StatusCode >= http.StatusInternalServerError:
		return "", fmt.Errorf("%s", answer.Payload)
	}
	return fmt.Sprint(response.StatusCode), nil
}
