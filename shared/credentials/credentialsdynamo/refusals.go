package credentialsdynamo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/throttle"
	"portside/shared/credentials"
	"portside/shared/dynamo/windowcounts"
)

// refusalLife is how long the count of an hour is kept. DynamoDB may delete it up to two days later.
const refusalLife = 3 * time.Hour

// CountRefusal implements credentials.Store with one write, and another one if the audit log reports the number.
func (r *Requests) CountRefusal(ctx context.Context, refused credentials.Refusal, at time.Time) error {
	hour := at.UTC().Truncate(time.Hour)
	refusals, ok, err := r.counter.Add(ctx, windowcounts.Events{
		PK: "refused#" + refused.Who.CredentialID + "#" + strconv.FormatInt(hour.Unix(), 10),
		N:  1, Limit: slices.Max(credentials.ReportedRefusals), PurgeAt: hour.Add(refusalLife),
	})
	if err != nil {
		return fmt.Errorf("count a refused request: %w", err)
	}
	if !ok || !slices.Contains(credentials.ReportedRefusals, refusals) {
		return nil
	}
	return r.reportRefusals(ctx, refused, refusalForm{Reason: refused.Reason, Refusals: refusals, Since: hour})
}

// failuresLife is how long a count of failures is kept after its window. DynamoDB may delete it up to two days later.
const failuresLife = time.Hour

// CountFailure implements throttle.Counts.
func (r *Requests) CountFailure(ctx context.Context, limit throttle.Limit, subject string, at time.Time) (int, error) {
	start := limit.Start(at)
	failures, ok, err := r.counter.Add(ctx, windowcounts.Events{
		PK: "failures#" + limit.Name + "#" + subject + "#" + strconv.FormatInt(start.Unix(), 10),
		N:  1, Limit: limit.Failures, PurgeAt: start.Add(limit.Window + failuresLife),
	})
	if err != nil {
		return 0, fmt.Errorf("count a failure (%s): %w", limit.Name, err)
	}
	if !ok {
		return limit.Failures + 1, nil
	}
	return failures, nil
}

// refusalForm has the fields of audit events about refused requests. The reason is the last request's.
type refusalForm struct {
	Reason   credentials.RefusalReason `json:"reason"`
	Refusals int                       `json:"refusals"`
	Since    time.Time                 `json:"since"`
}

func (r *Requests) reportRefusals(ctx context.Context, refused credentials.Refusal, form refusalForm) error {
	who := refused.Who
	target := audit.Target{Kind: audit.Credential, ID: who.CredentialID}
	if who.SessionID != "" {
		target.Kind = audit.Session
	}
	change := audit.Change{Action: audit.CredentialRefused, Target: target, CustomerID: who.CustomerID, After: form}
	return r.table.log.Record(audit.WithActor(ctx, audit.ActorOf(who)), r.table.client, change)
}
