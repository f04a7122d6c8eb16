package mail

import (
	"fmt"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Quota limits the mails of one kind that the people of a customer, or all of the vendor's staff together, can cause to other people on one
// day (UTC). The zero value is no limit.
type Quota struct {
	Name   string // of the kind of mails
	Sender string // the customer's ID, or Staff
	Limit  int    // mails per day
}

// Staff is the sender of mails that the vendor's staff causes.
const Staff = "staff"

// Mails per day. A customer can invite thousands of people in a week, but does not use up the sending quota of Amazon SES alone. People
// have to read and check the mails about keys and requests, so these are fewer.
const (
	customerInvitations, staffInvitations = 1_000, 10_000
	customerKeyNotices, staffKeyNotices   = 200, 2_000
	customerRequests, staffRequests       = 100, 1_000
)

// Invitations limits the invitations to users.
func Invitations(caller principal.Principal) Quota {
	return quotaOf(caller, "invitations", customerInvitations, staffInvitations)
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
		return Quota{name, Staff, staff}
	}
	return Quota{name, caller.CustomerID, customers}
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
	if q.Sender == Staff {
		of = "the vendor's staff"
	}
	exceeded.Detail = fmt.Sprintf("The limit is %d %s per day for %s, and it is used up until %s. Wait until then.",
		q.Limit, q.Name, of, end.Format("2006-01-02 15:04 UTC"))
	return exceeded
}
