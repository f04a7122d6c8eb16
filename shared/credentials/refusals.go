package credentials

import (
	"context"
	"log/slog"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/throttle"
)

// ReportedRefusals are the hourly counts of a credential at which the audit log gets an event. The first shows that
// something tries; the later ones show how much.
var ReportedRefusals = []int{20, 200, 2_000}

// maxCountedRefusals bounds the counted requests per minute of a credential that does not work. It bounds the cost of a
// client that does not stop.
const maxCountedRefusals = 60

// Counters are the counts of requests that are refused.
type Counters interface {
	throttle.Counts // of requests with unknown credentials, by network
	// CountRefusal counts one refused request of a credential that exists in the hour of at. It reports
	// ReportedRefusals.
	CountRefusal(ctx context.Context, refused Refusal, at time.Time) error
}

// Refusal is a refused request.
type Refusal struct {
	Who    principal.Principal // of the credential, which may have expired
	Reason RefusalReason
}

// RefusalReason says why a request was refused.
type RefusalReason string

// The reasons of refusals.
const (
	// NotWorking means that the credential has expired or was revoked, that its user may not act, or that a password
	// came with a wrong user name.
	NotWorking   RefusalReason = "not_working"
	NoPermission RefusalReason = "no_permission" // the role or the scopes do not allow the operation
)

// Refused counts a request that was refused although the credential works. A failure of the count is only logged,
// because the request was answered already.
func (a *Authenticator) Refused(ctx context.Context, who principal.Principal) {
	a.countRefusal(ctx, Refusal{Who: who, Reason: NoPermission})
}

func (a *Authenticator) countRefusal(ctx context.Context, refused Refusal) {
	if err := a.store.CountRefusal(ctx, refused, a.now()); err != nil {
		slog.WarnContext(ctx, "refused request not counted", "credential", refused.Who.CredentialID, "error", err)
	}
}
