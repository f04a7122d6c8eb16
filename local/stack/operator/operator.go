// Package operator runs cmd/portside to create the first admin of a stack and the admin's sign-in link.
package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"portside/local/process"
)

// keyFile holds the API key of the first admin.
const keyFile = "admin-key"

// adminEmail is the address of the first admin.
const adminEmail = "admin@localhost"

// commandName is the name of the operator's command under cmd/.
const commandName = "portside"

// exitUnusable is the exit code of the operator's command if the data has an unknown layout, or if a
// restore is not complete. Then the functions must not use the data either.
const exitUnusable = 3

// KeyFile returns the path of the first admin's API key in a data folder.
func KeyFile(dataDir string) string { return filepath.Join(dataDir, keyFile) }

// Operator is the command of a repository.
type Operator struct {
	Repo    string // the folder of the repository
	KeyFile string
	Log     func(line string)
	path    string // of the binary; empty before Build, and if the repository has no command
}

// Build builds the command if the repository has one. command builds a command and returns its path.
func (o *Operator) Build(ctx context.Context, command func(ctx context.Context, name string) (string, error)) error {
	_, err := os.Stat(filepath.Join(o.Repo, "cmd", commandName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	o.path, err = command(ctx, commandName)
	return err
}

// Bootstrap creates the first admin with the operator's command, and returns the link with which the admin signs in to
// the portal. It runs at every start, because only the command can check that the key belongs to an existing admin, and
// it takes only milliseconds. If the key file exists, a failure is logged and Bootstrap returns no link, because the
// developer may have deleted this admin after creating others. Unusable data is always an error.
func (o *Operator) Bootstrap(ctx context.Context, portal string, env []string) (signInLink string, err error) {
	if o.path == "" {
		return "", nil
	}
	p, err := o.run(ctx, env, "bootstrap", "--email", adminEmail, "--name", "Administrator", "--key-file", o.KeyFile)
	if err != nil {
		return "", err
	}
	if p.Err() == nil {
		return o.createSignInLink(ctx, portal, env)
	}
	if exit, failed := errors.AsType[*exec.ExitError](p.Err()); failed && exit.ExitCode() == exitUnusable {
		return "", errors.New(p.LastLine())
	}
	if _, err := os.Stat(o.KeyFile); err != nil {
		return "", fmt.Errorf("cannot create the first admin: %s", p.LastLine())
	}
	o.Log("the admin's key file is unchanged: " + p.LastLine())
	return "", nil
}

func (o *Operator) createSignInLink(ctx context.Context, portal string, env []string) (string, error) {
	p, err := o.run(ctx, env, "sign-in-link", "--email", adminEmail, "--base-url", portal)
	if err != nil {
		return "", err
	}
	if p.Err() != nil {
		return "", fmt.Errorf("cannot create a sign-in link: %s", p.LastLine())
	}
	return p.LastLine(), nil
}

// run runs the operator's command to its end.
func (o *Operator) run(ctx context.Context, env []string, args ...string) (*process.Process, error) {
	p, err := process.Start(process.Options{
		Name: commandName + " " + args[0], Path: o.path, Args: args, Dir: o.Repo, Env: env,
	})
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	<-p.Done()
	return p, nil
}
