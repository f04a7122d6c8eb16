package logs

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
)

// Batch is one delivery of a log: events of one stream of a log group. The same events may be
// delivered again at any time, also together with others.
type Batch struct {
	Log    Log
	Group  string
	Stream string
	Events []loglines.Event
	// Events that claim to have happened more than maxClockSkew after Now, or more than Retention
	// before it, are rejected. The zero value accepts any time.
	Now time.Time
}

// isPossible reports whether something can have happened at a time.
func (b Batch) isPossible(at time.Time) bool {
	return isPossible(at) && (b.Now.IsZero() || at.Sub(b.Now) <= maxClockSkew && b.Now.Sub(at) <= Retention)
}

// maxDays is how many days the lines of one batch may belong to. A batch of CloudWatch Logs spans
// at most 24 hours, which touch two days, and a line may report something that began the day
// before. Each further day would cost another transaction.
const maxDays = 3

// maxIDBytes is longer than the IDs of CloudWatch Logs, which have 56 digits.
const maxIDBytes = 64

// Segments parses a batch and groups its lines by the day of each line's own time. The segments are
// in the order of their days. Lines that are not counted by design are left out. Lost is the number
// of events that cannot be counted on any day: they have no possible time, for example because all
// their times are in the future or too long ago, or the batch already has lines of maxDays other days.
func (b Batch) Segments() (segments []Segment, lost int) {
	days := map[calendar.Day][]Line{}
	for _, event := range b.Events {
		line, isCounted := b.Log.readLine(event)
		if !isCounted {
			continue
		}
		day := calendar.DayOf(line.At())
		if !b.isPossible(line.At()) || days[day] == nil && len(days) == maxDays {
			lost++
			continue
		}
		days[day] = append(days[day], line)
	}
	for day, lines := range days {
		segments = append(segments, Segment{
			Log: b.Log, Day: day, Stream: digest(b.Group, b.Stream)[:16], Lines: distinct(lines),
		})
	}
	slices.SortFunc(segments, func(a, b Segment) int { return cmp.Compare(a.Day, b.Day) })
	return segments, lost
}

// distinct sorts lines by time and ID, and keeps one line of each ID.
func distinct(lines []Line) []Line {
	seen := make(map[string]bool, len(lines))
	lines = slices.DeleteFunc(lines, func(l Line) bool {
		isDuplicate := seen[l.ID]
		seen[l.ID] = true
		return isDuplicate
	})
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(a.LoggedAt.Compare(b.LoggedAt), strings.Compare(a.ID, b.ID))
	})
	return lines
}

// lineID returns the ID of an event. If the ID is missing or too long, it returns a digest of the
// event instead.
func lineID(e loglines.Event) string {
	if e.ID != "" && len(e.ID) <= maxIDBytes {
		return e.ID
	}
	return digest(strconv.FormatInt(e.LoggedAt.UnixMilli(), 10), e.ID, e.Message)
}
