package importusers

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"

	"portside/shared/core/text"
	"portside/shared/users/usersfile"
)

// rejects writes failed usersfile.Rows to a file, as they were, with the error in a last column. The file can be
// corrected and imported. Without a file it does nothing.
//
// A row with too many or too few cells stays so, and a row with a misplaced quote has its text in one cell. So both
// fail again until the operator corrects them.
type rejects struct {
	file *os.File
	csv  *csv.Writer
}

func newRejects(path string, rows usersfile.Reader) (*rejects, error) {
	if path == "" {
		return &rejects{}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--errors: %w", err)
	}
	r := &rejects{file: file, csv: csv.NewWriter(file)}
	names, separator := rows.Columns()
	r.csv.Comma = separator
	return r, r.write(names, usersfile.ErrorColumn)
}

func (r *rejects) add(failed usersfile.Row, why string) error {
	return r.write(failed.Cells, fmt.Sprintf("line %d: %s", failed.Line, why))
}

func (r *rejects) write(cells []string, last string) error {
	if r.csv == nil {
		return nil
	}
	record := append(slices.Clone(cells), last)
	for i := range record {
		record[i] = text.CSVCell(record[i])
	}
	if err := r.csv.Write(record); err != nil {
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
