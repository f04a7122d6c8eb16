package pulls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// maxLine is more than Log ever writes: the limits of all fields, with each character escaped.
const maxLine = 16 << 10

// ErrBroken means that a line claims to be a pull, but Log cannot have written it. The error does
// not repeat the line.
var ErrBroken = errors.New("pulls: the line is a broken pull")

// Limits of the difference between the time of a pull and the time when its line is logged.
const (
	maxDelay = 24 * time.Hour
	maxSkew  = 5 * time.Minute // the pull may appear later, because clocks differ
)

// ReadLogged is Read for a line that was logged at a known time; zero means unknown. It returns
// ErrBroken for a pull with an impossible time, which would count on the wrong day.
func ReadLogged(line []byte, at time.Time) (Pull, bool, error) {
	p, is, err := Read(line)
	if before := at.Sub(p.At); is && !at.IsZero() && (before > maxDelay || before < -maxSkew) {
		return Pull{}, false, fmt.Errorf("%w: its time does not match the time of the log", ErrBroken)
	}
	return p, is, err
}

// Read returns the pull in a line that Log wrote, or false for any other line. Its errors are
// ErrBroken.
func Read(line []byte) (Pull, bool, error) {
	var record struct {
		Pull *Pull `json:"pull"`
	}
	if !isPull(line) {
		return Pull{}, false, nil
	}
	if err := json.Unmarshal(line, &record); err != nil || record.Pull == nil {
		return Pull{}, false, fmt.Errorf("%w: it has no valid object named pull", ErrBroken)
	}
	p := *record.Pull
	if err := p.check(); err != nil {
		return Pull{}, false, err
	}
	return p, true, nil
}

// isPull checks only the message, so that other content of a line cannot cause an error.
func isPull(line []byte) bool {
	if len(line) > maxLine || !bytes.Contains(line, []byte(message)) {
		return false
	}
	var record struct {
		Message any `json:"msg"`
	}
	return json.Unmarshal(line, &record) == nil && record.Message == message
}

var digest = regexp.MustCompile(`^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})?$`)

// check rejects what Log does not write, and what would not fit into the keys of the table.
func (p Pull) check() error {
	year := p.At.Year()
	switch {
	case p != p.clean() || year < 2000 || year > 9998:
		return fmt.Errorf("%w: at, address or client is not in the logged form", ErrBroken)
	case p.Kind != Chart && p.Kind != Image:
		return fmt.Errorf("%w: its kind is neither chart nor image", ErrBroken)
	case !isName(p.Repository), !isName(p.Reference):
		return fmt.Errorf("%w: its repository or reference is not a name", ErrBroken)
	case !isName(p.CredentialID), !isName(p.OwnerID):
		return fmt.Errorf("%w: its credential or owner is not an id", ErrBroken)
	case !digest.MatchString(p.Digest):
		return fmt.Errorf("%w: its digest is not valid", ErrBroken)
	}
	return nil
}

// isName accepts more than valid names, because the servers have checked them already. It rejects
// #, which separates the parts of keys.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' })
}
