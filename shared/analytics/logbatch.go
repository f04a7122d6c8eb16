package analytics

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Batch is what the log delivers at once: entries of one stream of a group. The same entries may come again, among others, at
// any time.
type LogBatch struct {
	Log    Log
	Group  string
	Stream string
	Events []LogEvent
	Now    time.Time // what was logged more than five minutes later was not; zero: it may have been
}

// isPossible tells entries that can have been logged by now.
func (b LogBatch) isPossible(e LogEvent) bool {
	return isPossible(e.LoggedAt) && (b.Now.IsZero() || e.LoggedAt.Sub(b.Now) <= maxClockSkew)
}

// maxDays is of how many days a batch may have lines: CloudWatch Logs takes a day's at once, which touches three with lines that
// tell of what began on the day before. More would cost a transaction each.
const maxDays = 3

// maxID is longer than ids of CloudWatch Logs, which have 56 digits.
const maxIDBytes = 64

// Parts reads a batch and cuts it by the day of each line's own time, in the order of the days. Lost are the entries that cannot be
// counted on any day: those that were logged at no possible time, such as the future, and those of more days than a batch can have. What
// is of no interest is left out.
func (b LogBatch) Segments() (parts []Segment, lost int) {
	days := map[Day][]LogLine{}
	for _, entry := range b.Events {
		if !b.isPossible(entry) {
			lost++
			continue
		}
		line, counts := b.Log.readLine(entry)
		if !counts {
			continue
		}
		day := DayOf(line.At())
		if days[day] == nil && len(days) == maxDays {
			lost++
			continue
		}
		days[day] = append(days[day], line)
	}
	for day, lines := range days {
		parts = append(parts, Segment{Log: b.Log, Day: day, Stream: digest(b.Group, b.Stream)[:16], Lines: distinct(lines)})
	}
	slices.SortFunc(parts, func(a, b Segment) int { return cmp.Compare(a.Day, b.Day) })
	return parts, lost
}

// distinct sorts lines, and leaves one of each id.
func distinct(lines []LogLine) []LogLine {
	seen := make(map[string]bool, len(lines))
	lines = slices.DeleteFunc(lines, func(l LogLine) bool {
		again := seen[l.ID]
		seen[l.ID] = true
		return again
	})
	slices.SortFunc(lines, func(a, b LogLine) int {
		return cmp.Or(a.LoggedAt.Compare(b.LoggedAt), strings.Compare(a.ID, b.ID))
	})
	return lines
}

// identity is the entry's id, or where it has none that can be one, a digest of what it says.
func (e LogEvent) lineID() string {
	if e.ID != "" && len(e.ID) <= maxIDBytes {
		return e.ID
	}
	return digest(strconv.FormatInt(e.LoggedAt.UnixMilli(), 10), e.ID, e.Message)
}

// Entry is a line as the log delivers it.
type LogEvent struct {
	ID       string
	LoggedAt time.Time // when the log got it
	Message  string
}
