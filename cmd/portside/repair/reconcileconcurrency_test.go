package repair

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/portside/installation"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/logs"
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
	a.T.Helper()
	created, err := a.Tables.Projects.Create(a.T.Context(), projects.Creation{
		Project: projects.Project{ID: "p", Status: projects.Draft, CreatedAt: a.Begin},
	})
	a.Must(err)
	return &concurrentWriter{analyticsStack: a, project: created.Project}
}

// writeAll changes every kind of number.
func (b *concurrentWriter) writeAll() {
	b.T.Helper()
	b.n++
	after := b.project
	after.Status, after.UpdatedAt = projects.Statuses()[b.n%5], b.Begin.Add(time.Duration(b.n)*time.Minute)
	var err error
	b.project, err = b.Tables.Projects.Update(b.T.Context(), b.project, after)
	b.Must(err)
	for _, log := range []logs.Log{logs.AccessLog, logs.ModelLog} {
		_, err := b.Recorder.Record(b.T.Context(), b.Segment(log, "0123456789abcdef", b.Begin.Add(time.Duration(b.n)*time.Minute)))
		b.Must(err)
	}
	_, err = b.Pulls.Record(b.T.Context(), []pulls.Pull{{
		At: b.Begin.Add(time.Duration(b.n) * time.Minute), Kind: pulls.Image, Repository: "app", Reference: "2", CredentialID: "d", OwnerID: "o",
	}})
	b.Must(err)
}

// reconciler returns a Reconciler that repairs through a client.
func (a *analyticsStack) reconciler(client *dynamodb.Client) *analyticsdynamo.Reconciler {
	days := daycounts.In(a.Names.Analytics)
	users := usersdynamo.New(client, a.Names.Users, a.Tables.Credentials, days)
	return &analyticsdynamo.Reconciler{
		Recorder: analyticsdynamo.NewRecorder(analyticsdynamo.New(client, a.Names.Analytics), a.Archive),
		Histories: []func(context.Context) iter.Seq2[daycounts.History, error]{
			users.Histories, projectsdynamo.New(client, a.Names.Projects, days).Histories,
		},
		Pulls: (&installation.AnalyticsTables{Pulls: pullsdynamo.New(client, a.PullsTable, a.Names.Analytics)}).CountPulls, Repair: true,
	}
}

// corruptSums changes one number in every sum.
func (a *analyticsStack) corruptSums() {
	a.T.Helper()
	for _, day := range []string{a.Day(0), "total"} {
		a.set("counts", day, "projects", items.Number(77))
	}
	a.set("requests", a.Day(0), "calls", items.Number(77))
	a.set("usage", a.Day(0), "modelCalls", items.Number(77))
	a.set("usage", a.Day(0), "images", items.Number(77))
}

// Another writer writes before a single call to the database: with SCALE=1 before each second one, otherwise before
// each. The Reconciler neither loses nor repeats what that writer counts, and does not report it as a difference.
func TestReconcileWithConcurrentWriterAtEveryCall(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	b := newConcurrentWriter(a)
	for _, damage := range []func(){a.deleteAllSums, a.corruptSums, nil} {
		first, step := scale.Every(6)
		for at, calls := first, first; at <= calls; at += step {
			if damage != nil {
				damage()
			}
			calls = 0
			reconciler := a.reconciler(awstest.Faulty(a.Client, func(string, int) error {
				if calls++; calls == at {
					b.writeAll()
				}
				return nil
			}))
			reconciler.Repair = damage != nil
			if found := a.compareFirstDay(reconciler); damage == nil && len(found.Differences) > 0 {
				t.Errorf("concurrent write at call %d of %d: %v", at, calls, found)
			}
			check := a.reconciler(a.Client)
			check.Repair = false
			if found := a.compareFirstDay(check); len(found.Differences)+len(found.Gaps) > 0 {
				t.Errorf("concurrent write at call %d of %d: %v are left", at, calls, found)
			}
		}
	}
}

// compareFirstDay compares users, projects and the first day.
func (a *analyticsStack) compareFirstDay(reconciler *analyticsdynamo.Reconciler) analytics.Findings {
	a.T.Helper()
	found, err := reconciler.Counts(a.T.Context())
	a.Must(err)
	day, err := reconciler.Day(a.T.Context(), calendar.DayOf(a.Begin))
	a.Must(err)
	found.Add(day)
	return found
}
