package analytics

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Ledger counts lines of the log.
type Recorder interface {
	// Record adds the lines of a part to what their day has, each once, however they are given: again, in other parts, at the
	// same time. It returns the part that was new. After an error all or nothing of it is counted, and giving it again is right.
	Record(ctx context.Context, p Segment) (Segment, error)
}

// Archive keeps the parts that were counted, so that they can be counted again.
type Archive interface {
	// Put keeps the lines. What is there under the name already is the same.
	Put(ctx context.Context, name SegmentName, lines []LogLine) error
	// Get returns what was put. Errors: ErrMissing, ErrDamaged.
	Get(ctx context.Context, name SegmentName) ([]LogLine, error)
	// Names returns those of all parts of a day, counted or not, side by side those of a stream.
	Names(ctx context.Context, log Log, day Day) ([]SegmentName, error)
}

// What an Archive says of a part that is not there, and of one that is not as it was put.
var (
	ErrMissing = errors.New("it is missing")
	ErrDamaged = errors.New("it is damaged")
)

// Part is lines of one stream and one day, in the order of their times and ids, none of them twice.
type Segment struct {
	Log    Log
	Day    Day
	Stream string // which one: 16 hexadecimal digits, made of group and stream
	Lines  []LogLine
}

// digest tells texts apart by 32 hexadecimal digits.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Without returns the part less the lines that others have.
func (p Segment) Without(others []LogLine) Segment {
	known := make(map[string]bool, len(others))
	for _, line := range others {
		known[line.ID] = true
	}
	kept := make([]LogLine, 0, len(p.Lines))
	for _, line := range p.Lines {
		if !known[line.ID] {
			kept = append(kept, line)
		}
	}
	p.Lines = kept
	return p
}

// From and To are when the first and the last line were logged. The part must have lines.
func (p Segment) FirstLogged() time.Time { return p.Lines[0].LoggedAt }

// To is the end of From's stretch, itself included.
func (p Segment) LastLogged() time.Time { return p.Lines[len(p.Lines)-1].LoggedAt }

// Name tells the part from all others: parts of the same name have the same lines. The part must have lines.
func (p Segment) Name() SegmentName {
	ids := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		ids[i] = line.ID
	}
	return SegmentName{Log: p.Log, Day: p.Day, Stream: p.Stream, FirstLogged: p.FirstLogged(), Digest: digest(ids...)}
}

// Requests adds up the lines of the AccessLog.
func (p Segment) RequestStats() *RequestStats {
	sum := &RequestStats{Unreadable: int64(p.Unreadable())}
	for _, line := range p.Lines {
		if line.Request != nil {
			sum.Add(*line.Request)
		}
	}
	return sum
}

// Models adds up the lines of the ModelLog.
func (p Segment) ModelUsage() (sum ModelUsage) {
	for _, line := range p.Lines {
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

// Unread is how many lines cannot be read.
func (p Segment) Unreadable() int {
	n := 0
	for _, line := range p.Lines {
		if line.Request == nil && line.Call == nil {
			n++
		}
	}
	return n
}

// Name is what a part is called.
type SegmentName struct {
	Log         Log
	Day         Day
	Stream      string
	FirstLogged time.Time
	Digest      string // of the ids of its lines
}

// String returns the name as a path: of a log and a day side by side, and those of a stream in the order of their times.
func (n SegmentName) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", n.Log, n.Day, n.Stream, n.SortKey())
}

// Position is the last part of the path: text that sorts by time.
func (n SegmentName) SortKey() string {
	return fmt.Sprintf("%s-%s", FormatMillis(n.FirstLogged), n.Digest)
}

// Stamp writes a time as it stands in names: 13 digits, Unix milliseconds.
func FormatMillis(at time.Time) string { return fmt.Sprintf("%013d", at.UnixMilli()) }
