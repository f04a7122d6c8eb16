// Package sessions signs people in without passwords, and lists and ends their sessions.
//
// A person who asks to sign in gets a mail with a link and a code. Both work once, within 10 minutes, and only in the
// browser that requested them. That browser holds a secret in a cookie, and the store finds the request by the secret's
// public ID. A mail scanner that opens the link therefore does not use it up, and a stranger who reads the mail cannot
// use it. Links that the operator creates work in any browser. Other ways to sign in (passkeys, OpenID Connect) prove
// who the person is and then call Service.SignIn, too.
//
// The response to a request for a mail does not reveal whether the address belongs to a user: it has the same content
// and takes the same time. Only hashes of secrets are stored. One transaction starts the session, uses up the link,
// records the time of the sign-in on the user, and checks the user's version. Concurrent uses of a link therefore
// succeed once, and a user who is suspended at the same moment gets no session.
//
// A session is a credential (see shared/credentials): authentication does not use this package.
package sessions

import (
	"context"
	"errors"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Limits, from the API contract.
const (
	LinkLifetime         = 10 * time.Minute // of a mailed link and its code
	OperatorLinkLifetime = time.Hour
	MaxTries             = 5 // codes that may be tried for one mail
	CodeDigits           = 10
	MaxEmail             = 254 // bytes of an address
)

// LinkPath is the path of the page that uses a link, up to the token. Browsers do not send what follows the #, so the
// token reaches no server log.
const LinkPath = "/portal/sign-in#"

// The limits of requests, each within a fixed window of time.
const (
	mailsPerNetworkAndAddress = 5  // sign-in mails that one network can request for one address
	mailsPerAddress           = 60 // mails to one address; bounds what many networks together can send
	mailsPerKnownBrowser      = 5
	mailsWindow               = time.Hour
	dailyMailsPerAddress      = 100
	dailyCodesPerAddress      = 50 // codes that may be tried for all mails to one address, without those that known browsers requested
	dailyCodesPerKnownBrowser = 50
	dailyWindow               = 24 * time.Hour
	mailsPerNetwork           = 30 // requests for a mail to any address from one network; an office may share it
	openIDStartsPerNetwork    = 300
	openIDStartsPerBrowser    = 30 // of a known browser, after its network has reached its limit
	signInsPerUser            = 20
	shortWindow               = 10 * time.Minute
)

// failedProofs limits links, codes and passkeys that do not work, by network. It never affects one that works.
var failedProofs = throttle.Limit{Name: "failed-sign-ins", Window: shortWindow, Failures: 300}

// The errors of signing in.
var (
	// ErrSignIn is the error of every link and code that does not work, whatever the reason. Callers that sign in by
	// other means replace it with their own error.
	ErrSignIn = fault.New(fault.Unauthorized, "This sign-in does not work: the link or code is wrong, has expired, has already been "+
		"used, was replaced by a newer one, or was requested in another browser. Ask for a new mail in this browser.")
	// The errors of limits contain the time until the limit ends.
	ErrTooManyMails = fault.New(fault.RateLimited, "There were too many requests for sign-in mails to this address. Use the newest mail, "+
		"or request another one later.")
	ErrTooManyRequests = fault.New(fault.RateLimited, "There were too many attempts to sign in from your network address.")
	ErrTooManyCodes    = fault.New(fault.RateLimited,
		"Too many codes were tried for this address. Open the link in the mail instead.")
	ErrTooManySignIns = fault.New(fault.RateLimited, "You have signed in too often within a few minutes.")
	// ErrNotFound is the error of a session that does not exist, has ended, or belongs to another user.
	ErrNotFound = fault.New(fault.NotFound, "You have no session with this ID. It may have ended.")
	// ErrUnknown means that the store does not have the request, or no longer accepts it.
	ErrUnknown = errors.New("sessions: no such sign-in request")
)

// Request is a requested sign-in.
type Request struct {
	ID          string // public id of the browser's secret or, without a browser, of the link
	BrowserHash []byte // of the browser's secret; nil if the link works in every browser
	Email       string // normal
	UserID      string // empty if no active user has the address
	LinkHash    []byte // of the newest link; nil until it is mailed
	CodeHash    []byte // see hashCode
	CodeSalt    []byte
	Tries       int // of codes
	Attempts    int // to send the mail
	BaseURL     string
	ExpiresAt   time.Time
	Known       string // ID of the known browser that made it; empty for a stranger
}

// KnownBrowser is a browser in which a user has signed in. It may request mails to the user's address although others
// have used up the limits for the address and the network. It has the ID and not the address, so it does not count for
// a later user of the address.
type KnownBrowser struct {
	ID        string // public id of its secret
	Hash      []byte
	UserID    string // of a user who may have been deleted since
	ExpiresAt time.Time
}

// Counter counts requests of one kind within a window of time.
type Counter struct {
	Name    string // of the limit
	Subject string // who is counted
	Window  time.Duration
	Limit   int
}

// RequestStore keeps requests until they are used or expire. Reads are strongly consistent, and each write is atomic.
type RequestStore interface {
	// Count counts one request. It returns false if there were already as many in the window as the counter allows.
	Count(ctx context.Context, counter Counter, at time.Time) (bool, error)
	// Add adds a request. If due is not zero, the request has an unsent mail, which Due returns from that time on.
	Add(ctx context.Context, request Request, due time.Time) error
	// Get returns a request, which may have expired. Errors: ErrUnknown.
	Get(ctx context.Context, id string) (Request, error)
	// KnownBrowser returns the known browser with this id, which may have expired. Errors: ErrUnknown.
	KnownBrowser(ctx context.Context, id string) (KnownBrowser, error)
	// CountTry counts one try of a code and returns the request. Errors: ErrUnknown if the request does not exist or
	// had MaxTries.
	CountTry(ctx context.Context, id string) (Request, error)
}

// Outbox keeps which requests have an unsent mail.
type Outbox interface {
	// Due returns up to limit requests whose mail is due.
	Due(ctx context.Context, at time.Time, limit int) ([]Request, error)
	// Renew replaces the link and code of a request, before it is mailed again at the due time. Errors:
	// versions.ErrStale if another attempt was made, or the request was used.
	Renew(ctx context.Context, before, after Request, due time.Time) error
	// MarkSent records that the mail needs no further attempt.
	MarkSent(ctx context.Context, request Request) error
}

// SessionStore keeps sessions. Reads are strongly consistent, except for last uses.
type SessionStore interface {
	// Begin stores a session. Errors: ErrSignIn if the request was used; versions.ErrStale if the user or one of the
	// sessions has changed.
	Begin(ctx context.Context, start SessionStart) error
	// List returns the sessions of a user, also ended ones that are still stored, and a version that changes with every
	// credential that the user gets; see End.
	List(ctx context.Context, userID string) (sessions []credentials.Credential, seen int64, err error)
	// End ends sessions of one user with their RevokedAt and Reason. Errors: versions.ErrStale if one has ended
	// already, or the number differs from the one that List returned; a nil number is not checked.
	End(ctx context.Context, ended []credentials.Credential, seen *int64) error
}

// SessionStart is the transaction that begins a session.
type SessionStart struct {
	Session credentials.Credential
	Person  principal.Person         // who must not have changed since they were read
	Ended   []credentials.Credential // with their RevokedAt and Reason
	Seen    int64                    // from SessionStore.List
	Used    *UsedRequest             // nil if the person signs in without a request
	Known   *KnownBrowser            // to store; nil if the browser is known already
}

// UsedRequest is a request that a sign-in uses up.
type UsedRequest struct {
	Request Request
	ByCode  bool // the code was used; CountTry has already counted it
}

// Credentials finds sessions.
type Credentials interface {
	// Get returns the credential with this id, strongly consistent, without its last use. Errors:
	// credentials.ErrUnknown.
	Get(ctx context.Context, id string) (credentials.Credential, error)
	// GetWithUse is Get with the last use, which is eventually consistent.
	GetWithUse(ctx context.Context, id string) (credentials.Credential, error)
}

// People finds users. Both methods return a fault of kind NotFound if the user does not exist.
type People interface {
	Person(ctx context.Context, id string) (principal.Person, error)
	PersonByEmail(ctx context.Context, address string) (principal.Person, error)
}

// Mailer sends one message. Nil means that the message was accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Dependencies are the dependencies of a Service.
type Dependencies struct {
	Requests    RequestStore
	Failures    throttle.Counts // of proofs; needed by Failed
	Outbox      Outbox
	Sessions    SessionStore
	Credentials Credentials
	People      People
	Mailer      Mailer
	Now         func() time.Time
	// RequestMailTime is how long every request for a mail takes, so that its duration does not reveal whether a mail
	// was sent. A mail that is not sent in this time is sent later by SendDue. Zero means no limit.
	RequestMailTime time.Duration
}

// Service signs people in and manages their sessions.
type Service struct {
	Dependencies

	failed *throttle.Throttle
}

// NewService returns a Service.
func NewService(dependencies Dependencies) *Service {
	return &Service{dependencies, throttle.New(dependencies.Failures, failedProofs)}
}

// now returns the time with the precision with which it is stored.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
