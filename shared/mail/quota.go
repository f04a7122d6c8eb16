package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
)

// Quota limits the mails of one kind that the people of a customer, or all of the vendor's staff together, can cause to
// other people on one day (UTC). The zero value means unlimited.
type Quota struct {
	Name   string // of the kind of mails
	Sender string // the customer's ID, Staff or Customers
	To     string // hash of the only address that counts; empty for all addresses
	Limit  int    // mails per day
}

// The senders that are not one customer.
const (
	Staff     = "staff"     // the vendor's staff
	Customers = "customers" // the people of all customers together
)

// Mails per day. A customer can invite thousands of people in a week, but does not use up the sending quota of Amazon
// SES alone. People have to read and check the mails about keys and requests, so these are fewer.
const (
	customerInvitations, staffInvitations = 1_000, 10_000
	customerKeyNotices, staffKeyNotices   = 200, 2_000
	customerRequests, staffRequests       = 100, 1_000
)

// Mails per day to one address, whether its user stays, or is deleted and created again. The staff does not count for
// the limit of all customers together, so no customer keeps the staff from inviting users.
const (
	customerInvitationsTo, customersInvitationsTo, staffInvitationsTo = 5, 10, 10
	customerKeyNoticesTo, customersKeyNoticesTo, staffKeyNoticesTo    = 20, 40, 100
)

// Invitations limits the invitations to users.
func Invitations(caller principal.Principal) Quota {
	return quotaOf(caller, "invitations", customerInvitations, staffInvitations)
}

// InvitationsTo limits the invitations to a user with the address, which must be normal.
func InvitationsTo(caller principal.Principal, address string) []Quota {
	limits := limitsTo{customerInvitationsTo, customersInvitationsTo, staffInvitationsTo}
	return limits.quotas(caller, Invitations(caller), address)
}

// KeyNoticesTo limits the API keys for a user with the address, which must be normal.
func KeyNoticesTo(caller principal.Principal, address string) []Quota {
	limits := limitsTo{customerKeyNoticesTo, customersKeyNoticesTo, staffKeyNoticesTo}
	return limits.quotas(caller, KeyNotices(caller), address)
}

// limitsTo are the limits of the mails to one address.
type limitsTo struct{ customer, customers, staff int }

// quotas returns the quota for all addresses, followed by those for the address. The operator has none.
func (l limitsTo) quotas(caller principal.Principal, all Quota, address string) []Quota {
	if caller.IsOperator() {
		return nil
	}
	sum := sha256.Sum256([]byte(address))
	to := Quota{Name: all.Name + " to one address", Sender: all.Sender, To: hex.EncodeToString(sum[:]), Limit: l.staff}
	if all.Sender == Staff {
		return []Quota{all, to}
	}
	together := to
	to.Limit, together.Limit, together.Sender = l.customer, l.customers, Customers
	return []Quota{all, to, together}
}

// KeyNotices limits the API keys for other users, who get a mail about each.
func KeyNotices(caller principal.Principal) Quota {
	return quotaOf(caller, "API keys for other users", customerKeyNotices, staffKeyNotices)
}

// CredentialRequests limits the credential requests, about which approvers get mails.
func CredentialRequests(caller principal.Principal) Quota {
	return quotaOf(caller, "credential requests", customerRequests, staffRequests)
}

func quotaOf(caller principal.Principal, name string, customers, staff int) Quota {
	if caller.IsOperator() {
		return Quota{}
	}
	if caller.CustomerID == "" {
		return Quota{Name: name, Sender: Staff, Limit: staff}
	}
	return Quota{Name: name, Sender: caller.CustomerID, Limit: customers}
}

// Window returns the window in which mails of the quota count.
func (q Quota) Window() throttle.Window {
	subject := q.Sender
	if q.To != "" {
		subject += "#" + q.To
	}
	return throttle.Window{Name: "mails: " + q.Name, Subject: subject, Length: QuotaPeriod, Limit: q.Limit}
}

// QuotaPeriod is how long a quota lasts.
const QuotaPeriod = 24 * time.Hour

// ErrQuota means that a quota is used up.
var ErrQuota = fault.New(fault.QuotaExceeded, "The mails of the day are used up.")

// Exceeded returns ErrQuota with the limit, and the time at which the next day begins.
func (q Quota) Exceeded(at time.Time) *fault.Error {
	end := at.UTC().Truncate(QuotaPeriod).Add(QuotaPeriod)
	exceeded := ErrQuota.After(end.Sub(at))
	of := "the users of your customer"
	switch q.Sender {
	case Staff:
		of = "the vendor's staff"
	case Customers:
		of = "the users of all customers together"
	}
	exceeded.Detail = fmt.Sprintf("The limit is %d %s per day for %s, and it is used up until %s. Wait until then.",
		q.Limit, q.Name, of, end.Format("2006-01-02 15:04 UTC"))
	return exceeded
}
