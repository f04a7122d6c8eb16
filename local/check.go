package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"portside/local/stack"
	"portside/local/template"
)

// checkCommand checks the parameters of a deployment, a JSON object on standard input, against the
// template's types, patterns and rules. So a deployment finds mistakes before it calls AWS.
func checkCommand(_ context.Context, args []string) error {
	var o stack.Options
	if err := parseFlags(newFlagSet("check", &o), args); err != nil {
		return err
	}
	return checkParameters(filepath.Join(o.RepoDir, "template.yaml"), os.Stdin)
}

func checkParameters(path string, in io.Reader) error {
	parameters := map[string]string{}
	if err := json.NewDecoder(in).Decode(&parameters); err != nil {
		return fmt.Errorf("the parameters must be a JSON object of texts: %w", err)
	}
	_, err := template.Load(path, template.Options{Parameters: parameters})
	return err
}
