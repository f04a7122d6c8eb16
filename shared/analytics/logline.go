package analytics

import (
	"errors"
	"time"
)

// Log is which of the logs a line is of.
type Log string

// The logs that are counted.
const (
	AccessLog Log = "requests" // of the HTTP API
	ModelLog  Log = "models"   // what the media functions say of the models they call
)

// Line is what is counted of a line. It has no address, and nothing of a user.
type LogLine struct {
	ID       string
	LoggedAt time.Time
	Request  *Request   // of the AccessLog
	Call     *ModelCall // of the ModelLog; neither: the line cannot be read
}

// maxLine is more than either log writes in a line: a path may have 10 KB, each of which may be escaped by six characters.
const maxLineBytes = 64 << 10

// errUnreadable is what is wrong with a line that should tell something and does not. It does not repeat the line.
var errUnreadable = errors.New("the line cannot be read")

// Times that are written with 13 digits as Unix milliseconds, the years 2001 to 2286: they sort as text.
const (
	minMillis = 1e12
	maxMillis = 1e13 - 1
)

// isPossible tells times that a log can have.
func isPossible(at time.Time) bool { return at.UnixMilli() >= minMillis && at.UnixMilli() <= maxMillis }

// A line tells of what happened before it was logged: at most far before, and after it by no more than two clocks may be apart.
const (
	maxEventAge  = 24 * time.Hour
	maxClockSkew = 5 * time.Minute
)

// readLine reads an entry; false for one that tells of something that is not counted.
func (l Log) readLine(e LogEvent) (LogLine, bool) {
	line := LogLine{ID: e.lineID(), LoggedAt: e.LoggedAt.UTC().Truncate(time.Millisecond)}
	if l == AccessLog {
		if r, err := readRequest(e.Message); err == nil && e.isPlausible(r.At) {
			line.Request = &r
		}
		return line, true
	}
	call, is, err := readCall(e.Message)
	if err == nil && e.isPlausible(call.At) {
		line.Call = &call
	}
	return line, is
}

// tellsOf reports whether the entry can tell of a time. It does not depend on when the entry is read, so that one that comes
// again is the same again.
func (e LogEvent) isPlausible(at time.Time) bool {
	before := e.LoggedAt.Sub(at)
	return before <= maxEventAge && before >= -maxClockSkew
}

// At is the line's own time, or where it cannot be read, when it was logged.
func (l LogLine) At() time.Time {
	switch {
	case l.Request != nil:
		return l.Request.At
	case l.Call != nil:
		return l.Call.At
	}
	return l.LoggedAt
}
