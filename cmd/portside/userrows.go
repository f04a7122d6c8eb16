package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"portside/shared/users"
)

// maxRowBytes is the maximum size of a row. It is far more than the longest valid row, in which
// every character of the metadata is escaped.
const maxRowBytes = 1 << 20

// row is one user of a file.
type row struct {
	line int // first line of the row, from 1
	user users.NewUser
	err  error // why the row cannot be parsed; a row without err may still be invalid
}

// rowReader reads the rows of a file one by one. At the end it returns io.EOF. Any other error also
// ends the reading.
type rowReader interface {
	next() (row, error)
}

// rowDefaults is what applies to rows that do not say otherwise.
type rowDefaults struct {
	activationEmail bool
	hasBaseURL      bool // an address for the links in mails is known
}

var errNoBaseURL = errors.New("sendActivationEmail requires --base-url, the address for links in mails")

// applyActivation sets whether the user gets an activation mail. Requested is nil if the row does
// not say.
func (d rowDefaults) applyActivation(user *users.NewUser, requested *bool) error {
	user.ActivationEmail = d.activationEmail
	if requested != nil {
		user.ActivationEmail = *requested
	}
	if user.ActivationEmail && !d.hasBaseURL {
		return errNoBaseURL
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
		return nil, errors.New("the file is UTF-16: save it as UTF-8")
	}
	if bytes.Equal(first, []byte{0xef, 0xbb, 0xbf}) {
		_, err = buffered.Discard(len(first))
		return buffered, err
	}
	return buffered, nil
}
