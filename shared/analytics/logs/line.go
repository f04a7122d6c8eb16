// Package logs counts the lines of the access log and of the logs of model calls. It parses the lines
// that arrive, groups them into segments by day, and has a [Recorder] count each line once.
//
// Lines can arrive again at any time until [Retention] is over, also in other batches. So everything
// here depends only on the line itself, not on its batch or the time of its arrival.
package logs

import (
	"errors"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/loglines"
)

// Log names one of the logs that are counted.
type Log string

// The logs that are counted.
const (
	AccessLog Log = "requests" // the access log of the HTTP API
	ModelLog  Log = "models"   // the log of the model calls of the media functions
)

// Line holds the fields of a log line that are counted. It has no IP address and nothing that
// identifies a user. If both Request and Call are nil, the line could not be parsed.
type Line struct {
	ID       string
	LoggedAt time.Time
	Request  *analytics.Request // set for lines of the AccessLog
	Call     *ModelCall         // set for lines of the ModelLog
}

// maxLineBytes is more than either log writes in a line: a path may have 10 KB, and JSON may escape
// each of its characters with six.
const maxLineBytes = 64 << 10

// errUnreadable says that a line cannot be parsed. It does not repeat the line.
var errUnreadable = errors.New("the line cannot be read")

// The times that have 13 digits as Unix milliseconds, from the year 2001 to 2286. They sort as
// text.
const (
	minMillis = 1e12
	maxMillis = 1e13 - 1
)

// isPossible reports whether a log can contain a time.
func isPossible(at time.Time) bool { return at.UnixMilli() >= minMillis && at.UnixMilli() <= maxMillis }

// A line reports an event that happened at most maxEventAge before the line was logged. The clocks
// of the machines may differ by maxClockSkew.
const (
	maxEventAge  = 24 * time.Hour
	maxClockSkew = 5 * time.Minute
)

// readLine parses an event. It returns false for an event that is not counted. The result does not
// depend on when the event is read, so a repeated delivery gets the same result.
func (l Log) readLine(e loglines.Event) (Line, bool) {
	line := Line{ID: lineID(e), LoggedAt: e.LoggedAt.UTC().Truncate(time.Millisecond)}
	if l == AccessLog {
		if r, err := readRequest(e.Message); err == nil {
			line.setTimes(&r.At)
			line.Request = &r
		}
		return line, true
	}
	call, isCall, err := readCall(e.Message)
	if err == nil {
		line.setTimes(&call.At)
		line.Call = &call
	}
	return line, isCall
}

// setTimes replaces impossible times: a line that does not say when its event happened gets the time
// at which it was logged, and the reverse. So no line is lost because of one of its times.
func (l *Line) setTimes(happened *time.Time) {
	if !isPossible(l.LoggedAt) {
		l.LoggedAt = happened.Truncate(time.Millisecond)
		return
	}
	if before := l.LoggedAt.Sub(*happened); before > maxEventAge || before < -maxClockSkew {
		*happened = l.LoggedAt
	}
}

// At returns when the request or call happened, or when the line was logged if it could not be
// parsed.
func (l Line) At() time.Time {
	switch {
	case l.Request != nil:
		return l.Request.At
	case l.Call != nil:
		return l.Call.At
	}
	return l.LoggedAt
}
