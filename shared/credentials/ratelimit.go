package credentials

import (
	"cmp"
	"context"
	"math/bits"
	"sync"
	"time"
)

// Allowance is the state of a limit after a request: of the credential for requests to the API, and of its owner for
// others.
type Allowance struct {
	Kind      RequestKind
	Limit     int           // requests per minute; 0 means no limit
	Remaining int           // in the current minute
	Reset     time.Duration // until the next minute begins, 1 s to 60 s
}

const (
	// ownerBlock is how many requests of a credential count at once for its owner. So an owner may exceed the limit by
	// less than ownerBlock, and by the first requests of each credential.
	ownerBlock = 10
	// ownerFirst is the request of a credential in a minute with which it begins to count for its owner. Most requests
	// come alone.
	ownerFirst = 3

	// customerBlock is how many requests of a credential count at once for its customer at most, and customerPart is
	// the part of the customer's limit that they are at most; see customerRequests.
	customerBlock = 32
	customerPart  = 10
)

// countAPIRequest counts a request with those of the owner's other credentials and of the customer's users. used is its
// number in the minute of its credential.
func (a *Authenticator) countAPIRequest(ctx context.Context, found Presented, used int, now time.Time) (Allowance, error) {
	allowance := a.allowance(found.Credential, used, now)
	var err error
	switch {
	case found.MaxRequests > 0 && used >= CustomerExhausted:
		err = usedUp(ErrCustomerRateLimited, found.MaxRequests, "requests").After(allowance.Reset)
	case allowance.Limit > 0 && used >= OwnerExhausted:
		err = a.ownerLimited(found.Credential, now)
	case allowance.Limit > 0 && used > allowance.Limit:
		err = usedUp(ErrRateLimited, allowance.Limit, requestKinds[APIRequest].what).After(allowance.Reset)
	default:
		err = a.countTogether(ctx, found, used, now)
	}
	if err != nil {
		allowance.Remaining = 0
	}
	return allowance, err
}

// ownerLimit is how many requests to the API the credentials of the owner of c may make in a minute.
func (a *Authenticator) ownerLimit(c Credential) int { return max(a.limit, c.RateLimit) }

func (a *Authenticator) ownerLimited(c Credential, now time.Time) error {
	return usedUp(ErrOwnerRateLimited, a.ownerLimit(c), requestKinds[APIRequest].what).After(untilNextMinute(now))
}

// countTogether counts a request with those of the owner's other credentials, and with those of the customer's users.
// Both happen at the same time. used is the number of the request in the minute of its credential.
func (a *Authenticator) countTogether(ctx context.Context, found Presented, used int, at time.Time) error {
	var byOwner, byCustomer error
	var counts sync.WaitGroup
	if found.MaxRequests > 0 {
		counts.Go(func() { byCustomer = a.countCustomer(ctx, found, used, at) })
	}
	if a.limit > 0 && used%ownerBlock == ownerFirst {
		byOwner = a.countOwner(ctx, found.Credential, at)
	}
	counts.Wait()
	return cmp.Or(byCustomer, byOwner)
}

// countOwner counts a block of requests for the owner, who may make as many as the default limit, or as one credential
// with a higher limit.
func (a *Authenticator) countOwner(ctx context.Context, c Credential, at time.Time) error {
	block := Block{Requests: ownerBlock, Limit: a.ownerLimit(c)}
	allowed, err := a.store.CountOwner(ctx, c, block, at)
	if err == nil && !allowed {
		err = a.ownerLimited(c, at)
	}
	return err
}

// countCustomer counts a block of requests for the customer, if one begins with this request.
func (a *Authenticator) countCustomer(ctx context.Context, found Presented, used int, at time.Time) error {
	requests := customerRequests(used, found.MaxRequests)
	if requests == 0 {
		return nil
	}
	allowed, err := a.store.CountCustomer(ctx, found.Credential, Block{Requests: requests, Limit: found.MaxRequests}, at)
	if err == nil && !allowed {
		err = usedUp(ErrCustomerRateLimited, found.MaxRequests, "requests").After(untilNextMinute(at))
	}
	return err
}

// customerRequests returns how many requests of a credential count for its customer with its request number used in a
// minute, or 0.
//
// The first request counts 1, the second 2, the fourth 4, and so on, for itself and the requests that follow; then each
// block counts the same. So every request is counted before it is served, a single one counts exactly, and further ones
// count at most double. A customer exceeds the limit by less than a block, which is at most customerBlock and the
// limit's customerPart, and by the requests that are in progress when it is reached.
func customerRequests(used, limit int) int {
	most := max(1, min(used, customerBlock, limit/customerPart))
	block := 1 << (bits.Len(uint(most)) - 1) // the greatest power of two
	if used%block != 0 {
		return 0
	}
	return block
}

func (a *Authenticator) allowance(c Credential, used int, now time.Time) Allowance {
	if a.limit == 0 {
		return Allowance{Reset: untilNextMinute(now)}
	}
	limit := a.limit
	if c.RateLimit > 0 {
		limit = c.RateLimit
	}
	return Allowance{Limit: limit, Remaining: max(0, limit-used), Reset: untilNextMinute(now)}
}

// untilNextMinute returns a number of seconds, at least one.
func untilNextMinute(now time.Time) time.Duration {
	window := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
	return max(time.Second, min(time.Minute, window.Round(time.Second)))
}
