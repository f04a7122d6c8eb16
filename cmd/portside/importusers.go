package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"portside/shared/users"
)

func importCommand() command {
	return command{
		name: "import-users", arguments: "FILE.csv|FILE.jsonl|-", summary: "add many users from a file",
		help: `Adds the users of a CSV file (with a header) or of a file with one JSON object a line.
Columns or keys: email, name, role (admin, manager, user, viewer); and, optional,
department, metadata (a JSON object), sendActivationEmail (true or false). Commas or
semicolons separate the columns.

A row that cannot be added is told with its line and does not stop the others. A user
whose address exists is left as it is and counted as already there, so a file may be
imported again after an interruption, or with its mistakes mended. Exit code 1 if any row
failed.`,
		prepare: func(flags *flag.FlagSet) action {
			o := importOptions{on: newTarget(flags)}
			flags.StringVar(&o.format, "format", "", "read the file as `csv|jsonl`; without it, its name tells")
			flags.StringVar(&o.errorsFile, "errors", "", "write the rows that failed to this CSV `FILE` (line,email,reason)")
			flags.BoolVar(&o.activationEmail, "send-activation-email", false, "invite by mail the users whose row does not say otherwise")
			flags.StringVar(&o.baseURL, "base-url", "", "`URL` that links in mails begin with, such as https://portal.example.com")
			return func(ctx context.Context, p process, arguments []string) error {
				if len(arguments) != 1 {
					return usageError("name one file, or - for stdin")
				}
				o.path = arguments[0]
				return importUsers(ctx, p, o)
			}
		},
	}
}

type importOptions struct {
	on              *target
	path            string
	format          string
	errorsFile      string
	activationEmail bool
	baseURL         string
}

// reader returns how the format is read.
func (o importOptions) reader() (func(io.Reader, rowDefaults) (rowReader, error), error) {
	format := o.format
	if format == "" {
		format = filepath.Ext(o.path)
	}
	switch format {
	case "csv", ".csv":
		return func(r io.Reader, d rowDefaults) (rowReader, error) { return newCSVRows(r, d) }, nil
	case "jsonl", ".jsonl", ".ndjson":
		return func(r io.Reader, d rowDefaults) (rowReader, error) { return newJSONRows(r, d) }, nil
	}
	return nil, usageError("the name of the file does not say what it is: give --format csv or --format jsonl (make: ARGS='--format csv')")
}

func importUsers(ctx context.Context, p process, o importOptions) error {
	if info, err := os.Stat(o.path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file in it", o.path)
	}
	read, err := o.reader()
	if err != nil {
		return err
	}
	t, err := o.on.open(ctx, p)
	if err != nil {
		return err
	}
	if o.baseURL == "" {
		o.baseURL = t.baseURL
	}
	if o.activationEmail && o.baseURL == "" {
		return usageError("--send-activation-email needs --base-url")
	}
	source, size, err := openSource(o.path, p.stdin)
	if err != nil {
		return err
	}
	defer source.Close()
	counted := &countingReader{from: source}
	rows, err := read(counted, rowDefaults{activationEmail: o.activationEmail, mayInvite: o.baseURL != ""})
	if err != nil {
		return fmt.Errorf("%s: %w", o.path, err)
	}
	rejects, err := newRejects(o.errorsFile)
	if err != nil {
		return err
	}
	job := &importJob{
		process: p, importer: users.NewImporter(t.users, newID, p.now, o.baseURL),
		progress: newProgress(p.stderr, size, counted.bytes), rejects: rejects,
	}
	return errors.Join(job.run(ctx, rows), rejects.close())
}

// openSource returns the file and its size; the size of stdin is not known, which is -1.
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
