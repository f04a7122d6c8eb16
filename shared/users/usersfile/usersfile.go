// Package usersfile reads users from a CSV file with a header, or from a file with one JSON object per
// line (JSON Lines).
//
// A row that cannot be parsed does not stop the reading: it has an error, and the next row follows.
// Only a mistake that makes the rest of the file unreadable ends the reading. The operator's command and
// the API read files with this package, so both accept the same files.
package usersfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/users"
)

// MaxRowBytes is the maximum size of a row. A valid row is much shorter, even if every character of its
// metadata is escaped.
const MaxRowBytes = 1 << 20

// Format is a file format.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// Row is one user of a file.
type Row struct {
	Line  int // first line of the row, from 1
	User  users.NewUser
	Err   error    // why the row cannot be parsed; a row without Err may still be invalid
	Cells []string // the texts in the file, for each of the reader's columns, or the text of the whole row if they cannot be told apart
}

// Reader reads the rows of a file one by one. At the end it returns io.EOF. Any other error also
// ends the reading.
type Reader interface {
	Next() (Row, error)
	// Columns returns the names in the header, without ErrorColumn, and the character between two cells.
	Columns() (names []string, separator rune)
}

// ErrorColumn is the column with the errors of an earlier import. It is ignored, so that the file with the failed rows
// can be corrected and imported. The other cells of such a file were written by text.CSVCell.
const ErrorColumn = "error"

// Defaults applies to rows that do not set these values.
type Defaults struct {
	ActivationEmail bool  // whether users are invited by mail
	MailError       error // returned for each row that requests an activation mail; nil if mails can be sent
}

// New returns a Reader of a file. It reads the header of a CSV file. Errors of the header are texts for the author of
// the file.
func New(format Format, file io.Reader, defaults Defaults) (Reader, error) {
	text, err := withoutByteOrderMark(file)
	if err != nil {
		return nil, err
	}
	if format == JSONLines {
		return newJSONLines(text, defaults), nil
	}
	return newCSV(text, defaults)
}

// Reasons returns why a row failed, one text for each failure. Failures of fields begin with the name of
// the column.
func Reasons(err error) []string {
	problem := fault.As(err)
	if problem == nil || len(problem.Fields) == 0 {
		return []string{err.Error()}
	}
	all := make([]string, len(problem.Fields))
	for i, f := range problem.Fields {
		all[i] = strings.TrimPrefix(f.Pointer, "/") + " " + f.Detail
	}
	return all
}

// applyActivation sets whether the user gets an activation mail. Requested is nil if the row does not
// set it.
func (d Defaults) applyActivation(user *users.NewUser, requested *bool) error {
	user.ActivationEmail = d.ActivationEmail
	if requested != nil {
		user.ActivationEmail = *requested
	}
	if user.ActivationEmail {
		return d.MailError
	}
	return nil
}

// withoutByteOrderMark removes the byte order mark that some programs write before UTF-8. It
// rejects UTF-16.
func withoutByteOrderMark(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	first, err := buffered.Peek(3)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(first, []byte{0xff, 0xfe}) || bytes.HasPrefix(first, []byte{0xfe, 0xff}) {
		return nil, errors.New("the file is UTF-16; save it as UTF-8, as \"CSV UTF-8\" in a spreadsheet")
	}
	if bytes.Equal(first, []byte{0xef, 0xbb, 0xbf}) {
		_, err = buffered.Discard(len(first))
		return buffered, err
	}
	return buffered, nil
}
