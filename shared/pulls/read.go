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

// ErrBroken means that a line looks like a pull, but Log cannot have written it. The error does
// not repeat the line.
var ErrBroken = errors.New("pulls: the line is a broken pull")

// A pull happens before its line is logged, at most maxDelay before. The clocks may differ by maxClockSkew.
const (
	maxDelay     = 24 * time.Hour
	maxClockSkew = 5 * time.Minute
)

// ReadLogged is Read for a line that was logged at a known time; zero means unknown. A pull whose own time is missing
// or does not match gets the time at which it was logged, so that it is neither lost nor counted on a wrong day, such
// as one in the future.
func ReadLogged(line []byte, at time.Time) (Pull, bool, error) {
	if !isPull(line) {
		return Pull{}, false, nil
	}
	p, err := decode(line)
	if err != nil {
		return Pull{}, false, err
	}
	if before := at.Sub(p.At); !at.IsZero() && (before > maxDelay || before < -maxClockSkew) {
		p.At = at.UTC().Truncate(time.Millisecond)
	}
	if err := p.check(); err != nil {
		return Pull{}, false, err
	}
	return p, true, nil
}

// Read returns the pull in a line that Log wrote, or false for any other line. Its errors are
// ErrBroken.
func Read(line []byte) (Pull, bool, error) { return ReadLogged(line, time.Time{}) }

// decode parses a line. The time of the pull is zero if the line has no valid one.
func decode(line []byte) (Pull, error) {
	var record struct {
		Pull *struct {
			Pull
			At json.RawMessage `json:"at"` // decoded separately, because a pull must not be lost for its time
		} `json:"pull"`
	}
	if err := json.Unmarshal(line, &record); err != nil || record.Pull == nil {
		return Pull{}, fmt.Errorf("%w: it has no valid object named pull", ErrBroken)
	}
	p := record.Pull.Pull
	if json.Unmarshal(record.Pull.At, &p.At) != nil {
		p.At = time.Time{}
	}
	p.At = p.At.UTC().Truncate(time.Millisecond)
	return p, nil
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
	case !isName(p.CredentialID), !isName(p.OwnerID), p.CustomerID != "" && !isName(p.CustomerID):
		return fmt.Errorf("%w: its credential, owner or customer is not an id", ErrBroken)
	case !digest.MatchString(p.Digest):
		return fmt.Errorf("%w: its digest is not valid", ErrBroken)
	case p.IsCheck && p.ByDigest():
		return fmt.Errorf("%w: a check is of a tag, not of a digest", ErrBroken)
	}
	return nil
}

// isName accepts more than valid names, because the servers have checked them already. It rejects
// #, which separates the parts of keys.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' })
}
