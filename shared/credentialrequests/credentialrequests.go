// Package credentialrequests lets people request a password for charts and images. They give a
// reason, another person decides, and a mailed link lets the requester collect the password once.
//
// A request is never stuck. Every state except the last ones has a next step that happens without a
// client: mail the approvers, mail the link, mail the denial, or let an uncollected link expire.
// The write that enters a state also stores its step and the time when it is due. The request that
// caused it takes the step at once. If that fails, TakeDue takes it later, with growing pauses. A
// mail may in rare cases be sent twice; none is lost, and only the newest link works.
//
// The first request of a customer's users is announced to the approvers at once. Requests of these users within
// DigestInterval after a mail are collected: the step of such a request is due at the end of the interval, and one mail
// announces all of them. So however many requests the users of a customer make, they neither flood the approvers nor
// delay the announcement of another customer's request.
//
// Every change appends to the request's trail of events in the same conditional write, so that of
// several decisions or collections at once only one succeeds. The write that uses up the link
// creates the password. Only a hash of the password is stored, so the password is lost if the
// process dies before the response. Therefore a collection counts only once it is confirmed, which
// is the last step before the response. A collection that is not confirmed in time is withdrawn:
// its password is revoked and a new link is mailed.
package credentialrequests

import (
	"context"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Level is the access that a requester asks for.
type Level string

// The levels.
const (
	Charts Level = "charts"
	Images Level = "images"
	Full   Level = "full" // charts and images
)

// Scopes returns the scopes of a password of the level, as in shared/tokens; nil for an unknown
// level.
func (l Level) Scopes() []string {
	switch l {
	case Charts:
		return []string{"read:helm-charts"}
	case Images:
		return []string{"read:docker-images"}
	case Full:
		return []string{"read:docker-images", "read:helm-charts"}
	default:
		return nil
	}
}

// Status is the state of a request.
type Status string

// The statuses. A request goes from pending to approved or denied, and from approved to collected or expired.
const (
	Pending   Status = "pending"
	Approved  Status = "approved" // a link to collect the password was mailed, or soon will be
	Denied    Status = "denied"
	Collected Status = "collected"
	Expired   Status = "expired" // the requester did not collect the password in time
)

// Action is the kind of an event.
type Action string

// The actions.
const (
	ActionRequested Action = "requested"
	ActionApproved  Action = "approved"
	ActionDenied    Action = "denied"
	ActionMailed    Action = "mailed" // the link or the denial, to the requester
	ActionCollected Action = "collected"
	ActionWithdrawn Action = "withdrawn" // a collection whose response was lost
	ActionExpired   Action = "expired"
)

// System is the actor of events that no person caused.
const System = "system"

// Event is one entry in a request's trail.
type Event struct {
	At     time.Time
	Actor  string // user id, or System
	Action Action
	Detail string // a reason or other details; may be empty
}

// Request is a request for a password, with its trail. It is not an HTTP request.
type Request struct {
	ID            string // UUIDv7, so ids are in the order of creation
	UserID        string
	CustomerID    string // the user's customer at the creation; empty for the vendor's staff, and in requests of earlier releases
	Level         Level
	Justification string
	Status        Status
	CreatedAt     time.Time
	DueAt         time.Time // when a decision is due; see DueAt
	DecidedBy     string    // user id; empty while pending
	DecidedAt     time.Time
	Reason        string    // of the decision; may be empty
	CredentialID  string    // public id of the password; empty until it is collected
	CollectBy     time.Time // when the mailed link expires; zero until it is mailed
	Events        []Event   // oldest first
	Next          Next
	Version       int64 // 1 at creation, and one more with every change

	Makers   []principal.Maker // who really made the request: the requester with a credential, then the makers of that credential
	Deciders []principal.Maker // the same for the decision; empty while pending
}

// Next is the next step that happens without a client. The status says which step it is.
type Next struct {
	Due      time.Time // zero without a step
	Attempts int       // at the current step
	Notified []string  // ids of the approvers who were mailed
	LinkID   string    // public id of the newest link; empty without a link
	BaseURL  string    // of the portal, for links in mails
}

// event returns the request with one more event.
func (r Request) event(e Event) Request {
	r.Events = append(slices.Clip(r.Events), e)
	return r
}

// Limits, from the API contract.
const (
	MaxJustification = 2000 // characters
	MaxReason        = 1000 // characters
	MaxOpen          = 5    // pending requests of one user
	MaxLimit         = 100  // requests on a page
	DefaultLimit     = 20
	PasswordDays     = 365
	LinkLifetime     = 7 * 24 * time.Hour
	// MaxPendingDays is how many days after its creation a request can be approved. The rest of credentials.Retention
	// is longer than the mails and the link take. So the record of a credential with which the request was made is not
	// purged before the collection, and still says that the credential was revoked or has leaked.
	MaxPendingDays = 60
)

// DigestInterval is how long the requests of a customer's users are collected after a mail to the approvers. The
// vendor's staff counts as a customer.
const DigestInterval = time.Hour

// maxApprovers is how many people are mailed about a request.
const maxApprovers = 50

// The errors of operations on requests.
var (
	ErrNotFound = fault.New(fault.NotFound, "The credential request does not exist.")
	ErrOpen     = fault.NewFinal(fault.Conflict, fmt.Sprintf("You have %d pending requests, which is the maximum. "+
		"Wait for the decisions.", MaxOpen))
	ErrOwn = fault.New(fault.Forbidden, "You cannot decide on your own request. Ask another user with the "+
		"permission credentials:approve.")
	ErrHand = fault.New(fault.Forbidden, "You cannot decide on this request, because the request and your decision depend on the same "+
		"user, who created the credential that you use or the one with which the request was made, or one with which these were "+
		"created. Sign in yourself, or ask another user with the permission credentials:approve. If you created the requester's key, the "+
		"requester can sign in and send the request again.")
	ErrNotYours = fault.New(fault.Forbidden,
		"To list the requests of other users, you need the permission credentials:approve.")
	ErrForbidden = fault.New(fault.Forbidden,
		"To decide on credential requests, you need the permission credentials:approve.")
	ErrDecided = fault.NewFinal(fault.Conflict, "This request has already been decided.")
	ErrTooOld  = fault.NewFinal(fault.Conflict, fmt.Sprintf("This request is older than %d days, so it can no longer be approved. "+
		"Deny it. The requester can send it again.", MaxPendingDays))
	ErrRequester = fault.NewFinal(fault.Conflict, "The requester is no longer an active user, or belongs to a suspended customer, so a "+
		"new password would not work. Deny the request, or activate the user or the customer first.")
	ErrMaker = fault.NewFinal(fault.Conflict, "The credential with which this request was made has been revoked, or one with which that "+
		"credential was created. Deny the request. The requester can sign in and send it again.")
	ErrTooMany = fault.NewFinal(fault.Conflict, fmt.Sprintf("The requester has %d working credentials, which is the maximum. "+
		"Revoke one of them first.", credentials.MaxLive)).Coded(errorcode.TooManyCredentials)
	// ErrLink is the error of every link that does not work, whatever the reason.
	ErrLink = fault.New(fault.Unauthorized, "This link does not work: it has expired, has already been used, or "+
		"was replaced by a newer one. "+
		"Use the link in a newer email, or request a new password.")
	// ErrCaller means that the caller's credential was revoked, or its owner deactivated, at the same moment.
	ErrCaller = credentials.ErrUnauthorized
)

// Reader reads requests, strongly consistent.
type Reader interface {
	// Get returns a request, or ErrNotFound.
	Get(ctx context.Context, id string) (Request, error)
	// List returns one page in the order of the query.
	List(ctx context.Context, query Query) (Page, error)
	// Due returns up to limit requests whose next step is due at the given time, the longest overdue first.
	Due(ctx context.Context, at time.Time, limit int) ([]Request, error)
}

// Store keeps requests. Writes are all or nothing; reads are strongly consistent.
type Store interface {
	Reader
	Announcements
	// Create adds a request. If the creation has an idempotency key that was used within its lifetime,
	// nothing is written: Create returns the first request in its first state, or idempotency.ErrReused
	// if the fingerprints differ. Errors: ErrOpen, ErrCaller, mail.ErrQuota; versions.ErrStale if the creation is
	// announced at once, and less than DigestInterval has passed since Announced.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Change makes a change. Errors: versions.ErrStale if the request, the person or a credential has changed since it
	// was read; ErrCaller; ErrMaker; ErrTooMany.
	Change(ctx context.Context, change Change) error
}

// Announcements keep when approvers were mailed. An empty customerID stands for the vendor's staff.
type Announcements interface {
	// Announced returns when DigestInterval last began for the requests of a customer's users; zero if that was long
	// ago.
	Announced(ctx context.Context, customerID string) (time.Time, error)
	// Announce begins DigestInterval at the given time, unless it began later already.
	Announce(ctx context.Context, customerID string, at time.Time) error
}

// Creation is a request to add, with what must be checked and written in the same transaction.
type Creation struct {
	Request Request
	By      principal.Credential // on whose behalf it is added, which must still work
	Once    *idempotency.Key     // nil if the client sent no idempotency key
	Quota   mail.Quota           // against which it counts
	AtOnce  bool                 // the approvers are mailed at once, which begins DigestInterval for the customer of By
}

// Created is the result of a creation.
type Created struct {
	Request  Request
	Replayed bool // nothing was written, because an earlier call with the same idempotency key created this request
}

// Query asks for one page of a list.
type Query struct {
	UserID      string // empty means all users
	Status      Status // empty means all statuses
	Before      string // the page has requests older than the one with this id; empty means from the newest
	OldestFirst bool   // the page begins with the oldest request, or after After; Before is ignored
	After       string // the page has requests newer than the one with this id; empty means from the oldest
	Limit       int    // 1 to MaxLimit
}

// Page is one page of a list.
type Page struct {
	Requests []Request
	Next     string // the value of Before or After for the next page; empty on the last page
}

// Change is one transaction.
type Change struct {
	Before, After Request                 // the store sets the version of After
	Person        *principal.Person       // the owner of a new credential, who must not have changed since they were read; may be nil
	By            principal.Credential    // that must still work; may be zero
	Makers        []principal.Maker       // whose credentials must not have ended; see credentialsdynamo.HaveNotEnded
	Issue         *credentials.Credential // the credential to add; may be nil
	End           *credentials.Credential // the credential to revoke, with its RevokedAt and Reason; may be nil
	CustomerID    string                  // the requester's customer, if no field above has it; for the audit log
}

// Credentials finds links and passwords.
type Credentials interface {
	// Get returns the credential with this id, strongly consistent. Errors: credentials.ErrUnknown.
	Get(ctx context.Context, id string) (credentials.Credential, error)
}

// People finds users.
type People interface {
	// Person returns a user. It returns a fault of kind NotFound if the user does not exist.
	Person(ctx context.Context, id string) (principal.Person, error)
	// Persons returns the users with the distinct ids, in no particular order. It skips unknown ids.
	Persons(ctx context.Context, ids []string) ([]principal.Person, error)
	// Holders returns active users who have the permission, at most as many as given.
	Holders(ctx context.Context, permission principal.Permission, most int) ([]principal.Person, error)
}

// Mailer sends one message. Nil means that the message was accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}
