package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"portside/shared/users"
)

// maxRow is how many bytes a row may have. The longest valid one, with metadata escaped in every character, is far
// shorter.
const maxRow = 1 << 20

// row is one user of a file.
type row struct {
	line int // where it begins, from 1
	user users.NewUser
	err  error // why this row cannot be read; nil does not mean that it is valid
}

// rowReader reads the rows of a file one by one. After the last the error is io.EOF; any other error ends the reading.
type rowReader interface {
	next() (row, error)
}

// rowDefaults is what a row does not say itself.
type rowDefaults struct {
	activationEmail bool
	mayInvite       bool // there is an address for the links in mails
}

var errNoBaseURL = errors.New("sendActivationEmail needs --base-url, the address that links in mails begin with")

// activation settles whether the user gets a mail; nil stands for what the row does not say.
func (d rowDefaults) activation(user *users.NewUser, said *bool) error {
	user.ActivationEmail = d.activationEmail
	if said != nil {
		user.ActivationEmail = *said
	}
	if user.ActivationEmail && !d.mayInvite {
		return errNoBaseURL
	}
	return nil
}

// plainText removes the mark that some programs write before UTF-8, and refuses what they write before UTF-16.
func plainText(r io.Reader) (io.Reader, error) {
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
