package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"portside/local/process"
)

// keyFile holds the API key of the first admin.
const keyFile = "admin-key"

// operator is the name of the operator's command.
const operator = "portside"

// KeyFile is the path of the first admin's API key.
func (o Options) KeyFile() string { return filepath.Join(o.Data(), keyFile) }

// KeyFile is the path of the first admin's API key.
func (s *Stack) KeyFile() string { return s.options.KeyFile() }

// buildOperator builds the operator's command, or leaves it empty in a repository that has none.
func (s *Stack) buildOperator(ctx context.Context) error {
	_, err := os.Stat(filepath.Join(s.options.RepoDir, "cmd", operator))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.operator, err = s.builder.Command(ctx, operator)
	return err
}

// bootstrap makes the first admin by the operator's command. It is called at every start: only the
// command can tell whether the key that is there belongs to an admin who is there, and it takes
// milliseconds. Where there is a key, a refusal does not keep the stack from starting: somebody has made
// other admins and deleted this one.
func (s *Stack) bootstrap(ctx context.Context) error {
	if s.operator == "" {
		return nil
	}
	p, err := process.Start(process.Options{
		Name: "portside bootstrap",
		Path: s.operator,
		Args: []string{"bootstrap", "--email", "admin@localhost", "--name", "Administrator", "--key-file", s.KeyFile()},
		Dir:  s.options.RepoDir,
		Env:  s.info.commandEnvironment(),
	})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	<-p.Done()
	if p.Err() == nil {
		return nil
	}
	if _, err := os.Stat(s.KeyFile()); err != nil {
		return fmt.Errorf("cannot make the first admin: %s", oneLine(p.Tail(), p.Err()))
	}
	s.console.say("the admin's key was left as it is: " + oneLine(p.Tail(), p.Err()))
	return nil
}

// oneLine is the last line that a command printed, or how it ended.
func oneLine(output string, err error) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return fmt.Sprint(err) // nil after status 0
}
