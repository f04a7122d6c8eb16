package sessions

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
)

// maxLapsedSessions is how many expired and idle sessions one sign-in ends, so that they do not accumulate in the list
// of the user.
const maxLapsedSessions = 10

// SignIn is the sign-in of an authenticated person.
type SignIn struct {
	UserID  string
	Device  string       // see DeviceOf
	Session string       // text of the session cookie in the request; empty without one
	Known   string       // text of the cookie of a known browser; empty without one
	Used    *UsedRequest // nil if the person signs in without a request
	// AuthenticatedAt is when the identity provider authenticated the person; zero if unknown. Nil means that this
	// service has just authenticated the person.
	AuthenticatedAt *time.Time
	// Generation is the generation of the passkey with which the person signs in, which may have ended with all
	// credentials of the customer since it was read; nil if the person signs in in another way.
	Generation *int64
}

// SignedIn is a session that has just begun. The secret is not stored anywhere else.
type SignedIn struct {
	Session credentials.Credential
	Secret  credentials.Secret
	Known   *credentials.Secret // for the cookie of a known browser; nil if the browser has one
	Person  principal.Person
}

// SignIn begins a session of an active user. It ends the session that the browser had before, and the oldest ones above
// credentials.MaxSessions. Every sign-in of a user makes a concurrent change by an administrator fail once, so their
// number is limited. Errors: ErrSignIn if the user does not exist or is not active, or the request was used, or the
// passkey has ended; ErrTooManySignIns.
func (s *Service) SignIn(ctx context.Context, in SignIn) (SignedIn, error) {
	counter := Counter{Name: "sign-ins-of", Subject: in.UserID, Window: shortWindow, Limit: signInsPerUser}
	if err := s.count(ctx, counter, ErrTooManySignIns); err != nil {
		return SignedIn{}, err
	}
	var signedIn SignedIn
	err := versions.Retry(ctx, func() error {
		person, err := s.People.Person(ctx, in.UserID)
		if fault.KindOf(err) == fault.NotFound || err == nil && !person.MayAct() {
			return ErrSignIn
		}
		if err != nil {
			return err
		}
		if in.Generation != nil && *in.Generation != person.Generation {
			return ErrSignIn
		}
		secret, session := credentials.NewSession(credentials.OwnerOf(person), in.Device, s.now())
		session.Generation = person.Generation
		if in.AuthenticatedAt != nil {
			session.AuthenticatedAt = versions.StoredTime(*in.AuthenticatedAt)
		}
		start, err := s.planStart(ctx, in, SessionStart{Session: session, Person: person, Used: in.Used})
		if err != nil {
			return err
		}
		signedIn = SignedIn{Session: session, Secret: secret, Person: person}
		if signedIn.Known, start.Known, err = s.newKnownBrowser(ctx, in.Known, person.ID); err != nil {
			return err
		}
		return s.Sessions.Begin(ctx, start)
	})
	if err != nil {
		return SignedIn{}, err
	}
	slog.InfoContext(ctx, "signed in", "user", signedIn.Person.ID, "session", signedIn.Session.ID, "proof", in.proof())
	return signedIn, nil
}

// proof names what the person has shown, for the log.
func (in SignIn) proof() string {
	switch {
	case in.AuthenticatedAt != nil:
		return "openid"
	case in.Used == nil:
		return "passkey"
	case in.Used.ByCode:
		return "code"
	case in.Used.Request.BrowserHash == nil:
		return "operator-link"
	}
	return "link"
}

// planStart adds the sessions that this sign-in ends: the browser's previous one, the oldest above the limit, and up to
// maxLapsedSessions expired and idle ones. Their records stay for credentials.Retention, so that they can be reported
// as leaked.
func (s *Service) planStart(ctx context.Context, in SignIn, b SessionStart) (SessionStart, error) {
	stored, seen, err := s.Sessions.List(ctx, b.Person.ID)
	if err != nil {
		return SessionStart{}, err
	}
	b.Seen = seen
	replaced, err := s.replacedSession(ctx, in.Session)
	if err != nil {
		return SessionStart{}, err
	}
	live := stored[:0:0]
	for _, c := range stored {
		switch {
		case c.ID == replaced.ID:
		case c.Live(s.now()):
			live = append(live, c)
		case len(b.Ended) < maxLapsedSessions && c.IsRetained(s.now()): // later, the database deletes the record and the listing
			b.Ended = append(b.Ended, s.markEnded(c, "expired or not used"))
		}
	}
	if replaced.ID != "" {
		b.Ended = append(b.Ended, s.markEnded(replaced, "signed in again"))
	}
	sortNewestFirst(live)
	for _, c := range live[min(len(live), credentials.MaxSessions-1):] {
		b.Ended = append(b.Ended, s.markEnded(c, "too many sessions"))
	}
	return b, nil
}

// replacedSession returns the live session that the browser has, or a zero one. It may belong to another user. It is
// ended because the new cookie replaces its cookie.
func (s *Service) replacedSession(ctx context.Context, text string) (credentials.Credential, error) {
	secret, err := credentials.Parse(text)
	if err != nil || secret.Kind() != credentials.Session {
		return credentials.Credential{}, nil //nolint:nilerr // a malformed cookie is not an error
	}
	found, err := s.Credentials.GetWithUse(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) {
		return credentials.Credential{}, nil
	}
	if err != nil || !secret.Matches(found.Hash) || !found.Live(s.now()) {
		return credentials.Credential{}, err
	}
	return found, nil
}

func (s *Service) markEnded(c credentials.Credential, reason string) credentials.Credential {
	c.RevokedAt, c.Reason = s.now(), reason
	return c
}

// Current returns the caller's session, which this request uses, and its user. Errors: ErrNotFound if it has just
// ended.
func (s *Service) Current(ctx context.Context, caller principal.Principal) (credentials.Credential, principal.Person, error) {
	session, err := s.Credentials.Get(ctx, caller.SessionID)
	if errors.Is(err, credentials.ErrUnknown) {
		err = ErrNotFound
	}
	if err != nil {
		return credentials.Credential{}, principal.Person{}, err
	}
	session.LastUsedAt = s.now().Truncate(credentials.LastUseResolution)
	person, err := s.People.Person(ctx, caller.UserID)
	return session, person, err
}

// List returns the live sessions of the caller, newest first.
func (s *Service) List(ctx context.Context, caller principal.Principal) ([]credentials.Credential, error) {
	live, _, err := s.live(ctx, caller.UserID)
	return live, err
}

// End ends a session of the caller, which may be the current one. Errors: ErrNotFound.
func (s *Service) End(ctx context.Context, caller principal.Principal, id string) error {
	if !credentials.IsID(id) {
		return ErrNotFound
	}
	owner := credentials.Owner{ID: caller.UserID, CustomerID: caller.CustomerID}
	session := credentials.Credential{ID: id, Kind: credentials.Session, Owner: owner}
	err := s.Sessions.End(ctx, []credentials.Credential{s.markEnded(session, "ended by its user")}, nil)
	if versions.IsStale(err) {
		return ErrNotFound
	}
	return err
}

// EndAll ends all sessions of the caller.
func (s *Service) EndAll(ctx context.Context, caller principal.Principal) error {
	return versions.Retry(ctx, func() error {
		live, seen, err := s.live(ctx, caller.UserID)
		if err != nil || len(live) == 0 {
			return err
		}
		for i, c := range live {
			live[i] = s.markEnded(c, "ended by its user")
		}
		return s.Sessions.End(ctx, live, &seen)
	})
}

func (s *Service) live(ctx context.Context, userID string) ([]credentials.Credential, int64, error) {
	stored, seen, err := s.Sessions.List(ctx, userID)
	now := s.now()
	live := slices.DeleteFunc(stored, func(c credentials.Credential) bool { return !c.Live(now) })
	sortNewestFirst(live)
	return live, seen, err
}

func sortNewestFirst(all []credentials.Credential) {
	slices.SortFunc(all, func(a, b credentials.Credential) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Failed counts a failed proof from a network. Errors: ErrTooManyRequests.
func (s *Service) Failed(ctx context.Context, network string) error {
	now := s.now()
	tooMany, err := s.failed.Fail(ctx, network, now)
	if tooMany {
		return ErrTooManyRequests.After(s.failed.Rest(now))
	}
	return err
}

// StartOpenID counts the start of a sign-in at the identity provider by network, because it proves nothing yet. A
// browser in which a user has signed in before also has a separate limit, so that its neighbors cannot keep it out.
// Errors: ErrTooManyRequests.
func (s *Service) StartOpenID(ctx context.Context, network, known string) error {
	counter := Counter{Name: "openid-starts", Subject: network, Window: shortWindow, Limit: openIDStartsPerNetwork}
	full := s.count(ctx, counter, ErrTooManyRequests)
	if !errors.Is(full, ErrTooManyRequests) {
		return full
	}
	browser, err := s.storedBrowser(ctx, known)
	if err != nil || browser == nil {
		return cmp.Or(err, full)
	}
	counter.Subject, counter.Limit = browser.ID, openIDStartsPerBrowser
	return s.count(ctx, counter, ErrTooManyRequests)
}

func (s *Service) count(ctx context.Context, counter Counter, refusal *fault.Error) error {
	now := s.now()
	allowed, err := s.Requests.Count(ctx, counter, now)
	if err == nil && !allowed {
		return refusal.After(now.Truncate(counter.Window).Add(counter.Window).Sub(now))
	}
	return err
}
