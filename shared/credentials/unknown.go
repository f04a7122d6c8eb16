package credentials

import (
	"context"
	"errors"
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/throttle"
)

// MaxUnknown is how many requests with unknown credentials a network may send in a minute. Working credentials of the
// same network are accepted beyond it, because strangers may share an address.
const MaxUnknown = 100

// unknown is the throttle of requests with unknown credentials.
var unknown = throttle.Limit{Name: "unknown", Window: time.Minute, Failures: MaxUnknown}

// ErrTooManyUnknown means that the client's network has sent MaxUnknown unknown credentials in this minute, and another
// one now. It comes with an Allowance that says when to retry.
var ErrTooManyUnknown = fault.New(fault.RateLimited, "Your network has sent too many credentials that do not exist. Check the credential. "+
	"Working credentials are accepted meanwhile.")

// ErrIdle means that a session was not used for SessionIdle. It is an ErrUnknown that does not count as an unknown
// credential.
var ErrIdle = fmt.Errorf("%w: the session was not used", ErrUnknown)

type networkKey struct{}

// WithNetwork returns a context with the network of the client, whose unknown credentials are limited. See
// web.NetworkOf.
func WithNetwork(ctx context.Context, network string) context.Context {
	return context.WithValue(ctx, networkKey{}, network)
}

func networkFrom(ctx context.Context) string {
	network, _ := ctx.Value(networkKey{}).(string)
	return network
}

// IsThrottled reports whether the network in the context has used up MaxUnknown in this minute, as far as this process
// knows. Callers need it to start no other work for a request that will probably be refused.
func (a *Authenticator) IsThrottled(ctx context.Context) bool {
	return a.unknown.IsFull(networkFrom(ctx), a.now())
}

// count authenticates and counts a request. For a throttled network, it first reads the credential, so that a refusal
// costs one read.
func (a *Authenticator) count(ctx context.Context, secret Secret, now time.Time) (Presented, int, error) {
	if a.IsThrottled(ctx) {
		known, err := a.store.Get(ctx, secret.ID())
		if errors.Is(err, ErrUnknown) || err == nil && !secret.Matches(known.Hash) {
			return Presented{}, 0, ErrTooManyUnknown
		}
		if err != nil {
			return Presented{}, 0, err
		}
	}
	found, used, err := a.store.CountRequest(ctx, secret, now)
	if errors.Is(err, ErrUnknown) && !errors.Is(err, ErrIdle) {
		err = a.countUnknown(ctx, now)
	}
	return found, used, err
}

// countUnknown counts an unknown credential of the network in the context. It returns ErrUnknown, or ErrTooManyUnknown.
func (a *Authenticator) countUnknown(ctx context.Context, now time.Time) error {
	network := networkFrom(ctx)
	if network == "" {
		return ErrUnknown
	}
	tooMany, err := a.unknown.Fail(ctx, network, now)
	if err == nil {
		err = ErrUnknown
	}
	if tooMany {
		err = ErrTooManyUnknown
	}
	return err
}

// CountUnknown counts a secret from the body of a request that does not exist, such as a mailed link, as an unknown
// credential of the network in the context. Errors: ErrTooManyUnknown; those of the store.
func (a *Authenticator) CountUnknown(ctx context.Context) error {
	now := a.now()
	switch err := a.countUnknown(ctx, now); {
	case errors.Is(err, ErrTooManyUnknown):
		return ErrTooManyUnknown.After(untilNextMinute(now))
	case errors.Is(err, ErrUnknown):
		return nil
	default:
		return err
	}
}
