// Package importusers has the operators' command import-users, which adds users from a file.
package importusers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/core/principal"
	"portside/shared/users"
	"portside/shared/users/usersfile"
)

// Commands returns the command.
func Commands() []operator.Command { return []operator.Command{command()} }

func command() operator.Command {
	return operator.Command{
		Name: "import-users", Arguments: "FILE.csv|FILE.jsonl|-", Summary: "add users from a file",
		Help: `Adds the users of a CSV file with a header, or of a file with one JSON object per line.
Required columns or keys: email, name, role (admin, manager, user, viewer). Optional:
customerId (the ID of the customer; empty for the staff), department, metadata (a JSON
object), sendActivationEmail (true or false). The separator of the columns is a comma or a
semicolon.

A row that fails is reported with its line number and does not stop the import. If a user
with the address exists, the user stays unchanged and counts as already there. So a file
can be imported again after an interruption or after its errors are corrected. The file
of --errors has the failed rows as they were: correct them there and import that file. The
exit code is 1 if any row failed.`,
		Prepare: func(flags *flag.FlagSet) operator.Action {
			o := options{on: installation.NewTarget(flags)}
			flags.StringVar(&o.format, "format", "", "format of the file: `csv|jsonl`; default: from its name")
			flags.StringVar(&o.errorsFile, "errors", "", "write failed rows to this CSV `FILE`, with their errors in the column error")
			flags.BoolVar(&o.activationEmail, "send-activation-email", false, "invite users by mail unless their row says otherwise")
			flags.StringVar(&o.baseURL, "base-url", "", "`URL` at the beginning of links in mails, such as https://portal.example.com")
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if len(arguments) != 1 {
					return operator.UsageError("pass one file, or - for stdin")
				}
				o.path = arguments[0]
				return importUsers(ctx, p, o)
			}
		},
	}
}

type options struct {
	on              *installation.Target
	path            string
	format          string
	errorsFile      string
	activationEmail bool
	baseURL         string
}

// fileFormat returns the format of the file, by default from its name.
func (o options) fileFormat() (usersfile.Format, error) {
	format := o.format
	if format == "" {
		format = filepath.Ext(o.path)
	}
	switch format {
	case "csv", ".csv":
		return usersfile.CSV, nil
	case "jsonl", ".jsonl", ".ndjson":
		return usersfile.JSONLines, nil
	}
	return "", operator.UsageError("the format is not clear from the name of the file: " +
		"pass --format csv or --format jsonl (make: ARGS='--format csv')")
}

var errNoBaseURL = errors.New("sendActivationEmail requires --base-url, the address for links in mails")

// defaults returns what applies to rows that do not say otherwise.
func (o options) defaults() usersfile.Defaults {
	if o.baseURL == "" {
		return usersfile.Defaults{ActivationEmail: o.activationEmail, MailError: errNoBaseURL}
	}
	return usersfile.Defaults{ActivationEmail: o.activationEmail}
}

func importUsers(ctx context.Context, p operator.Process, o options) error {
	if info, err := os.Stat(o.path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; give a file", o.path)
	}
	format, err := o.fileFormat()
	if err != nil {
		return err
	}
	t, err := o.on.Open(ctx, p)
	if err != nil {
		return err
	}
	if o.baseURL == "" {
		o.baseURL = t.BaseURL
	}
	if o.activationEmail && o.baseURL == "" {
		return operator.UsageError("--send-activation-email requires --base-url")
	}
	source, size, err := openSource(o.path, p.Stdin)
	if err != nil {
		return err
	}
	defer source.Close()
	counted := &countingReader{from: source}
	rows, err := usersfile.New(format, counted, o.defaults())
	if err != nil {
		return fmt.Errorf("%s: %w", o.path, err)
	}
	rejects, err := newRejects(o.errorsFile, rows)
	if err != nil {
		return err
	}
	job := &job{
		Process: p, importer: users.NewImporter(t.Users.Bulk, installation.NewID, p.Now),
		options:  users.ImportOptions{Caller: principal.Operator(), BaseURL: o.baseURL},
		progress: newProgress(p.Stderr, size, counted.bytes), rejects: rejects,
	}
	return errors.Join(job.run(ctx, rows), rejects.close())
}

// openSource opens the file and returns its size, or -1 for stdin and pipes.
func openSource(path string, stdin io.Reader) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(stdin), -1, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	if !info.Mode().IsRegular() { // a pipe
		return file, -1, nil
	}
	return file, info.Size(), nil
}
