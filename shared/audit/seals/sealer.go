package seals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/core/walk"
)

// Sealer seals the hours whose events are complete.
type Sealer struct {
	Events  Events
	Record  Record
	Objects Objects
	Now     func() time.Time
	Settled time.Duration // time after the end of an hour until its events are complete
	Days    int           // how long the table keeps an event
}

// sealReserve is the time of a run that must be left to begin an object.
const sealReserve = 30 * time.Second

// SealRun is the result of a run.
type SealRun struct {
	Objects, Events int
	Newest          Seal          // the zero value if nothing is sealed yet
	Age             time.Duration // since the end of the newest sealed hour
	Differing       []string      // keys of objects that another run created, but not with the events of the table
	Unrecorded      []string      // keys of objects after the newest seal, if there are more than one stopped run leaves
	IsMoved         bool          // another run sealed meanwhile, so this one stopped
}

// Seal seals one object after the other until no complete hour is left, or the context leaves no time for another
// object. The next run continues behind the newest seal.
//
// A run that stops between an object and its record does no harm: the next run builds the same object, finds that it
// exists, and records it. If the existing object has other events, for example because a restored table lacks some,
// Seal records it nevertheless, if it continues the chain, because it cannot be replaced. The verification names the
// event.
func (s Sealer) Seal(ctx context.Context) (SealRun, error) {
	at, err := s.newest(ctx)
	run := SealRun{Newest: recorded(at)}
	if err == nil {
		run.Unrecorded, err = s.unrecorded(ctx, at)
	}
	for err == nil && walk.HasTime(ctx, sealReserve) && s.isComplete(at.next().Hour) {
		var next Seal
		if next, err = s.sealNext(ctx, at, &run); err == nil {
			err = s.Record.Advance(ctx, recorded(at), next)
		}
		if errors.Is(err, ErrMoved) {
			run.IsMoved, err = true, nil
			break
		}
		if err == nil {
			run.Objects++
			at, run.Newest = next, next
		}
	}
	run.Age = s.Now().Sub(at.Hour.End())
	return run, err
}

// recorded returns the seal that Newest has: none before the first object.
func recorded(at Seal) Seal {
	if at.Hash == "" {
		return Seal{}
	}
	return at
}

func (s Sealer) isComplete(hour Hour) bool { return !s.Now().Before(hour.End().Add(s.Settled)) }

// newest returns the newest seal. Without a record, the chain begins with the first existing object. Without objects,
// it begins with the hour of the oldest event, or else with the newest complete hour.
func (s Sealer) newest(ctx context.Context) (Seal, error) {
	at, err := s.Record.Newest(ctx)
	if !errors.Is(err, ErrMissing) {
		return at, err
	}
	for key, err := range s.Objects.Keys(ctx, "") {
		if err != nil {
			return Seal{}, err
		}
		if first, isKey := parseKey(key); isKey {
			return before(first.Hour), nil
		}
	}
	hour, err := oldestHour(ctx, s.Events, s.Now(), s.Days)
	if errors.Is(err, ErrMissing) {
		return before(HourOf(s.Now().Add(-s.Settled)) - 1), nil
	}
	return before(hour), err
}

// unrecorded returns the objects after the newest seal if there are several. A run that stops leaves at most one, so
// several mean that the record was removed or replaced by an earlier one, perhaps by a restore. It returns none if
// another run has moved the record meanwhile.
func (s Sealer) unrecorded(ctx context.Context, at Seal) ([]string, error) {
	var after []string
	for key, err := range s.Objects.Keys(ctx, at.Key()) {
		if err != nil {
			return nil, err
		}
		after = append(after, key)
	}
	if len(after) < 2 {
		return nil, nil
	}
	now, err := s.Record.Newest(ctx)
	if err != nil && !errors.Is(err, ErrMissing) || now != recorded(at) {
		return nil, err
	}
	return after, nil
}

// oldestHour returns the hour of the oldest event of the last days. Errors: ErrMissing.
func oldestHour(ctx context.Context, events Events, now time.Time, days int) (Hour, error) {
	today := calendar.DayOf(now)
	for entry, err := range events.Days(ctx, today-calendar.Day(days), today) {
		if err != nil {
			return 0, err
		}
		if at, isID := audit.TimeOf(entry.ID); isID && calendar.DayOf(at) == entry.Day {
			return HourOf(at), nil
		}
	}
	return 0, ErrMissing
}

// sealNext stores the object after a seal, if it does not exist.
func (s Sealer) sealNext(ctx context.Context, after Seal, run *SealRun) (Seal, error) {
	if after.next().Part > maxPart {
		return Seal{}, fmt.Errorf("the hour %s has too many events", after.Hour)
	}
	content, seal, err := s.build(ctx, after, run)
	if err != nil {
		return Seal{}, err
	}
	err = s.Objects.Create(ctx, seal.Key(), content)
	if !errors.Is(err, ErrExists) {
		return seal, err
	}
	stored, err := readObject(ctx, s.Objects, seal.Key())
	if err != nil || bytes.Equal(stored, content) {
		return seal, err
	}
	run.Differing = append(run.Differing, seal.Key())
	return checkObject(stored, after)
}

// build returns the next object.
func (s Sealer) build(ctx context.Context, after Seal, run *SealRun) ([]byte, Seal, error) {
	w, from := newObjectWriter(after), ""
	if !after.IsLast {
		from = after.Last
	}
	isLast := true
	for entry, err := range s.Events.Hour(ctx, after.next().Hour, from) {
		if err != nil {
			return nil, Seal{}, err
		}
		if w.isFull() {
			isLast = false
			break
		}
		w.event(entry)
	}
	run.Events += w.events()
	content, seal := w.close(isLast)
	return content, seal, nil
}

func readObject(ctx context.Context, objects Objects, key string) ([]byte, error) {
	body, err := objects.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(body, maxObject+1))
	return content, errors.Join(err, body.Close())
}

// checkObject returns the seal of an object that continues the chain.
func checkObject(content []byte, after Seal) (Seal, error) {
	r := newObjectReader(bytes.NewReader(content), after)
	for {
		if _, err := r.next(); errors.Is(err, io.EOF) {
			return r.seal, nil
		} else if err != nil {
			return Seal{}, fmt.Errorf("the object %s exists already, and does not continue the chain: %w", r.seal.Key(), err)
		}
	}
}
