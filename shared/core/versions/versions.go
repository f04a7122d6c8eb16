// Package versions changes resources that several requests may change at the same time. A change
// reads the resource, decides, and writes only if the resource has not changed since.
//
// Each resource has a version: 1 at its creation, and one more with every change that a reader can
// see. Stores reject a write that was decided on another version, so that no change is lost. This
// package then starts the change again from the read.
package versions

import (
	"context"
	"errors"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/retry"
)

// The errors of a change that collides with other changes.
var (
	// ErrStale means that the stored version is not the one that the caller read. It never reaches clients,
	// because services read again and repeat the change; see Retry.
	ErrStale = errors.New("changed since it was read")
	// ErrMismatch reports that the stored version is not the one that the client named in If-Match.
	ErrMismatch = fault.New(fault.Precondition,
		"The resource has changed since you read it. Read it again and send the new ETag in If-Match.")
	// ErrBusy reports that every attempt was stale.
	ErrBusy = fault.New(fault.Unavailable,
		"Too many requests are changing this resource at the same time. Send the request again.")
)

// Target is the resource to change.
type Target struct {
	ID      string
	IfMatch func(version int64) bool // reports whether the caller accepts the stored version; nil accepts any
}

// Accepts reports whether the caller wants to change a resource with this version.
func (t Target) Accepts(version int64) bool { return t.IfMatch == nil || t.IfMatch(version) }

// Change reads the target, and lets write decide on a change and store it. As long as write returns ErrStale, Change
// starts again with another read. Errors: ErrMismatch if the caller does not accept the stored version, ErrBusy.
func Change[T any](
	ctx context.Context, target Target, read func(context.Context, string) (T, int64, error), write func(T) error,
) error {
	isUnwanted := false
	err := Retry(ctx, func() error {
		current, version, err := read(ctx, target.ID)
		if err != nil {
			return err
		}
		if isUnwanted = !target.Accepts(version); isUnwanted {
			return nil
		}
		return write(current)
	})
	if isUnwanted {
		return ErrMismatch
	}
	return err
}

// Retry runs a change that reads something and writes it. As long as it returns ErrStale, Retry runs it again, by the
// policy retry.Default. ErrBusy means that the attempts or the time of the context are used up.
func Retry(ctx context.Context, change func() error) error {
	err := retry.Default.Do(ctx, IsStale, change)
	if IsStale(err) {
		return ErrBusy
	}
	return err
}

// IsStale reports whether err is ErrStale, which another attempt may avoid.
func IsStale(err error) bool { return errors.Is(err, ErrStale) }

// StoredTime returns the time of a change with the precision with which stores keep it, so that the
// first response shows the same time as all later ones.
func StoredTime(now time.Time) time.Time { return now.UTC().Truncate(time.Millisecond) }
