package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"portside/local/stack"
	"portside/local/stack/control"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
)

func invokeCommand(ctx context.Context, args []string) error {
	o := stack.Options{Addr: "127.0.0.1:0", Log: os.Stderr}
	set := newFlagSet("invoke", &o)
	function := set.String("function", "", "`logical ID` of the function, such as UsersFunction")
	file := set.String("event", "", "`file` with the event, JSON")
	if err := parseFlags(set, args); err != nil {
		return err
	}
	if *function == "" || *file == "" {
		return errors.New("invoke needs a function and an event: make invoke FUNCTION=UsersFunction EVENT=events/users/list.json")
	}
	event, err := os.ReadFile(*file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s: events/ has sample events", *file)
	}
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	if !json.Valid(event) {
		return fmt.Errorf("the event %s is not JSON", *file)
	}
	answer, err := invoke(ctx, o, *function, event)
	if err != nil {
		return err
	}
	return printResult(os.Stdout, *function, answer)
}

// invoke uses the stack that runs on the data folder, or starts one for this event only.
func invoke(ctx context.Context, o stack.Options, function string, event []byte) (functions.Invocation, error) {
	info, err := folder.ReadInfo(o.Data())
	if err == nil {
		return control.Invoke(ctx, info, function, addAdminKey(event, o))
	}
	if !errors.Is(err, folder.ErrNotRunning) {
		return functions.Invocation{}, err
	}
	_, err = fmt.Fprintf(o.Log, "no stack runs in %s: starting one on the data there for this event; "+
		"to use a running stack, set DATA to its folder\n", o.Data())
	if err != nil {
		return functions.Invocation{}, err
	}
	s, err := stack.Start(ctx, o)
	if err != nil {
		return functions.Invocation{}, err
	}
	return s.InvokeAndExplain(ctx, function, addAdminKey(event, o)), stopStack(ctx, s)
}

// addAdminKey replaces the placeholder {{admin-key}} in the event by the admin's key, so that the
// events in the repository hold no secret. Without a key the event keeps the placeholder, and the
// function answers 401.
func addAdminKey(event []byte, o stack.Options) []byte {
	key, err := os.ReadFile(o.KeyFile())
	if err != nil {
		return event
	}
	return bytes.ReplaceAll(event, []byte("{{admin-key}}"), bytes.TrimSpace(key))
}

// printResult prints the payload also if the function failed, so that a script can read it.
func printResult(w io.Writer, function string, answer functions.Invocation) error {
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, answer.Payload, "", "  ") != nil {
		pretty.Write(answer.Payload)
	}
	if _, err := fmt.Fprintln(w, pretty.String()); err != nil {
		return err
	}
	if answer.FunctionError != "" {
		return fmt.Errorf("%s failed: %s", function, answer.FunctionError)
	}
	return nil
}
