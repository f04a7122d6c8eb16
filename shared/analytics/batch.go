package analytics

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"portside/shared/core/calendar"
)

// Batch is what the log delivers at once: entries of one stream of a group. The same entries may come again, among others, at
// any time.
type Batch struct {
	Log     Log
	Group   string
	Stream  string
	Entries []Entry
	Now     time.Time // what was logged more than five minutes later was not; zero: it may have been
}

// isPossible tells entries that can have been logged by now.
func (b Batch) isPossible(e Entry) bool {
	return isPossible(e.Logged) && (b.Now.IsZero() || e.Logged.Sub(b.Now) <= ahead)
}

// Ledger counts lines of the log.
type Ledger interface {
	// Record adds the lines of a part to what their day has, each once, however they are given: again, in other parts, at the
	// same time. It returns the part that was new. After an error all or nothing of it is counted, and giving it again is right.
	Record(ctx context.Context, p Part) (Part, error)
}

// Archive keeps the parts that were counted, so that they can be counted again.
type Archive interface {
	// Put keeps the lines. What is there under the name already is the same.
	Put(ctx context.Context, name Name, lines []Line) error
	// Get returns what was put. Errors: ErrMissing, ErrDamaged.
	Get(ctx context.Context, name Name) ([]Line, error)
	// Names returns those of all parts of a day, counted or not, side by side those of a stream.
	Names(ctx context.Context, log Log, day calendar.Day) ([]Name, error)
}

// What an Archive says of a part that is not there, and of one that is not as it was put.
var (
	ErrMissing = errors.New("it is missing")
	ErrDamaged = errors.New("it is damaged")
)

// Part is lines of one stream and one day, in the order of their times and ids, none of them twice.
type Part struct {
	Log    Log
	Day    calendar.Day
	Stream string // which one: 16 hexadecimal digits, made of group and stream
	Lines  []Line
}

// maxDays is of how many days a batch may have lines: CloudWatch Logs takes a day's at once, which touches three with lines that
// tell of what began on the day before. More would cost a transaction each.
const maxDays = 3

// maxID is longer than ids of CloudWatch Logs, which have 56 digits.
const maxID = 64

// Parts reads a batch and cuts it by the day of each line's own time, in the order of the days. Lost are the entries that cannot be
// counted on any day: those that were logged at no possible time, such as the future, and those of more days than a batch can have. What
// is of no interest is left out.
func (b Batch) Parts() (parts []Part, lost int) {
	days := map[calendar.Day][]Line{}
	for _, entry := range b.Entries {
		if !b.isPossible(entry) {
			lost++
			continue
		}
		line, counts := b.Log.readLine(entry)
		if !counts {
			continue
		}
		day := calendar.DayOf(line.At())
		if days[day] == nil && len(days) == maxDays {
			lost++
			continue
		}
		days[day] = append(days[day], line)
	}
	for day, lines := range days {
		parts = append(parts, Part{Log: b.Log, Day: day, Stream: digest(b.Group, b.Stream)[:16], Lines: distinct(lines)})
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Day, b.Day) })
	return parts, lost
}

// distinct sorts lines, and leaves one of each id.
func distinct(lines []Line) []Line {
	seen := make(map[string]bool, len(lines))
	lines = slices.DeleteFunc(lines, func(l Line) bool {
		again := seen[l.ID]
		seen[l.ID] = true
		return again
	})
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(a.Logged.Compare(b.Logged), strings.Compare(a.ID, b.ID))
	})
	return lines
}

// identity is the entry's id, or where it has none that can be one, a digest of what it says.
func (e Entry) identity() string {
	if e.ID != "" && len(e.ID) <= maxID {
		return e.ID
	}
	return digest(strconv.FormatInt(e.Logged.UnixMilli(), 10), e.ID, e.Message)
}

// digest tells texts apart by 32 hexadecimal digits.
func digest(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Without returns the part less the lines that others have.
func (p Part) Without(others []Line) Part {
	known := make(map[string]bool, len(others))
	for _, line := range others {
		known[line.ID] = true
	}
	kept := make([]Line, 0, len(p.Lines))
	for _, line := range p.Lines {
		if !known[line.ID] {
			kept = append(kept, line)
		}
	}
	p.Lines = kept
	return p
}

// From and To are when the first and the last line were logged. The part must have lines.
func (p Part) From() time.Time { return p.Lines[0].Logged }

// To is the end of From's stretch, itself included.
func (p Part) To() time.Time { return p.Lines[len(p.Lines)-1].Logged }

// Name tells the part from all others: parts of the same name have the same lines. The part must have lines.
func (p Part) Name() Name {
	ids := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		ids[i] = line.ID
	}
	return Name{Log: p.Log, Day: p.Day, Stream: p.Stream, From: p.From(), Digest: digest(ids...)}
}

// Requests adds up the lines of the AccessLog.
func (p Part) Requests() *Requests {
	sum := &Requests{Unread: int64(p.Unread())}
	for _, line := range p.Lines {
		if line.Request != nil {
			sum.Add(*line.Request)
		}
	}
	return sum
}

// Models adds up the lines of the ModelLog.
func (p Part) Models() (sum Models) {
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
func (p Part) Unread() int {
	n := 0
	for _, line := range p.Lines {
		if line.Request == nil && line.Call == nil {
			n++
		}
	}
	return n
}

// Name is what a part is called.
type Name struct {
	Log    Log
	Day    calendar.Day
	Stream string
	From   time.Time
	Digest string // of the ids of its lines
}

// String returns the name as a path: of a log and a day side by side, and those of a stream in the order of their times.
func (n Name) String() string {
	return fmt.Sprintf("%s/%s/%s/%s", n.Log, n.Day, n.Stream, n.Position())
}

// Position is the last part of the path: text that sorts by time.
func (n Name) Position() string { return fmt.Sprintf("%s-%s", Stamp(n.From), n.Digest) }

// Stamp writes a time as it stands in names: 13 digits, Unix milliseconds.
func Stamp(at time.Time) string { return fmt.Sprintf("%013d", at.UnixMilli()) }
