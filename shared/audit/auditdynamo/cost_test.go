package auditdynamo_test

import (
	"testing"
	"time"

	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/dynamo/auditlog"
	"portside/shared/testkit/awstest"
)

// TestCost states the calls of a page of 20 events: one with a filter that has an index, or on a day with enough
// events. A month without events takes 30 calls, in five groups. Further filters read up to 250 events with each call,
// and at most about 2,000 events.
//
//proves:docs/security.md
func TestCost(t *testing.T) {
	client := awstest.DynamoDB(t)
	table := awstest.Table(t, client, "AuditTable")
	write(t, client, table, log())
	counted, meter := awstest.Metered(client)
	service := audit.NewService(auditdynamo.New(counted, table))
	busy := midnight.AddDate(0, 0, -12)
	month := audit.Query{From: busy.AddDate(0, 0, -29), To: busy.AddDate(0, 0, 1), Limit: 20}
	with := func(change func(*audit.Query)) audit.Query {
		q := month
		change(&q)
		return q
	}
	for name, test := range map[string]struct {
		query      audit.Query
		caller     principal.Principal
		calls      int
		maxUnits   float64
		found      int
		isComplete bool
	}{
		"all":      {month, staff, auditlog.Parts, 4, 20, false},
		"actor":    {with(func(q *audit.Query) { q.ActorID = "ada" }), staff, 1, 4, 20, false},
		"customer": {with(func(q *audit.Query) { q.CustomerID = acme }), staff, 1, 4, 20, false},
		"own":      {month, ofAcme, 1, 4, 20, false},
		"target":   {with(func(q *audit.Query) { q.Target = targets[0] }), staff, 1, 4, 20, false},
		"action":   {with(func(q *audit.Query) { q.Action = "user.*" }), staff, auditlog.Parts, 30, 20, false},
		"nothing":  {with(func(q *audit.Query) { q.Target, q.ActorID = targets[0], "nobody" }), staff, 3, 40, 0, true},
		"rare": {with(func(q *audit.Query) {
			q.Action, q.Target = coreaudit.TableRestored, coreaudit.Target{Kind: coreaudit.Table, ID: "none"}
		}),
			staff, 1, 1, 0, true},
		"rare on a busy day": {with(func(q *audit.Query) { q.Action = coreaudit.TableRestored }), staff, 5 * auditlog.Parts, 150, 0, false},
		"an empty month": {audit.Query{
			From: time.Date(2026, time.April, 2, 0, 0, 0, 0, time.UTC), To: time.Date(2026, time.May, 2, 0, 0, 0, 0, time.UTC),
			Limit: 20,
		}, staff, 30 * auditlog.Parts, 60, 0, true},
		"two empty months": {audit.Query{
			From: time.Date(2026, time.April, 2, 0, 0, 0, 0, time.UTC), To: time.Date(2026, time.May, 31, 0, 0, 0, 0, time.UTC),
			Limit: 20,
		}, staff, 31 * auditlog.Parts, 62, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			meter.Reset()
			page, err := service.List(t.Context(), test.caller, test.query)
			if err != nil || len(page.Events) != test.found || (page.Next == "") != test.isComplete {
				t.Errorf("%d events, next %q, error %v", len(page.Events), page.Next, err)
			}
			if meter.Calls() != test.calls || meter.ReadUnits() > test.maxUnits {
				t.Errorf("%d calls, want %d; %g read units, want at most %g", meter.Calls(), test.calls, meter.ReadUnits(),
					test.maxUnits)
			}
		})
	}
}
