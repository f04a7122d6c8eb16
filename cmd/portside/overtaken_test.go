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
)

// bustle is somebody who goes on using the service.
type bustle struct {
	*archive
	project projects.Project
	n       int
}

func newBustle(a *archive) *bustle {
	a.t.Helper()
	made, err := a.tables.projects.Create(a.t.Context(), projects.Creation{
		Project: projects.Project{ID: "p", Status: projects.Draft, CreatedAt: a.begin},
	})
	a.must(err)
	return &bustle{archive: a, project: made.Project}
}

// goOn changes everything that is counted.
func (b *bustle) goOn() {
	b.t.Helper()
	b.n++
	after := b.project
	after.Status, after.UpdatedAt = projects.Statuses()[b.n%5], b.begin.Add(time.Duration(b.n)*time.Minute)
	var err error
	b.project, err = b.tables.projects.Update(b.t.Context(), b.project, after)
	b.must(err)
	for _, log := range []analytics.Log{analytics.AccessLog, analytics.ModelLog} {
		_, err := b.rec.Record(b.t.Context(), b.part(log, "0123456789abcdef", b.begin.Add(time.Duration(b.n)*time.Minute)))
		b.must(err)
	}
	_, err = b.pulls.Record(b.t.Context(), []pulls.Pull{{
		At: b.begin.Add(time.Duration(b.n) * time.Minute), Kind: pulls.Image, Repository: "app", Reference: "2", CredentialID: "d", OwnerID: "o",
	}})
	b.must(err)
}

// mender mends what the dashboard is made of through a client.
func (a *archive) mender(client *dynamodb.Client) *analyticsdynamo.Reconciler {
	days := daycounts.In(a.names.analytics)
	users := usersdynamo.New(client, a.names.users, a.tables.credentials, days)
	return &analyticsdynamo.Reconciler{
		Recorder: analyticsdynamo.NewRecorder(analyticsdynamo.New(client, a.names.analytics), a.parts),
		Histories: []func(context.Context) iter.Seq2[daycounts.History, error]{
			users.Histories, projectsdynamo.New(client, a.names.projects, days).Histories,
		},
		Pulls: (&records{pulls: pullsdynamo.New(client, a.pullsTable, a.names.analytics)}).countPulls, Repair: true,
	}
}

// spoil makes a number of every sum wrong.
func (a *archive) spoil() {
	a.t.Helper()
	for _, day := range []string{a.day(0), "total"} {
		a.set("counts", day, "projects", items.Number(77))
	}
	a.set("requests", a.day(0), "calls", items.Number(77))
	a.set("usage", a.day(0), "modelCalls", items.Number(77))
	a.set("usage", a.day(0), "images", items.Number(77))
}

// Whoever is overtaken, at any call to the database, neither loses nor repeats what the other has counted, nor takes it for a
// difference.
func TestReconcileIsOvertakenAtAnyCall(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	b := newBustle(a)
	for _, damage := range []func(){a.unsetAll, a.spoil, nil} {
		for at, calls := 1, 1; at <= calls; at++ {
			if damage != nil {
				damage()
			}
			calls = 0
			again := a.mender(awstest.Faulty(a.client, func(string, int) error {
				if calls++; calls == at {
					b.goOn()
				}
				return nil
			}))
			again.Repair = damage != nil
			if found := a.settle(again); damage == nil && len(found.Differences) > 0 {
				t.Errorf("overtaken at call %d of %d: %v", at, calls, found)
			}
			left := a.mender(a.client)
			left.Repair = false
			if found := a.settle(left); len(found.Differences)+len(found.Gaps) > 0 {
				t.Errorf("overtaken at call %d of %d: %v are left", at, calls, found)
			}
		}
	}
}

// settle compares users, projects and the first day.
func (a *archive) settle(again *analyticsdynamo.Reconciler) analytics.Findings {
	a.t.Helper()
	found, err := again.Counts(a.t.Context())
	a.must(err)
	of, err := again.Day(a.t.Context(), calendar.DayOf(a.begin))
	a.must(err)
	found.Add(of)
	return found
}
