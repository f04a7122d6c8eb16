// Package seals seals the audit log and verifies it.
//
// The table of the audit log has the events; see package auditlog. Anybody with write access to the table could change
// or delete events. So a function copies each hour, when its events are complete, into objects that it never
// overwrites: the seals. All lines of all objects are one chain: each line has the SHA-256 hash of itself and of the
// hash before, so a change of one line changes all later hashes. The table remembers the newest seal, so the last
// objects cannot disappear unnoticed either.
//
// An object is JSON lines. The hash covers the hash of the line before and all bytes between the comma after the hash
// and the line break:
//
//	{"hash":"…","line":0,"seal":{"version":1,"hour":"2026-11-28T01","part":1,"previous":"…"}}
//	{"hash":"…","line":1,"event":{"id":"…","time":"…","action":"user.create",…}}
//	{"hash":"…","line":2,"end":{"events":1,"isLast":true}}
//
// An hour without events has an object, too, so a missing object is noticed. An hour with many events has several
// objects. [Sealer] writes them, and [Verifier] compares them with the table.
package seals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"time"

	"portside/shared/core/calendar"
)

// Hour is an hour in UTC: the number of hours since 1970.
type Hour int64

const hourFormat = "2006-01-02T15"

// HourOf returns the hour of a time after 1970.
func HourOf(at time.Time) Hour { return Hour(at.Unix() / 3600) }

// Begin returns the first moment of the hour.
func (h Hour) Begin() time.Time { return time.Unix(int64(h)*3600, 0).UTC() }

// End returns the first moment after the hour.
func (h Hour) End() time.Time { return (h + 1).Begin() }

// String returns the hour like 2026-11-28T01.
func (h Hour) String() string { return h.Begin().Format(hourFormat) }

// ParseHour is the inverse of String.
func ParseHour(text string) (Hour, error) {
	at, err := time.Parse(hourFormat, text)
	if hour := HourOf(at); err == nil && hour >= 0 && hour.String() == text {
		return hour, nil
	}
	return 0, fmt.Errorf("%q is not an hour like 2026-11-28T01", text)
}

// Seal describes a sealed object: some or all events of an hour. The zero value is the seal before the first one.
type Seal struct {
	Hour   Hour
	Part   int    // from 1
	IsLast bool   // the hour has no further part
	Last   string // ID of the last event; empty without events
	Hash   string // of the last line
}

// maxPart is the last part of an hour that a key can name.
const maxPart = 9999

// Key returns the key of the object. The order of keys is the order of the chain.
func (s Seal) Key() string {
	return fmt.Sprintf("seals/%s-%04d.jsonl", s.Hour.Begin().Format("2006/01/02T15"), s.Part)
}

// Head identifies the end of a chain. It proves all objects up to that end, if it is kept out of reach of everyone who
// can change the log.
type Head struct {
	Hour Hour
	Part int
	Hash string
}

// Head returns the end of the chain after this object.
func (s Seal) Head() Head { return Head{Hour: s.Hour, Part: s.Part, Hash: s.Hash} }

// key returns the key of the object with the head.
func (h Head) key() string { return Seal{Hour: h.Hour, Part: h.Part}.Key() }

// String returns the head as one word: the hour and the part of the object, and the hash.
func (h Head) String() string { return fmt.Sprintf("%s-%04d:%s", h.Hour, h.Part, h.Hash) }

// ParseHead is the inverse of String.
func ParseHead(text string) (Head, error) {
	object, hash, _ := strings.Cut(text, ":")
	at, isKey := parseKey("seals/" + strings.Replace(strings.Replace(object, "-", "/", 1), "-", "/", 1) + ".jsonl")
	head := Head{Hour: at.Hour, Part: at.Part, Hash: hash}
	if !isKey || !IsHash(hash) || head.String() != text {
		return Head{}, errors.New("a head is the hour, the part and the hash of an object, such as 2026-11-28T23-0001: and 64 hexadecimal digits")
	}
	return head, nil
}

// String describes the seal for messages.
func (s Seal) String() string {
	part := "not the last part of its hour"
	if s.IsLast {
		part = "the last part of its hour"
	}
	return fmt.Sprintf("%s (%s, last event %q)", s.Hash, part, s.Last)
}

var keyPattern = regexp.MustCompile(`^seals/(\d{4})/(\d{2})/(\d{2}T\d{2})-(\d{4})\.jsonl$`)

// parseKey returns the hour and the part in the key of an object.
func parseKey(key string) (at Seal, isKey bool) {
	match := keyPattern.FindStringSubmatch(key)
	if match == nil {
		return Seal{}, false
	}
	hour, err := ParseHour(match[1] + "-" + match[2] + "-" + match[3])
	part, _ := strconv.Atoi(match[4]) // the pattern has only digits
	return Seal{Hour: hour, Part: part}, err == nil && part > 0
}

// next returns the hour and the part of the object after this one.
func (s Seal) next() Seal {
	if s.IsLast {
		return Seal{Hour: s.Hour + 1, Part: 1}
	}
	return Seal{Hour: s.Hour, Part: s.Part + 1}
}

// before returns the seal before the first object, which is of the given hour.
func before(first Hour) Seal { return Seal{Hour: first - 1, IsLast: true} }

// Errors of the stores.
var (
	ErrExists  = errors.New("seals: the object exists already")
	ErrMissing = errors.New("seals: the object or the record of the newest seal does not exist")
	ErrMoved   = errors.New("seals: another run has recorded a newer seal")
)

// Entry is an event in the table, in its stored form.
type Entry struct {
	Day     calendar.Day // of its partition
	ID      string       // its sort key
	Text    string       // JSON
	Problem string       // how its other attributes contradict the text; empty if they follow from it
}

// Events is the table of events. All reads are strongly consistent, and end at the first error.
type Events interface {
	// Hour returns the events with IDs of the hour that follow the given ID, in the order of their IDs. An ID belongs
	// to the hour if, in the order of texts, it is not before audit.FirstID of the hour, and before audit.FirstID of
	// the next hour.
	Hour(ctx context.Context, hour Hour, after string) iter.Seq2[Entry, error]
	// Days returns everything in the partitions of the days, in the order of the days and of the IDs.
	Days(ctx context.Context, first, last calendar.Day) iter.Seq2[Entry, error]
	// Strays returns everything that is neither in one of these partitions nor the record of the newest seal.
	Strays(ctx context.Context, first, last calendar.Day) iter.Seq2[Entry, error]
}

// Record is the record of the newest seal, in the table.
type Record interface {
	// Newest returns the newest seal. Errors: ErrMissing before the first one.
	Newest(ctx context.Context) (Seal, error)
	// Advance replaces the newest seal; from is the zero Seal before the first one. It does nothing if the new seal is
	// recorded already. Errors: ErrMoved if another one is recorded.
	Advance(ctx context.Context, from, to Seal) error
}

// Objects is the store of sealed objects.
type Objects interface {
	// Create stores a new object. Errors: ErrExists.
	Create(ctx context.Context, key string, content []byte) error
	// Open returns the content of an object. Errors: ErrMissing.
	Open(ctx context.Context, key string) (io.ReadCloser, error)
	// Keys returns all keys after the given one, in text order.
	Keys(ctx context.Context, after string) iter.Seq2[string, error]
}
