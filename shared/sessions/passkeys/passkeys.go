// Package passkeys lets people sign in with passkeys (Web Authentication Level 3) instead of mailed
// links.
//
// Passkeys are discoverable credentials with user verification: the authenticator knows the user, and
// verifies a fingerprint, a face or a PIN. So a sign-in with a passkey needs no email address and has two
// factors. Five rules always hold. A challenge works once, for five minutes, and only for the purpose
// and the user it was made for. A passkey works only on the site where it was registered. A
// user has at most MaxPasskeys. No two users have the same credential. A passkey whose signature
// counter did not increase works no longer, because its key may have been copied.
//
// The package stores public keys only. They need no protection except against changes.
package passkeys

import (
	"context"
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/mail"
)

// Limits.
const (
	MaxPasskeys     = 20  // of a user
	MaxName         = 100 // characters
	ChallengeLength = 32  // bytes of a stored one; the specification requires 16
	// ChallengeLifetime is how long an authenticator may take to answer.
	ChallengeLifetime = 5 * time.Minute
	// MaxResponse is the largest response of an authenticator in bytes. One without attestation has about 1 KB.
	MaxResponse = 32 << 10
	// MaxKey is the largest public key in bytes. An RSA key with 4096 bits has about 530.
	MaxKey = 2 << 10
)

// Key is the public half of a passkey, as the authenticator created it (WebAuthn calls it a credential).
type Key struct {
	CredentialID []byte // chosen by the authenticator, at most 1,023 bytes
	Public       []byte // in the form of COSE (RFC 9052)
	SignCount    uint32 // of the last use; stays 0 for authenticators without a counter
	Transports   []string
	Synced       bool // it may be copied between a person's devices ("backup eligible"); never changes
	BackedUp     bool // backup state: it has been copied
}

// Passkey is a key that a user has registered.
type Passkey struct {
	ID   string // UUIDv7
	Name string
	Key
	CustomerID string // of the user; empty for the vendor's staff. A user who moves loses the passkeys
	Generation int64  // of the user's session that registered it; see credentials.Credential
	CreatedAt  time.Time
	LastUsedAt time.Time // zero if it was never used
	ClonedAt   time.Time // when its counter did not increase; zero if that never happened
}

// clonedSince reports whether a use of the passkey with the given counter suggests that there are two
// copies of its key (section 6.1.1 of the specification).
func (p Passkey) clonedSince(count uint32) bool {
	return (count != 0 || p.SignCount != 0) && count <= p.SignCount
}

// Set contains all passkeys of a user.
type Set struct {
	UserID   string
	Passkeys []Passkey // in the order of their registration
	Version  int64     // increases by 1 with every change; 0 if the user never had a passkey
}

// The errors of operations on passkeys.
var (
	ErrNotFound = fault.New(fault.NotFound, "You have no passkey with this ID.")
	ErrTooMany  = fault.NewFinal(fault.Conflict,
		fmt.Sprintf("You have %d passkeys, which is the maximum. Delete one first.", MaxPasskeys))
	ErrRegistered = fault.NewFinal(fault.Conflict, "This passkey is already registered.")
	// ErrCaller means that the caller's credential stopped working during the request.
	ErrCaller = fault.New(fault.Unauthorized, "Your session has ended. Sign in again.")
	// ErrNeedsSession is about callers with an API key. A passkey would outlive the key, and hide who created it.
	ErrNeedsSession = fault.New(fault.Forbidden,
		"An API key cannot register passkeys. Sign in to the portal and register it there.")
	// ErrExpired means that the challenge of a sign-in is unknown, expired, used, or was made for something else.
	ErrExpired = fault.New(fault.Unauthorized, expired)
	// ErrRegistrationExpired is ErrExpired for a registration. It is not Unauthorized, because the caller's session
	// works.
	ErrRegistrationExpired = fault.NewFinal(fault.Conflict, expired)
	// ErrSignIn is the one error of all passkeys that do not work.
	ErrSignIn = fault.New(fault.Unauthorized, "This passkey does not work here. It was deleted, it belongs to another site, or its user "+
		"is not active. Sign in by mail instead.")
	ErrCloned = fault.New(fault.Unauthorized, "This passkey is locked, because its counter shows that there may be a copy of its key. "+
		"Sign in by mail, delete the passkey, and register a new one.")
	// ErrRefused means that the response of a registration does not belong to this site and user.
	ErrRefused = fault.New(fault.Unprocessable, "The passkey cannot be registered: it was created for another site, without checking "+
		"the user, or in a form that this service does not support. Register it on this page with another authenticator.")
)

const expired = "The request expired after 5 minutes or was already used. Start again."

// malformed returns the error for a body that is not an authenticator response.
func malformed(pointer string) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: "must be a PublicKeyCredential as its toJSON() returns it"})
}

// Store keeps passkeys. Each write is all or nothing and conditional on the version of the set that
// it changes: its error is versions.ErrStale if the set has changed. Reads are strongly consistent.
type Store interface {
	// Set returns the passkeys of a user, who may not exist, without those that have ended with all credentials of a
	// customer.
	Set(ctx context.Context, userID string) (Set, error)
	// Add adds a passkey on behalf of the caller with the given credential. Errors: ErrCaller if
	// that credential has stopped working; ErrRegistered if any user has, or has had, the same key.
	Add(ctx context.Context, set Set, passkey Passkey, by principal.Credential) error
	// Replace stores a passkey of the set in a new state.
	Replace(ctx context.Context, set Set, passkey Passkey) error
	// Delete deletes a passkey of the set.
	Delete(ctx context.Context, set Set, passkey Passkey) error
}

// Purpose is the operation that a challenge is for.
type Purpose string

// The purposes.
const (
	Registration Purpose = "register-passkey"
	SignIn       Purpose = "passkey-sign-in"
)

// Challenge is a random value that an authenticator must sign, and that is stored meanwhile.
type Challenge struct {
	Purpose   Purpose
	Value     []byte
	UserID    string // the user it is for; empty for any user
	ExpiresAt time.Time
}

// Challenges keeps challenges of registrations until they are used, and what the signed challenges of sign-ins need.
type Challenges interface {
	Put(ctx context.Context, challenge Challenge) error
	// Take removes the challenge with this value and returns its user. Errors: ErrExpired if the
	// challenge does not exist or has expired.
	Take(ctx context.Context, purpose Purpose, value []byte, at time.Time) (userID string, err error)
	// PublishKey stores a key until it expires.
	PublishKey(ctx context.Context, key SigningKey) error
	// SigningKey returns a published key, strongly consistent. Errors: ErrExpired if the key does not exist.
	SigningKey(ctx context.Context, id []byte) (SigningKey, error)
	// Use marks the value of a challenge that was not stored as used. Errors: ErrExpired if it was used before.
	Use(ctx context.Context, purpose Purpose, value []byte, expires time.Time) error
}

// People finds users.
type People interface {
	Person(ctx context.Context, id string) (principal.Person, error)
}

// Mailer sends one message. Nil means that the message was accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Verifier reads the responses of authenticators. Errors: any, if a response cannot be read.
type Verifier interface {
	Attestation(response []byte) (Attestation, error)
	Assertion(response []byte) (Assertion, error)
}

// Attestation is the response to a registration. Nothing in it is verified.
type Attestation interface {
	Challenge() []byte
	// Verify returns the key if it was created for the challenge, the site and the user.
	Verify(site Site, userID string) (Key, error)
}

// Assertion is the response to a sign-in. Nothing in it is verified.
type Assertion interface {
	Challenge() []byte
	CredentialID() []byte
	UserID() string // empty if the response has none
	// Verify returns the key with its new counter and state, if the key signed the challenge for the site and the user.
	Verify(site Site, userID string, key Key) (Key, error)
}
