package simulator

import (
	"context"
	"errors"
	"slices"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/users"
)

// secret is the model of a credential.
type secret struct {
	mark

	text    credentials.Secret
	owner   *person
	expires time.Time // zero for never
	began   time.Time // of a session or token
	revoked bool
	leak    leak
	mayLeak bool    // whether it may have ended because of a leak
	maker   *secret // the credential with which it was created, or nil

	from   *secret // the token that was renewed; nil for none
	line   *line   // of a token
	scopes []principal.Scope

	username            string    // of a password
	usedAt, maybeUsedAt time.Time // the latest use of a session that is certain, and the latest that is possible
}

func (s *secret) isSession() bool { return s.text.Kind() == credentials.Session }
func (s *secret) isToken() bool   { return s.text.Kind() == credentials.AccessToken }

// use notes a request with the credential. After a fault, the request may not count as a use.
func (s *secret) use(at time.Time, faulty bool) {
	if !s.isSession() || s.isIdle(at) {
		return
	}
	if !faulty && !s.mayBeIdle(at) {
		s.usedAt = at
	}
	s.maybeUsedAt = at
}

// isIdle reports whether a session has certainly ended because it was not used.
func (s *secret) isIdle(at time.Time) bool { return s.isSession() && idle(s.maybeUsedAt, at) }

// mayBeIdle reports whether a session may have ended because it was not used.
func (s *secret) mayBeIdle(at time.Time) bool { return s.isSession() && idle(s.usedAt, at) }

func idle(used, at time.Time) bool {
	return !used.Truncate(credentials.LastUseResolution).After(at.Add(-credentials.SessionIdle))
}

func (s *secret) isExpired(at time.Time) bool { return !s.expires.IsZero() && !s.expires.After(at) }

// works reports whether the model expects a secret to work.
func (w *world) works(s *secret) bool { return !w.isDead(s) && !s.mayBeIdle(w.office.Clock.Now()) }

// isDead reports whether the model expects a secret not to work.
func (w *world) isDead(s *secret) bool {
	now := w.office.Clock.Now()
	isEnded := s.revoked || s.isLeaked() || s.line != nil && s.line.ended
	return isEnded || s.isExpired(now) || s.isIdle(now) || s.owner.isDeleted || s.owner.status != users.Active
}

// isKnown reports whether the model knows whether a secret works.
func (w *world) isKnown(s *secret) bool {
	return s.isSure() && !s.owner.unsure && (w.works(s) || w.isDead(s))
}

// sessionsOf returns the sessions of a user that the model has.
func (w *world) sessionsOf(owner *person) []*secret {
	var found []*secret
	for _, s := range w.secrets {
		if s.owner == owner && s.isSession() {
			found = append(found, s)
		}
	}
	return found
}

// authenticate authenticates with a secret, as a client with its kind of credential does.
func (w *world) authenticate(ctx context.Context, s *secret) (principal.Principal, error) {
	if s.text.Kind() == credentials.Password {
		caller, _, err := w.office.Authenticator.AuthenticateBasic(ctx, s.username, s.text.Reveal())
		return caller, err
	}
	caller, _, err := w.office.Authenticator.Authenticate(ctx, s.text.Reveal(), s.text.Kind())
	return caller, err
}

// reconcileSecrets authenticates with every secret and compares the results with the model. Where the model is unsure,
// it adopts the result.
func (w *world) reconcileSecrets(ctx context.Context) {
	w.reconcileLeaks()
	live := map[*person]int{}
	for _, s := range w.secrets {
		now := w.office.Clock.Now()
		isDead, works := w.isDead(s), w.works(s)
		caller, err := w.authenticate(ctx, s)
		s.use(now, false)
		if err == nil && s.isSession() {
			s.usedAt = now
			live[s.owner]++
		}
		mayBeRevoked := s.revoked || s.unsure
		switch {
		case err != nil && !errors.Is(err, credentials.ErrUnauthorized):
			w.fail("using the secret %s: %v", s.text.ID(), err)
		case err == nil && isDead && (!s.unsure || !s.revoked):
			w.fail("the secret %s works: owner deleted=%v %s, expired=%v, revoked=%v, leaked=%v",
				s.text, s.owner.isDeleted, s.owner.status, s.isExpired(now), s.revoked, s.isLeaked())
		case err != nil && works && !mayBeRevoked:
			w.fail("the secret %s of %s does not work", s.text, s.owner.email)
		case err == nil && !caller.Scoped() && caller.Role != s.owner.role:
			w.fail("the secret %s has the role %s, but its owner is %s", s.text, caller.Role, s.owner.role)
		}
		if s.unsure && (works || err == nil) {
			s.revoked, s.unsure = err != nil, false
			s.mayLeak = s.mayLeak || s.revoked
		}
	}
	for owner, n := range live {
		if n > credentials.MaxSessions {
			w.fail("%s has %d sessions that work, want at most %d", owner.email, n, credentials.MaxSessions)
		}
	}
	w.forget()
}

// forget drops the oldest credentials and users that no longer exist, so that a check stays short.
func (w *world) forget() {
	const kept = 40
	for i := 0; i < len(w.secrets) && len(w.secrets) > kept; {
		s, now := w.secrets[i], w.office.Clock.Now()
		if s.owner.isDeleted || s.isExpired(now) || s.isIdle(now) || w.isDead(s) && !s.unsure {
			w.secrets = slices.Delete(w.secrets, i, i+1)
			continue
		}
		i++
	}
	w.people = slices.DeleteFunc(w.people, func(p *person) bool {
		return p.isDeleted && !slices.ContainsFunc(w.secrets, func(s *secret) bool { return s.owner == p })
	})
}
