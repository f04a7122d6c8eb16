package credentials

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"portside/shared/core/fault"
)

// Step is a number of requests that a process counts together, before it serves them. So most requests cost no write.
// The rest of a step is lost when the minute or the process ends.
type Step struct {
	Kind    RequestKind
	Subject string // the owner, or the credential if it has a lower limit
	Block

	ofCredential bool
}

// sentinel is the error of the limit.
func (s Step) sentinel() *fault.Error {
	if s.ofCredential {
		return ErrRateLimited
	}
	return ErrOwnerRateLimited
}

// The sizes of steps. The first step of a process in a minute is small. Each further step is as large as all steps
// before it, so that a process with few requests loses few.
const (
	firstStep = 10
	stepPart  = 120 // a step is at most this part of the limit: 10 of 1,200 and 100 of 12,000
)

// maxPurses is the number of subjects that a process remembers in a minute. Each request of any further subject takes a
// step.
const maxPurses = 10_000

// purse is the state of a subject in this process and minute.
type purse struct {
	tenths  int          // of requests that are counted but not used yet
	taken   int          // requests in the steps of this process
	used    int          // requests of all processes, as of the last step
	refused *fault.Error // the limit that refused the last step, without the time when it ends; nil if none did
}

// purses are the purses of a process in one minute.
type purses struct {
	mu     sync.Mutex
	minute time.Time
	by     map[string]*purse
}

// change replaces the purse of a subject by the result of a function, which gets a copy of the purse.
func (p *purses) change(subject string, at time.Time, change func(purse) purse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if minute := at.Truncate(time.Minute); !p.minute.Equal(minute) {
		p.minute, p.by = minute, map[string]*purse{}
	}
	found := p.by[subject]
	if found == nil {
		found = &purse{}
		if len(p.by) < maxPurses {
			p.by[subject] = found
		}
	}
	*found = change(*found)
}

// spend takes tenths of a request from the purse of a subject. It returns false if the purse has fewer.
func (p *purses) spend(subject string, tenths int, at time.Time) (after purse, ok bool) {
	p.change(subject, at, func(now purse) purse {
		if ok = now.tenths >= tenths; ok {
			now.tenths -= tenths
		}
		after = now
		return now
	})
	return after, ok
}

// countInSteps counts a request of a working credential. It calls the store only if the process needs another step.
func (a *Authenticator) countInSteps(ctx context.Context, found Presented, l load, at time.Time) (Allowance, error) {
	a.recordUse(ctx, found.Credential, at)
	step := a.stepOf(found.Credential, l.kind)
	if step.Limit == 0 && found.MaxRequests == 0 {
		return Allowance{Reset: untilNextMinute(at)}, nil
	}
	key := l.kind.String() + "#" + step.Subject
	held, ok := a.purses.spend(key, l.tenths(), at)
	if !ok && held.refused == nil {
		step.Requests = held.nextStep(step.Limit, found.MaxRequests)
		used, refused, err := a.takeStep(ctx, found, step, at)
		if err != nil {
			return Allowance{}, err
		}
		a.purses.change(key, at, func(now purse) purse {
			now.used, now.refused = max(now.used, used), refused
			if refused == nil {
				now.taken += step.Requests
				now.tenths += step.Requests*wholeTenths - l.tenths()
			}
			held = now
			return now
		})
	}
	allowance := Allowance{Kind: l.kind, Limit: step.Limit, Reset: untilNextMinute(at)}
	if ok || held.refused == nil || errors.Is(held.refused, ErrCustomerRateLimited) {
		allowance.Remaining = max(0, step.Limit-held.used) + held.tenths/wholeTenths
	}
	if ok || held.refused == nil {
		return allowance, nil
	}
	return allowance, held.refused.After(allowance.Reset)
}

// stepOf returns the next step without its size: the subject whose requests count, and its limit per minute. A limit of
// 0 means no limit.
func (a *Authenticator) stepOf(c Credential, kind RequestKind) Step {
	step := Step{Kind: kind, Subject: c.Owner.ID}
	step.Limit = max(a.limit, c.RateLimit) * requestKinds[kind].factor
	if a.limit == 0 {
		step.Limit = 0
	} else if c.RateLimit > 0 && c.RateLimit < a.limit {
		step.Subject, step.Limit, step.ofCredential = "credential#"+c.ID, c.RateLimit*requestKinds[kind].factor, true
	}
	return step
}

// nextStep returns the size of the next step for an owner with a limit, and for a customer with one. 0 means no limit.
func (p purse) nextStep(owner, customer int) int {
	size := max(firstStep, p.taken)
	if owner > 0 {
		size = min(size, owner/stepPart)
	}
	if customer > 0 {
		size = min(size, customerBlock, customer/customerPart)
	}
	return max(1, size)
}

// takeStep counts a step for the subject and, at the same time, for the owner's customer. It returns the number of
// requests of the subject, or in refused the error of the limit that is reached.
func (a *Authenticator) takeStep(
	ctx context.Context, found Presented, step Step, at time.Time,
) (used int, refused *fault.Error, err error) {
	var byCustomer error
	isAllowed, hasMore := true, true
	var counts sync.WaitGroup
	if found.MaxRequests > 0 {
		counts.Go(func() {
			isAllowed, byCustomer = a.store.CountCustomer(ctx, found.Credential, Block{step.Requests, found.MaxRequests}, at)
		})
	}
	if step.Limit > 0 {
		used, hasMore, err = a.store.CountStep(ctx, step, at)
	}
	counts.Wait()
	switch {
	case byCustomer != nil || err != nil:
		return 0, nil, errors.Join(byCustomer, err)
	case !isAllowed:
		refused = usedUp(ErrCustomerRateLimited, found.MaxRequests, "requests")
	case !hasMore:
		refused = usedUp(step.sentinel(), step.Limit, requestKinds[step.Kind].what)
	}
	return used, refused, nil
}

// uses are the credentials whose last use this process has recorded in one period of LastUseResolution.
type uses struct {
	mu     sync.Mutex
	period time.Time
	ids    map[string]bool
}

// begin reports whether this process sees the first use of a credential in the period.
func (u *uses) begin(id string, at time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if period := at.Truncate(LastUseResolution); !u.period.Equal(period) {
		u.period, u.ids = period, map[string]bool{}
	}
	if u.ids[id] || len(u.ids) >= maxPurses {
		return false
	}
	u.ids[id] = true
	return true
}

// recordUse records the use of a credential once in LastUseResolution. It only logs a failure, because the request can
// still be served.
func (a *Authenticator) recordUse(ctx context.Context, c Credential, at time.Time) {
	if !a.uses.begin(c.ID, at) {
		return
	}
	if err := a.store.RecordUse(ctx, c, at); err != nil {
		slog.WarnContext(ctx, "last use not recorded", "credential", c.ID, "error", err)
	}
}
