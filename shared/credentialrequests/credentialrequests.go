// Package requests is how people come by a password for charts and images: they ask with a reason, somebody else decides,
// and a mailed link lets the requester collect the password once.
//
// A request never rests half-way. Each state but the last ones has a next step that nobody needs to ask for: mail the
// approvers, mail the link, mail the refusal, let an uncollected link expire. The step is noted, with the time it is due,
// in the same write as the state that calls for it; the request that caused it takes it at once, and what it could not do
// SendDue does later, with growing pauses. A mail may in rare cases come twice; none is lost, and only the newest link works.
//
// Every change appends to the request's own trail of events, in the same conditional write, so that of several decisions or
// collections at the same moment one takes place. The password is made in the write that spends the link. Only a hash of
// it is kept, so if the process dies before the answer, nobody will ever know it: therefore a collection counts only once it
// is confirmed, which is the last thing before the answer. One that is not confirmed in time is taken back: its password is
// revoked, and a new link is mailed.
package credentialrequests

import (
	"context"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Level is what a requester wants access to.
type Level string

// The levels.
const (
	Charts Level = "charts"
	Images Level = "images"
	Full   Level = "full" // charts and images
)

// scopes are those that a password of the level gets; nil for an unknown level. They are scopes of shared/tokens.
func (l Level) scopes() []string {
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

// Status is how far a request has come.
type Status string

// The statuses. A request goes from pending to approved or denied, and from approved to collected or expired.
const (
	Pending   Status = "pending"
	Approved  Status = "approved" // a link to collect the password is out, or about to be mailed
	Denied    Status = "denied"
	Collected Status = "collected"
	Expired   Status = "expired" // nobody collected the password while the link worked
)

// Action is what an event tells of.
type Action string

// The actions.
const (
	ActionRequested Action = "requested"
	ActionApproved  Action = "approved"
	ActionDenied    Action = "denied"
	ActionMailed    Action = "mailed" // the link or the refusal, to the requester
	ActionCollected Action = "collected"
	ActionWithdrawn Action = "withdrawn" // a collection whose answer was lost
	ActionExpired   Action = "expired"
)

// System is the actor of what no person did.
const System = "system"

// Event is one entry of a request's trail.
type Event struct {
	At     time.Time
	Actor  string // user id, or System
	Action Action
	Detail string // a reason, or what exactly happened; may be empty
}

// Request is one request with all that happened to it.
type Request struct {
	ID            string // UUIDv7; the order of ids is the order of requests
	UserID        string
	Level         Level
	Justification string
	Status        Status
	CreatedAt     time.Time
	DueAt         time.Time // when a decision is due; see dueAt
	DecidedBy     string    // user id; empty while pending
	DecidedAt     time.Time
	Reason        string    // of the decision; may be empty
	CredentialID  string    // public id of the password; empty until it is collected
	CollectBy     time.Time // when the mailed link ends; zero until it is mailed
	Events        []Event   // oldest first
	Next          Next
	Version       int64 // 1 at creation, +1 with every change
}

// Next is what has to happen without anybody asking. What it is follows from the status.
type Next struct {
	Due      time.Time // zero: nothing has to happen
	Attempts int       // how often it was tried
	Notified []string  // ids of the approvers who got their mail
	LinkID   string    // public id of the newest link; empty: none yet
	BaseURL  string    // of the portal, for links in mails
}

// event returns the request with one more event.
func (r Request) event(e Event) Request {
	r.Events = append(slices.Clip(r.Events), e)
	return r
}

// Bounds, from the contract.
const (
	MaxJustification = 2000 // characters
	MaxReason        = 1000 // characters
	MaxOpen          = 5    // pending requests of one user
	MaxLimit         = 100  // requests on a page
	DefaultLimit     = 20
	PasswordDays     = 365
	LinkLifetime     = 7 * 24 * time.Hour
)

// maxApprovers is how many people are told of a request.
const maxApprovers = 50

// The ways in which an operation on requests is refused.
var (
	ErrNotFound = fault.New(fault.NotFound, "There is no such credential request.")
	ErrOpen     = fault.NewFinal(fault.Conflict, fmt.Sprintf("You have %d pending requests, which is the most there may be. "+
		"Wait for the decisions.", MaxOpen))
	ErrOwn       = fault.New(fault.Forbidden, "Nobody decides on their own request; somebody else with credentials:approve must.")
	ErrForbidden = fault.New(fault.Forbidden, "Deciding on credential requests needs the permission credentials:approve.")
	ErrDecided   = fault.NewFinal(fault.Conflict, "This request was decided already.")
	ErrRequester = fault.NewFinal(fault.Conflict, "The requester is not an active user any more, so no password of theirs would work. "+
		"Deny the request, or activate the user first.")
	ErrTooMany = fault.NewFinal(fault.Conflict, fmt.Sprintf("The requester has %d working credentials, which is the most there may be. "+
		"One must be revoked first.", credentials.MaxLive))
	// ErrLink is what a link gets that does not work, whatever the reason.
	ErrLink = fault.New(fault.Unauthorized, "This link does not work: it has expired, was used already, or was replaced by a newer one. "+
		"Look for a newer mail, or request a new password.")
	// ErrCaller says that the credential which asks was revoked, or its owner deactivated, at that very moment.
	ErrCaller = credentials.ErrUnauthorized
)

// Store keeps requests. Writes are all or nothing; reads are strongly consistent.
type Store interface {
	// Create adds a request on behalf of the credential with the id by. ErrOpen, ErrCaller.
	Create(ctx context.Context, request Request, by string) error
	// Get returns a request, or ErrNotFound.
	Get(ctx context.Context, id string) (Request, error)
	// List returns one page, newest first.
	List(ctx context.Context, query Query) (Page, error)
	// Change makes a change. Errors: versions.ErrStale if the request, the person or a credential has changed since it
	// was read; ErrCaller; ErrTooMany.
	Change(ctx context.Context, change Change) error
	// Due returns up to limit requests whose next step is due at the given time, longest due first.
	Due(ctx context.Context, at time.Time, limit int) ([]Request, error)
}

// Query asks for one page of a list.
type Query struct {
	UserID string // empty: everybody's
	Status Status // empty: all
	Before string // id; the page begins with the newest request before it. Empty: with the newest
	Limit  int    // 1 to MaxLimit
}

// Page is one page of a list.
type Page struct {
	Requests []Request
	Next     string // what Before must be for the page after this one; empty: there is none
}

// Change is one transaction.
type Change struct {
	Before, After Request                 // After's version is the store's to set
	Person        *principal.Person       // who must still be as read, since a credential is made for them; nil: nobody
	By            string                  // id of the credential that must still work; empty: none
	Issue         *credentials.Credential // to be added; nil: none
	End           *credentials.Credential // to be revoked as of its RevokedAt, for its Reason; nil: none
}

// Credentials is where links and passwords are looked up.
type Credentials interface {
	// Get returns the credential with this id, strongly consistent; credentials.ErrUnknown if there is none.
	Get(ctx context.Context, id string) (credentials.Credential, error)
}

// People knows the users.
type People interface {
	// Person returns a user; a fault of kind NotFound if there is none.
	Person(ctx context.Context, id string) (principal.Person, error)
	// Holders returns at most so many active users who hold the permission.
	Holders(ctx context.Context, permission principal.Permission, most int) ([]principal.Person, error)
}

// Mailer sends one message; nil means accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}
