package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strconv"

	"portside/shared/core/text"
	"portside/shared/users/usersfile"
)

// rejects writes failed usersfile.Rows to a file. Without a file it does nothing.
type rejects struct {
	file *os.File
	csv  *csv.Writer
}

func newRejects(path string) (*rejects, error) {
	if path == "" {
		return &rejects{}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--errors: %w", err)
	}
	r := &rejects{file: file, csv: csv.NewWriter(file)}
	return r, r.write("line", "email", "reason")
}

func (r *rejects) add(failed usersfile.Row, why string) error {
	return r.write(strconv.Itoa(failed.Line), text.CSVCell(failed.User.Email), text.CSVCell(why))
}

func (r *rejects) write(fields ...string) error {
	if r.csv == nil {
		return nil
	}
	if err := r.csv.Write(fields); err != nil {
		return fmt.Errorf("--errors: %w", err)
	}
	return nil
}

func (r *rejects) close() error {
	if r.csv == nil {
		return nil
	}
	r.csv.Flush()
	if err := errors.Join(r.csv.Error(), r.file.Close()); err != nil {
		return fmt.Errorf("--errors: %w", err)
	}
	return nil
}
