package logs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
)

// Recorder counts the lines of logs.
type Recorder interface {
	// Record adds the lines of a segment to the metrics of its day. It counts each line once, even
	// if the same line arrives again, in another segment or concurrently. It returns the lines that
	// had not been counted before. After an error, either all new lines are counted or none, and it
	// is safe to call Record again.
	Record(ctx context.Context, s Segment) (Segment, error)
}

// Archive stores the encoded lines of large segments, so that the metrics can be recomputed.
type Archive interface {
	// Put stores the data of a segment. A stored segment of the same name has the same lines.
	Put(ctx context.Context, name SegmentName, data []byte) error
	// Get returns the data of a segment. Errors: ErrMissing.
	Get(ctx context.Context, name SegmentName) ([]byte, error)
	// Names returns the names of all stored segments of a day, counted or not.
	Names(ctx context.Context, log Log, day calendar.Day) ([]SegmentName, error)
}

// Retention is how long after its event a line can be counted. Until then, the service knows which lines it has
// counted, so a line that arrives again counts once.
const Retention = 400 * 24 * time.Hour

// KeptDays is how many days a segment and its marker exist at least, from the beginning of the segment's day: the
// retention, the rest of that day, and a day for work in progress. The lifecycle of the bucket has the same number.
const KeptDays = int(Retention/(24*time.Hour)) + 2

// Errors of stored segments: a segment does not exist, or its data is damaged.
var (
	ErrMissing = errors.New("the segment is missing")
	ErrDamaged = errors.New("the segment is damaged")
)

// Segment is a set of lines of one log stream and one day. The lines are sorted by time and ID, and
// each occurs once.
type Segment struct {
	Log    Log
	Day    calendar.Day
	Stream string // 16 hexadecimal digits, a digest of group and stream
	Lines  []Line
}

// PurgeAt returns when the marker of the segment may be deleted.
func (s Segment) PurgeAt() time.Time { return s.Day.Begin().AddDate(0, 0, KeptDays) }

// digest returns 32 hexadecimal digits that identify a list of texts.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Without returns the segment without the lines that others contains.
func (s Segment) Without(others []Line) Segment {
	excluded := make(map[string]bool, len(others))
	for _, line := range others {
		excluded[line.ID] = true
	}
	kept := make([]Line, 0, len(s.Lines))
	for _, line := range s.Lines {
		if !excluded[line.ID] {
			kept = append(kept, line)
		}
	}
	s.Lines = kept
	return s
}

// FirstLogged returns when the first line was logged. The segment must have lines.
func (s Segment) FirstLogged() time.Time { return s.Lines[0].LoggedAt }

// LastLogged returns when the last line was logged. The segment must have lines.
func (s Segment) LastLogged() time.Time { return s.Lines[len(s.Lines)-1].LoggedAt }

// Name identifies the segment: segments of the same name have the same lines. The segment must have
// lines.
func (s Segment) Name() SegmentName {
	ids := make([]string, len(s.Lines))
	for i, line := range s.Lines {
		ids[i] = line.ID
	}
	return SegmentName{Log: s.Log, Day: s.Day, Stream: s.Stream, FirstLogged: s.FirstLogged(), Digest: digest(ids...)}
}

// RequestStats adds up the lines of the AccessLog.
func (s Segment) RequestStats() *analytics.RequestStats {
	sum := &analytics.RequestStats{Unread: int64(s.Unreadable())}
	for _, line := range s.Lines {
		if line.Request != nil {
			sum.Add(*line.Request)
		}
	}
	return sum
}

// ModelUsage adds up the lines of the ModelLog.
func (s Segment) ModelUsage() (sum analytics.ModelUsage) {
	for _, line := range s.Lines {
		if line.Call == nil {
			continue
		}
		sum.Calls += line.Call.Calls
		sum.InputTokens += line.Call.InputTokens
		sum.OutputTokens += line.Call.OutputTokens
		sum.MicroUSD += line.Call.MicroUSD
	}
	return sum
}

// Unreadable returns how many lines could not be parsed.
func (s Segment) Unreadable() int {
	n := 0
	for _, line := range s.Lines {
		if line.Request == nil && line.Call == nil {
			n++
		}
	}
	return n
}

// SegmentName identifies a segment.
type SegmentName struct {
	Log         Log
	Day         calendar.Day
	Stream      string
	FirstLogged time.Time
	Digest      string // of the IDs of the lines
}

// String returns the name as a path. All segments of a log and a day share a folder, where those of
// one stream are sorted by time.
func (n SegmentName) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", n.Log, n.Day, n.Stream, n.SortKey())
}

// SortKey returns the last element of the path. It sorts by time.
func (n SegmentName) SortKey() string {
	return fmt.Sprintf("%s-%s", FormatMillis(n.FirstLogged), n.Digest)
}

// FormatMillis formats a time as Unix milliseconds with 13 digits, so that text order is time order.
func FormatMillis(at time.Time) string { return fmt.Sprintf("%013d", at.UnixMilli()) }
