package credentials

import (
	"context"
	"crypto/subtle"
	"errors"
	"slices"
	"strings"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/throttle"
)

// Authenticator authenticates the credentials of requests.
type Authenticator struct {
	store Store
	limit int
	now   func() time.Time

	unknown *throttle.Throttle // of networks
	purses  purses
	uses    uses
}

// NewAuthenticator returns an Authenticator. limit is the default number of requests to the API per minute and owner,
// from which the limits of other kinds follow; 0 switches the limits of credentials and owners off, but not those of
// customers. Requests to the API are counted in any case, because that records the last use.
func NewAuthenticator(store Store, limit int, now func() time.Time) *Authenticator {
	return &Authenticator{store: store, limit: limit, now: now, unknown: throttle.New(store, unknown)}
}

// Authenticate returns the principal of a text, which must be of one of the given kinds. It calls the store once for a
// working credential, unless the client's network is throttled, now and then a second time to count for the owner or
// the customer, and not at all if the text is malformed. Errors: ErrUnauthorized; ErrRateLimited, ErrOwnerRateLimited,
// ErrCustomerRateLimited and ErrTooManyUnknown with the allowance.
func (a *Authenticator) Authenticate(ctx context.Context, text string, kinds ...Kind) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, kinds)
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(a.now()), allowance, nil
}

// AuthenticateBasic is Authenticate for HTTP Basic: it accepts a token with any user name, or a
// password with its own user name.
func (a *Authenticator) AuthenticateBasic(ctx context.Context, username, text string) (principal.Principal, Allowance, error) {
	found, allowance, err := a.authenticate(ctx, text, []Kind{AccessToken, Password})
	username = strings.TrimRight(username, lineEnds)
	if err == nil && found.Kind == Password && subtle.ConstantTimeCompare([]byte(found.Username), []byte(username)) == 0 {
		a.countRefusal(ctx, Refusal{Who: found.principal(a.now()), Reason: NotWorking})
		err = ErrUnauthorized
	}
	if err != nil {
		return principal.Principal{}, allowance, err
	}
	return found.principal(a.now()), allowance, nil
}

func (a *Authenticator) authenticate(ctx context.Context, text string, kinds []Kind) (Presented, Allowance, error) {
	secret, err := Parse(text)
	if err != nil || !slices.Contains(kinds, secret.Kind()) {
		return Presented{}, Allowance{}, ErrUnauthorized
	}
	now, request := a.now(), loadFrom(ctx)
	_, isPaid := a.purses.spend(headsOf(secret, request), headTenths, now)
	find := a.count
	if isPaid || request.kind != APIRequest {
		find = a.find
	}
	found, used, err := find(ctx, secret, now)
	switch {
	case errors.Is(err, ErrTooManyUnknown):
		return Presented{}, Allowance{Reset: untilNextMinute(now)}, ErrTooManyUnknown.After(untilNextMinute(now))
	case errors.Is(err, ErrUnknown), err == nil && (!secret.Matches(found.Hash) || found.Kind != secret.Kind()):
		return Presented{}, Allowance{}, ErrUnauthorized
	case err != nil:
		return Presented{}, Allowance{}, err
	case !found.Works(now):
		if used <= maxCountedRefusals {
			a.countRefusal(ctx, Refusal{Who: found.principal(now), Reason: NotWorking})
		}
		return Presented{}, Allowance{}, ErrUnauthorized
	case isPaid:
		return found, Allowance{}, nil
	case request.kind != APIRequest:
		allowance, err := a.countInSteps(ctx, found, request, now)
		return found, allowance, err
	}
	allowance, err := a.countAPIRequest(ctx, found, used, now)
	if request.isHead && err == nil {
		a.purses.change(headsOf(secret, request), now, func(p purse) purse {
			p.tenths += wholeTenths - headTenths
			return p
		})
	}
	return found, allowance, err
}

// headsOf returns the subject whose purse pays for HEAD requests of a credential to the API, or "" for other requests.
// The first HEAD in a process counts as a whole request and pays for nine more.
func headsOf(secret Secret, l load) string {
	if !l.isHead || l.kind != APIRequest {
		return ""
	}
	return "heads#" + string(secret.Hash())
}

// find returns a credential without counting a request of it, and the number of requests that did not work.
func (a *Authenticator) find(ctx context.Context, secret Secret, now time.Time) (found Presented, refused int, err error) {
	found, err = a.store.Find(ctx, secret)
	if errors.Is(err, ErrUnknown) {
		return Presented{}, 0, a.countUnknown(ctx, now)
	}
	if err == nil && secret.Kind() == Session {
		found.LastUsedAt = now // this process has counted a request of it in this minute
	}
	if err == nil && !found.Works(now) {
		a.purses.change("refused#"+found.ID, now, func(p purse) purse {
			p.used++
			refused = p.used
			return p
		})
	}
	return found, refused, err
}
