package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/cmd/bench/figures"
	"portside/shared/audit"
	"portside/shared/audit/auditdynamo"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// Targets of pages of the audit log.
const (
	auditDays      = 30
	auditPageCalls = 1
	auditPageUnits = 4 // for 20 events of about 600 bytes, eventually consistent
	auditPageRatio = 4 // time, times a bare GetItem
)

// auditLog writes events of 30 days, and measures pages of them: the newest, and those of one actor, customer and
// target.
func (b *bench) auditLog(ctx context.Context, s *stack) error {
	client, m := s.meteredClient()
	table, begin := s.Tables["AuditTable"], time.Now().AddDate(0, 0, -auditDays)
	b.logProgress("writing %s audit events", figures.Number(float64(b.events)))
	for first := 0; first < b.events; first += transactions.MaxItems {
		var writes []types.TransactWriteItem
		for n := first; n < min(first+transactions.MaxItems, b.events); n++ {
			at := begin.Add(time.Duration(n) * (auditDays * 24 * time.Hour / time.Duration(b.events)))
			log := auditlog.New(table, func() time.Time { return at })
			writes = append(writes, log.Write(coreaudit.WithActor(ctx, auditActor(n)), auditChange(n))...)
		}
		if err := transactions.Write(ctx, client, writes); err != nil {
			return fmt.Errorf("write audit events: %w", err)
		}
	}
	service := audit.NewService(auditdynamo.New(client, table))
	all := audit.Query{From: begin, To: time.Now(), Limit: pageSize}
	ofActor, ofCustomer, ofTarget := all, all, all
	ofActor.ActorID, ofCustomer.CustomerID, ofTarget.Target = auditActor(7).ID, auditChange(7).CustomerID, auditChange(7).Target
	for _, of := range []struct {
		what  string
		query audit.Query
	}{{"all", all}, {"an actor in", ofActor}, {"a customer in", ofCustomer}, {"a target in", ofTarget}} {
		what := fmt.Sprintf("page of %s %s audit events", of.what, figures.Number(float64(b.events)))
		times, err := figures.Alternate(samples, timed(func(int) error {
			page, err := service.List(ctx, principal.Operator(), of.query)
			if err == nil && len(page.Events) != pageSize {
				err = fmt.Errorf("%s has %d events", what, len(page.Events))
			}
			return err
		}), timed(func(int) error {
			_, err := items.In(client, table).GetRaw(ctx, items.Key("day#", "none"))
			return err
		}))
		if err != nil {
			return err
		}
		m.reset()
		if _, err := service.List(ctx, principal.Operator(), of.query); err != nil {
			return err
		}
		used := m.reset()
		reads, calls := costs([]meter{used})
		b.table.AddAtMost(what, calls[0], auditPageCalls, "calls")
		b.table.AddAtMost(what, reads[0], auditPageUnits, "read units")
		b.table.AddComparison(figures.Comparison{What: what, With: bareGetItem, Times: times[0], Baseline: times[1]}, auditPageRatio)
	}
	return nil
}

// auditActor returns one of 100 people.
func auditActor(n int) coreaudit.Actor {
	return coreaudit.Actor{Kind: coreaudit.Person, ID: fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012d", n%100), Address: "203.0.113.7"}
}

// auditChange returns a change of one of 1,000 users of one of 100 customers.
func auditChange(n int) coreaudit.Change {
	type form struct {
		Role    principal.Role `json:"role"`
		Version int            `json:"version"`
	}
	return coreaudit.Change{
		Action:     coreaudit.UserUpdated,
		Target:     coreaudit.Target{Kind: coreaudit.User, ID: fmt.Sprintf("01939f6e-8a8e-7d5c-a3c2-%012d", n%1000), Name: "ada@example.com"},
		CustomerID: fmt.Sprintf("01939f6e-8a8e-7d5c-a3c3-%012d", n%100),
		Before:     form{principal.Viewer, n}, After: form{principal.User, n + 1},
	}
}
