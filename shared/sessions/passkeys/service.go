package passkeys

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/mail"
)

// Service registers passkeys and checks sign-ins.
type Service struct {
	Dependencies

	signer *signer
}

// Dependencies are the parts that a Service uses.
type Dependencies struct {
	Store      Store
	Challenges Challenges
	People     People
	Verifier   Verifier
	Mailer     Mailer
	NewID      func() string // UUIDv7
	Now        func() time.Time
}

// NewService returns a Service.
func NewService(d Dependencies) *Service { return &Service{d, &signer{challenges: d.Challenges}} }

// CreationOptions has the data with which a browser creates a passkey.
type CreationOptions struct {
	Site      Site
	Person    principal.Person
	Challenge []byte
	Existing  []Passkey // excluded, so that an authenticator does not register twice
}

// BeginRegistration returns the options for a new passkey of the caller. Errors: ErrNeedsSession, ErrTooMany.
func (s *Service) BeginRegistration(ctx context.Context, caller principal.Principal,
	site Site) (CreationOptions, error) {
	if err := mayRegister(caller); err != nil {
		return CreationOptions{}, err
	}
	set, err := s.Store.Set(ctx, caller.UserID)
	if err != nil {
		return CreationOptions{}, err
	}
	if len(set.Passkeys) >= MaxPasskeys {
		return CreationOptions{}, ErrTooMany
	}
	person, err := s.People.Person(ctx, caller.UserID)
	if err != nil {
		return CreationOptions{}, err
	}
	challenge, err := s.registrationChallenge(ctx, caller.UserID)
	return CreationOptions{Site: site, Person: person, Challenge: challenge, Existing: set.Passkeys}, err
}

// mayRegister returns ErrNeedsSession unless the caller has a session.
func mayRegister(caller principal.Principal) error {
	if caller.SessionID == "" {
		return ErrNeedsSession
	}
	return nil
}

// registrationChallenge creates and stores a challenge.
func (s *Service) registrationChallenge(ctx context.Context, userID string) ([]byte, error) {
	value := random(ChallengeLength)
	return value, s.Challenges.Put(ctx, Challenge{
		Purpose: Registration, Value: value, UserID: userID, ExpiresAt: s.Now().Add(ChallengeLifetime),
	})
}

// New is the input for a new passkey.
type New struct {
	Name     string
	Response json.RawMessage // of the authenticator
}

// Check returns all validation failures, except those of the response.
func (n New) Check() []fault.Field {
	var failures checks.Failures
	failures.Text("/name", strings.TrimSpace(n.Name), 1, MaxName)
	return failures.Fields()
}

// Register adds a passkey of the caller. Errors: validation, ErrNeedsSession, ErrRegistrationExpired, ErrRefused,
// ErrTooMany, ErrRegistered, ErrCaller.
func (s *Service) Register(ctx context.Context, caller principal.Principal, site Site, input New) (Passkey, error) {
	if err := mayRegister(caller); err != nil {
		return Passkey{}, err
	}
	if failures := input.Check(); len(failures) > 0 {
		return Passkey{}, fault.Invalid(failures...)
	}
	key, err := s.verifyRegistration(ctx, caller.UserID, site, input.Response)
	if err != nil {
		return Passkey{}, err
	}
	passkey := Passkey{
		ID: s.NewID(), Name: strings.TrimSpace(input.Name), Key: key, CustomerID: caller.CustomerID,
		Generation: caller.Generation, CreatedAt: versions.StoredTime(s.Now()),
	}
	err = versions.Retry(ctx, func() error {
		set, err := s.Store.Set(ctx, caller.UserID)
		if err != nil {
			return err
		}
		if len(set.Passkeys) >= MaxPasskeys {
			return ErrTooMany
		}
		return s.Store.Add(ctx, set, passkey, caller.Credential())
	})
	if err != nil {
		return Passkey{}, err
	}
	s.notify(ctx, caller.UserID, passkey)
	return passkey, nil
}

// notify mails the user about a new passkey, because another person may have added it in the user's session. It tries
// once and reports no error, because the passkey works already.
func (s *Service) notify(ctx context.Context, userID string, passkey Passkey) {
	person, err := s.People.Person(ctx, userID)
	if err == nil {
		err = s.Mailer.Send(ctx, message(person, passkey))
	}
	if err != nil {
		slog.WarnContext(ctx, "mail about a new passkey not sent", "user", userID, "passkey", passkey.ID, "error", err)
	}
}

// message does not contain the name of the passkey, because the person who added it may not be the reader.
func message(person principal.Person, passkey Passkey) mail.Message {
	return mail.Content{
		To: person.Email, Subject: "A passkey was added", Name: person.Name,
		Body: []string{"A passkey was added to your account on " + passkey.CreatedAt.Format("2 January 2006, 15:04 UTC") + "."},
		Notes: []string{
			"If you did not add it, open Account in the portal, delete the passkey and end all sessions. Then tell an administrator.",
		},
	}.Message()
}

func (s *Service) verifyRegistration(ctx context.Context, userID string, site Site, response []byte) (Key, error) {
	attestation, err := s.Verifier.Attestation(response)
	if err != nil {
		return Key{}, malformed("/credential")
	}
	madeFor, err := s.Challenges.Take(ctx, Registration, attestation.Challenge(), s.Now())
	if errors.Is(err, ErrExpired) || err == nil && madeFor != userID {
		return Key{}, ErrRegistrationExpired
	}
	if err != nil {
		return Key{}, err
	}
	return attestation.Verify(site, userID)
}

// List returns the caller's passkeys in the order of their registration.
func (s *Service) List(ctx context.Context, caller principal.Principal) ([]Passkey, error) {
	set, err := s.Store.Set(ctx, caller.UserID)
	return set.Passkeys, err
}

// Delete deletes a passkey of the caller. Errors: ErrNotFound.
func (s *Service) Delete(ctx context.Context, caller principal.Principal, id string) error {
	return versions.Retry(ctx, func() error {
		set, err := s.Store.Set(ctx, caller.UserID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(set.Passkeys, func(p Passkey) bool { return p.ID == id })
		if at < 0 {
			return ErrNotFound
		}
		return s.Store.Delete(ctx, set, set.Passkeys[at])
	})
}

// BeginSignIn returns a challenge for the sign-in of any user. Anyone may call it any number of times: it calls the
// store only for the first challenge of a process in an hour.
func (s *Service) BeginSignIn(ctx context.Context) ([]byte, error) {
	return s.signer.challenge(ctx, s.Now())
}

// Proved is whose passkey signed a response, and the generation of the passkey; see credentials.Credential.
type Proved struct {
	UserID     string
	Generation int64
}

// SignIn checks the response of an authenticator and returns the user. A response that is refused costs no write, and
// one read: of the key of the challenge or of the user's passkeys. The caller must
// check that the user is active. Errors: validation, ErrExpired, ErrSignIn, ErrCloned.
func (s *Service) SignIn(ctx context.Context, site Site, response []byte) (Proved, error) {
	assertion, err := s.Verifier.Assertion(response)
	if err != nil {
		return Proved{}, malformed("/passkey")
	}
	expires, err := s.signer.check(ctx, assertion.Challenge(), s.Now())
	if err != nil {
		return Proved{}, err
	}
	if assertion.UserID() == "" {
		return Proved{}, ErrSignIn
	}
	useOnce := sync.OnceValue(func() error { return s.Challenges.Use(ctx, SignIn, assertion.Challenge(), expires) })
	proved := Proved{UserID: assertion.UserID()}
	err = versions.Retry(ctx, func() (err error) {
		proved.Generation, err = s.accept(ctx, site, assertion, useOnce)
		return err
	})
	return proved, err
}

// accept verifies an assertion with the stored key, marks its challenge as used, and stores the time and the counter of
// the authenticator. It locks the passkey if the counter shows a copied key. A repeated response locks nothing, because
// its challenge is already used. It returns the generation of the passkey. Errors: ErrSignIn, ErrExpired, ErrCloned,
// versions.ErrStale.
func (s *Service) accept(ctx context.Context, site Site, assertion Assertion, use func() error) (int64, error) {
	set, err := s.Store.Set(ctx, assertion.UserID())
	if err != nil {
		return 0, err
	}
	at := slices.IndexFunc(set.Passkeys, func(p Passkey) bool { return bytes.Equal(p.CredentialID, assertion.CredentialID()) })
	if at < 0 {
		return 0, ErrSignIn
	}
	passkey := set.Passkeys[at]
	key, err := assertion.Verify(site, set.UserID, passkey.Key)
	if err != nil {
		return 0, err
	}
	if err := use(); err != nil {
		return 0, err
	}
	if !passkey.ClonedAt.IsZero() {
		return 0, ErrCloned
	}
	if passkey.clonedSince(key.SignCount) {
		passkey.ClonedAt = versions.StoredTime(s.Now())
		if err := s.Store.Replace(ctx, set, passkey); err != nil {
			return 0, err
		}
		return 0, ErrCloned
	}
	passkey.Key, passkey.LastUsedAt = key, versions.StoredTime(s.Now())
	return passkey.Generation, s.Store.Replace(ctx, set, passkey)
}
