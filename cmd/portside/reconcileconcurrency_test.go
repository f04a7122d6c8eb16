package main

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/users/usersdynamo"
	"portside/testclient/scale"
)

// concurrentWriter changes numbers while they are compared.
type concurrentWriter struct {
	*analyticsStack
	project projects.Project
	n       int
}

func newConcurrentWriter(a *analyticsStack) *concurrentWriter {
	a.t.Helper()
	created, err := a.tables.projects.Create(a.t.Context(), projects.Creation{
		Project: projects.Project{ID: "p", Status: projects.Draft, CreatedAt: a.begin},
	})
	a.must(err)
	return &concurrentWriter{analyticsStack: a, project: created.Project}
}

// writeAll changes every kind of number.
func (b *concurrentWriter) writeAll() {
	b.t.Helper()
	b.n++
	after := b.project
	after.Status, after.UpdatedAt = projects.Statuses()[b.n%5], b.begin.Add(time.Duration(b.n)*time.Minute)
	var err error
	b.project, err = b.tables.projects.Update(b.t.Context(), b.project, after)
	b.must(err)
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		_, err := b.recorder.Record(b.t.Context(), b.segment(log, "0123456789abcdef", b.begin.Add(time.Duration(b.n)*time.Minute)))
		b.must(err)
	}
	_, err = b.pulls.Record(b.t.Context(), []pulls.Pull{{
		At: b.begin.Add(time.Duration(b.n) * time.Minute), Kind: pulls.Image, Repository: "app", Reference: "2", CredentialID: "d", OwnerID: "o",
	}})
	b.must(err)
}

// reconciler returns a Reconciler that repairs through a client.
func (a *analyticsStack) reconciler(client *dynamodb.Client) *analyticsdynamo.Reconciler {
	days := daycounts.In(a.names.analytics)
	users := usersdynamo.New(client, a.names.users, a.tables.credentials, days)
	return &analyticsdynamo.Reconciler{
		Recorder: analyticsdynamo.NewRecorder(analyticsdynamo.New(client, a.names.analytics), a.archive),
		Histories: []func(context.Context) iter.Seq2[daycounts.History, error]{
			users.Histories, projectsdynamo.New(client, a.names.projects, days).Histories,
		},
		Pulls: (&analyticsTables{pulls: pullsdynamo.New(client, a.pullsTable, a.names.analytics)}).countPulls, Repair: true,
	}
}

// corruptSums changes one number in every sum.
func (a *analyticsStack) corruptSums() {
	a.t.Helper()
	for _, day := range []string{a.day(0), "total"} {
		a.set("counts", day, "projects", items.Number(77))
	}
	a.set("requests", a.day(0), "calls", items.Number(77))
	a.set("usage", a.day(0), "modelCalls", items.Number(77))
	a.set("usage", a.day(0), "images", items.Number(77))
}

// Another writer writes before a single call to the database: with SCALE=1 before each second one, otherwise before each. The
// Reconciler neither loses nor repeats what that writer counts, and does not report it as a difference.
func TestReconcileWithConcurrentWriterAtEveryCall(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	b := newConcurrentWriter(a)
	for _, damage := range []func(){a.deleteAllSums, a.corruptSums, nil} {
		first, step := scale.Every(6)
		for at, calls := first, first; at <= calls; at += step {
			if damage != nil {
				damage()
			}
			calls = 0
			reconciler := a.reconciler(awstest.Faulty(a.client, func(string, int) error {
				if calls++; calls == at {
					b.writeAll()
				}
				return nil
			}))
			reconciler.Repair = damage != nil
			if found := a.compareFirstDay(reconciler); damage == nil && len(found.Differences) > 0 {
				t.Errorf("concurrent write at call %d of %d: %v", at, calls, found)
			}
			check := a.reconciler(a.client)
			check.Repair = false
			if found := a.compareFirstDay(check); len(found.Differences)+len(found.Gaps) > 0 {
				t.Errorf("concurrent write at call %d of %d: %v are left", at, calls, found)
			}
		}
	}
}

// compareFirstDay compares users, projects and the first day.
func (a *analyticsStack) compareFirstDay(reconciler *analyticsdynamo.Reconciler) analytics.Findings {
	a.t.Helper()
	found, err := reconciler.Counts(a.t.Context())
	a.must(err)
	day, err := reconciler.Day(a.t.Context(), calendar.DayOf(a.begin))
	a.must(err)
	found.Add(day)
	return found
}
