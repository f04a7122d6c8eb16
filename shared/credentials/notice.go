package credentials

import "time"

// Event is why the owner of a credential gets a mail.
type Event string

// The events.
const (
	EventMade   Event = "made"   // another user created the credential for the owner
	EventLeaked Event = "leaked" // the credential was reported as leaked
	EventEnded  Event = "ended"  // the credential ended together with another user's, with which it was made
)

// ReasonLeaked is why a credential ended that was reported as leaked.
const ReasonLeaked = "reported as leaked"

// ReasonEnded is why a credential ended that an administrator ended with others of its user, or with all of a customer.
const ReasonEnded = "ended by an administrator"

// ActivationLink is the name of a link that activates an account. It stays when other credentials end.
const ActivationLink = "activation"

// Notice is a mail to the owner of a credential that was not sent yet. It is stored in the transaction that causes it.
type Notice struct {
	Event    Event
	OwnerID  string
	ID       string // of the credential
	Kind     Kind
	Name     string
	By       string // id of the user who created the credential, for EventMade
	At       time.Time
	BaseURL  string    // of the portal, for the link in the mail; empty for no link
	Due      time.Time // when a schedule sends the mail if the request has not
	Attempts int
}

// NewNotice returns the notice about an event of a credential.
func NewNotice(event Event, c Credential, at time.Time) Notice {
	return Notice{Event: event, OwnerID: c.Owner.ID, ID: c.ID, Kind: c.Kind, Name: c.Name, At: at}
}
