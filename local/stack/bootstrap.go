package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"portside/local/process"
)

// keyFile holds the API key of the first admin.
const keyFile = "admin-key"

// adminEmail is the address of the first admin.
const adminEmail = "admin@localhost"

// operatorCommand is the name of the operator's command under cmd/.
const operatorCommand = "portside"

// exitUnusable is the exit code of the operator's command if the data has an unknown layout, or if a
// restore is not complete. Then the functions must not use the data either.
const exitUnusable = 3

// KeyFile returns the path of the first admin's API key.
func (o Options) KeyFile() string { return filepath.Join(o.Data(), keyFile) }

// KeyFile returns the path of the first admin's API key.
func (s *Stack) KeyFile() string { return s.options.KeyFile() }

// buildOperator builds the operator's command if the repository has one.
func (s *Stack) buildOperator(ctx context.Context) error {
	_, err := os.Stat(filepath.Join(s.options.RepoDir, "cmd", operatorCommand))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.operatorPath, err = s.builder.Command(ctx, operatorCommand)
	return err
}

// bootstrap creates the first admin with the operator's command. It runs at every start, because
// only the command can check that the key belongs to an existing admin, and it takes only
// milliseconds. If there is a key file, a failure does not stop the start, because the developer may
// have deleted this admin after creating others. Unusable data always stops it.
func (s *Stack) bootstrap(ctx context.Context) error {
	if s.operatorPath == "" {
		return nil
	}
	p, err := s.runOperator(ctx, "bootstrap", "--email", adminEmail, "--name", "Administrator", "--key-file", s.KeyFile())
	if err != nil {
		return err
	}
	if p.Err() == nil {
		return s.createSignInLink(ctx)
	}
	if exit, failed := errors.AsType[*exec.ExitError](p.Err()); failed && exit.ExitCode() == exitUnusable {
		return errors.New(lastLine(p.Tail(), p.Err()))
	}
	if _, err := os.Stat(s.KeyFile()); err != nil {
		return fmt.Errorf("cannot create the first admin: %s", lastLine(p.Tail(), p.Err()))
	}
	s.console.writeLine("the admin's key file is unchanged: " + lastLine(p.Tail(), p.Err()))
	return nil
}

// createSignInLink creates the link with which the first admin signs in to the portal.
func (s *Stack) createSignInLink(ctx context.Context) error {
	p, err := s.runOperator(ctx, "sign-in-link", "--email", adminEmail, "--base-url", s.info.Portal)
	if err != nil {
		return err
	}
	if p.Err() != nil {
		return fmt.Errorf("cannot create a sign-in link: %s", lastLine(p.Tail(), p.Err()))
	}
	s.signInLink = lastLine(p.Tail(), nil)
	return nil
}

// runOperator runs the operator's command to its end.
func (s *Stack) runOperator(ctx context.Context, args ...string) (*process.Process, error) {
	p, err := process.Start(process.Options{
		Name: operatorCommand + " " + args[0], Path: s.operatorPath, Args: args, Dir: s.options.RepoDir, Env: s.info.commandEnvironment(),
	})
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	<-p.Done()
	return p, nil
}

// lastLine returns the last line of a command's output, or its exit error.
func lastLine(output string, err error) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprint(err) // <nil> after status 0
}
