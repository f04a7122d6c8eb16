// Package loglines has the lines of a log as CloudWatch Logs delivers them. Packages that count
// lines take them in this form, so that they do not depend on how the lines arrive.
package loglines

import "time"

// Event is one line.
type Event struct {
	ID       string    // unique within the log, and the same in each delivery
	LoggedAt time.Time // when CloudWatch Logs received the line; the Unix epoch if unknown
	Message  string
}

// Batch is a set of lines of one stream of a log group. The same lines may arrive again at any time, also together with
// others.
type Batch struct {
	Group, Stream string
	Events        []Event
	Skipped       int // number of invalid events, which are not in Events
}

// Len returns the number of lines in the batch, including invalid ones.
func (b Batch) Len() int { return len(b.Events) + b.Skipped }
