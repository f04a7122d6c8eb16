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

// maxLine is more than Log ever writes: the bounds of all fields, each character escaped.
const maxLine = 16 << 10

// ErrBroken says that a line claims to be a pull, and is none that Log wrote. The error does not repeat the line.
var ErrBroken = errors.New("pulls: the line is a broken pull")

// A line tells of what happened before it was logged: at most far before, and after it by no more than two clocks may be apart.
const (
	far   = 24 * time.Hour
	ahead = 5 * time.Minute
)

// ReadLogged is Read of a line that was logged at a time, the zero time where that is not known. A pull of another time would count on
// a day that nobody looks at, such as one of the future, and is broken.
func ReadLogged(line []byte, at time.Time) (Pull, bool, error) {
	p, is, err := Read(line)
	if before := at.Sub(p.At); is && !at.IsZero() && (before > far || before < -ahead) {
		return Pull{}, false, fmt.Errorf("%w: it cannot have been logged when it was", ErrBroken)
	}
	return p, is, err
}

// Read returns the pull of a line that Log wrote; false for any other line. Its errors are ErrBroken.
func Read(line []byte) (Pull, bool, error) {
	var record struct {
		Pull *Pull `json:"pull"`
	}
	if !isPull(line) {
		return Pull{}, false, nil
	}
	if err := json.Unmarshal(line, &record); err != nil || record.Pull == nil {
		return Pull{}, false, fmt.Errorf("%w: it has no object named pull that fits", ErrBroken)
	}
	p := *record.Pull
	if err := p.check(); err != nil {
		return Pull{}, false, err
	}
	return p, true, nil
}

// isPull looks at nothing but the message, so that whatever else a line holds cannot make it an error.
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

// check refuses what Log does not write, and what would not fit the keys of the log.
func (p Pull) check() error {
	year := p.At.Year()
	switch {
	case p != p.clean() || year < 2000 || year > 9998:
		return fmt.Errorf("%w: at, address or client is not as it is logged", ErrBroken)
	case p.Kind != Chart && p.Kind != Image:
		return fmt.Errorf("%w: its kind is neither chart nor image", ErrBroken)
	case !isName(p.Repository), !isName(p.Reference):
		return fmt.Errorf("%w: its repository or reference is no name", ErrBroken)
	case !isName(p.CredentialID), !isName(p.OwnerID):
		return fmt.Errorf("%w: its credential or owner is no id", ErrBroken)
	case !digest.MatchString(p.Digest):
		return fmt.Errorf("%w: its digest is none", ErrBroken)
	}
	return nil
}

// isName is deliberately wide, since the servers have checked names already; # separates the parts of keys.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' })
}
