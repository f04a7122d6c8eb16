package pulls

import (
	"context"
	"time"

	"portside/shared/core/loglines"
)

// Recorder is the part of a Store that adds pulls.
type Recorder interface {
	// Record adds pulls, and returns how many were new. Each pull counts once, however often it is
	// given. Pulls that were recorded before an error stay recorded; the same call again adds the
	// rest.
	Record(ctx context.Context, pulls []Pull) (int, error)
}

// Ingested says what became of the lines of a batch.
type Ingested struct {
	Lines    int // all lines, including those that are not about a pull
	Recorded int // pulls that were recorded for the first time
	Known    int // pulls that were recorded before
	Broken   int // lines with an invalid pull
}

// Ingest records the pulls in a batch of log lines. All ways in which lines arrive use it, so a pull
// is recorded once, however often its line arrives.
func Ingest(ctx context.Context, recorder Recorder, batch loglines.Batch) (Ingested, error) {
	found, broken := readAll(batch.Events)
	done := Ingested{Lines: batch.Len(), Broken: broken + batch.Skipped}
	added, err := recorder.Record(ctx, found)
	done.Recorded = added
	if err == nil {
		done.Known = len(found) - added
	}
	return done, err
}

// readAll returns the pulls among the lines, and the number of lines with an invalid pull.
func readAll(lines []loglines.Event) (found []Pull, broken int) {
	for _, line := range lines {
		p, isPull, err := ReadLogged([]byte(line.Message), loggedAt(line))
		switch {
		case err != nil:
			broken++
		case isPull:
			found = append(found, p)
		}
	}
	return found, broken
}

// minTimestampMillis is earlier than every log event and later than placeholders for a missing timestamp.
const minTimestampMillis = 1e12

// loggedAt returns the time of a line, or the zero time if its timestamp is missing or impossible.
func loggedAt(line loglines.Event) time.Time {
	if line.LoggedAt.UnixMilli() < minTimestampMillis {
		return time.Time{}
	}
	return line.LoggedAt
}
