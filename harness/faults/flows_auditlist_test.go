package faults

import (
	"context"
	"fmt"
	"time"

	"portside/local/faultproxy"
	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/transactions"
)

// readAuditLog writes events of two days and lists them, page by page and with the filters that have an index.
func readAuditLog(r *run) {
	const customerID, written = "acme", 4
	target := coreaudit.Target{Kind: coreaudit.User, ID: "ada"}
	for i := range written {
		log := auditlog.New(r.tables["AuditTable"], func() time.Time { return start.Add(time.Duration(i*10) * time.Hour) })
		r.event("write an event", func(ctx context.Context) error {
			ctx = coreaudit.WithActor(ctx, coreaudit.Actor{Kind: coreaudit.Person, ID: "root"})
			change := coreaudit.Change{Action: coreaudit.UserUpdated, Target: target, CustomerID: customerID,
				After: map[string]int{"n": i}}
			return transactions.Write(ctx, r.client, log.Write(ctx, change))
		})
	}
	service, staff := audit.NewService(auditdynamo.New(r.client, r.tables["AuditTable"])), principal.Operator()
	all := audit.Query{From: start, To: start.AddDate(0, 0, 3), Limit: 2}
	ofActor, ofCustomer, ofTarget := all, all, all
	ofActor.ActorID, ofCustomer.CustomerID, ofTarget.Target = "root", customerID, target
	for name, query := range map[string]audit.Query{"all": all, "actor": ofActor, "customer": ofCustomer,
		"target": ofTarget} {
		found := map[string]bool{}
		for isComplete := false; !isComplete; {
			var page audit.Page
			r.do("list the events of "+name, func(ctx context.Context) (err error) {
				page, err = service.List(ctx, staff, query)
				return err
			})
			for _, e := range page.Events {
				found[fmt.Sprint(e.After)] = true
			}
			query.After, isComplete = page.Next, page.Next == ""
		}
		r.check(len(found) == written ||
			r.fault == faultproxy.Stale, "the list of %s has %d of %d changes", name, len(found), written)
	}
}
