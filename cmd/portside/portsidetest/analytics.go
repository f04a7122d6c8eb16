package portsidetest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/customers"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// Analytics is a Stack with the sources of the dashboard's metrics.
type Analytics struct {
	*Stack
	S3       *s3.Client
	Bucket   string
	Archive  analyticss3.Archive
	Recorder *analyticsdynamo.Recorder
	Pulls    *pullsdynamo.Store

	PullsTable string
	Begin      time.Time // midnight of yesterday
}

// NewAnalytics returns a stack with an S3 and the table of pulls that runs the commands.
func NewAnalytics(t *testing.T, commands ...[]operator.Command) *Analytics {
	t.Helper()
	o := New(t, commands...)
	client, bucket, pullsTable := awstest.S3(t), awstest.Bucket(t), awstest.Table(t, o.Client, "PullsTable")
	keys, err := client.Options().Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables := o.TableNames()
	tables["PullsTable"] = pullsTable
	o.WriteStack(installation.LocalStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999",
		DynamoDB: aws.ToString(o.Client.Options().BaseEndpoint), Region: "us-east-1",
		S3: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
		Tables: tables, Buckets: map[string]string{"AnalyticsBucket": bucket, "AuditBucket": awstest.Bucket(t)},
	})
	archive := analyticss3.NewArchive(client, bucket)
	return &Analytics{
		Stack: o, S3: client, Bucket: bucket, Archive: archive,
		Recorder: analyticsdynamo.NewRecorder(analyticsdynamo.New(o.Client, o.Names.Analytics), archive),
		Pulls:    pullsdynamo.New(o.Client, pullsTable, o.Names.Analytics), PullsTable: pullsTable,
		Begin: o.Now().Truncate(24*time.Hour).AddDate(0, 0, -1),
	}
}

// Must ends the test if there is an error.
func (a *Analytics) Must(err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}

// LargeStream is a stream whose lines have long IDs, so that its segments are in the archive. Those of other streams
// are in their markers.
const LargeStream = "fedcba9876543210"

// Segment returns 40 lines of one stream of a log, one per minute, beginning at a time.
func (a *Analytics) Segment(log logs.Log, stream string, at time.Time) logs.Segment {
	s := logs.Segment{Log: log, Day: calendar.DayOf(at), Stream: stream}
	for i := range 40 {
		logged := at.Add(time.Duration(i) * time.Minute)
		line := logs.Line{ID: fmt.Sprint(stream, logged.Unix()), LoggedAt: logged}
		if stream == LargeStream {
			line.ID = fmt.Sprintf("%x", sha256.Sum256([]byte(line.ID)))
		}
		switch {
		case i == 7: // a line that cannot be parsed
		case log == logs.AccessLog:
			line.Request = &analytics.Request{At: logged, Status: 200 + i%4*101, LatencyMillis: int64(i * i), IsMediaCall: i%9 == 0}
			if line.Request.IsMediaCall {
				line.Request.Task = analytics.ExtractTask
			}
		default:
			line.Call = &logs.ModelCall{At: logged, ModelUsage: analytics.ModelUsage{Calls: 1, InputTokens: 9, OutputTokens: 2, MicroUSD: 31}}
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// Fill writes users, projects, log lines and pulls of two days.
func (a *Analytics) Fill() {
	a.T.Helper()
	a.Expect(a.Run("import-users", a.Write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	customer := customers.Customer{ID: "acme", Name: "Acme", Slug: "acme", Status: customers.Active, CreatedAt: a.Begin}
	_, err := a.Tables.Customers.Create(a.T.Context(), customers.Creation{Customer: customer})
	a.Must(err)
	var last projects.Project
	for i, status := range projects.Statuses() {
		created, err := a.Tables.Projects.Create(a.T.Context(), projects.Creation{Project: projects.Project{
			ID: fmt.Sprint(i), Status: status, CreatedAt: a.Begin.Add(time.Duration(i) * 9 * time.Hour),
		}})
		a.Must(err)
		last = created.Project
	}
	a.Must(a.Tables.Projects.Delete(a.T.Context(), last, last.CreatedAt.Add(time.Minute)))
	for _, at := range []time.Time{a.Begin, a.Begin.Add(20 * time.Hour), a.Begin.Add(24 * time.Hour)} {
		for _, p := range []logs.Segment{
			a.Segment(logs.AccessLog, "0123456789abcdef", at), a.Segment(logs.AccessLog, LargeStream, at),
			a.Segment(logs.ModelLog, "0123456789abcdef", at),
		} {
			_, err := a.Recorder.Record(a.T.Context(), p)
			a.Must(err)
		}
		pull := pulls.Pull{At: at, Kind: pulls.Chart, Repository: "app", Reference: "1.0.0", CredentialID: "c", OwnerID: "o"}
		image, byDigest := pull, pull
		image.Kind, byDigest.Kind, byDigest.Reference, byDigest.Digest = pulls.Image, pulls.Image, "sha256:0", "sha256:0"
		check := image
		check.IsCheck, check.Client = true, "Renovate"
		_, err := a.Pulls.Record(a.T.Context(), []pulls.Pull{pull, image, byDigest, check})
		a.Must(err)
		_, err = a.Pulls.CountPending(a.T.Context())
		a.Must(err)
	}
}

// Day returns the day that begins n days after Begin.
func (a *Analytics) Day(n int) string { return a.Begin.AddDate(0, 0, n).Format(time.DateOnly) }

// AddEvent adds an audit event.
func (a *Analytics) AddEvent(at time.Time) items.Map {
	a.T.Helper()
	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	writes := auditlog.New(stack.Tables["AuditTable"], func() time.Time { return at }).Write(a.T.Context(), audit.Change{
		Action: audit.UserDeleted, Target: audit.Target{Kind: audit.User, ID: "u1", Name: "eve\u202e\x1b[2J@example.com"},
	})
	_, err = a.Client.TransactWriteItems(a.T.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	a.Must(err)
	return writes[0].Put.Item
}

// Seal seals the audit log at a time, and returns the head.
func (a *Analytics) Seal(at time.Time) string {
	a.T.Helper()
	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	table := sealsdynamo.New(a.Client, stack.Tables["AuditTable"])
	run, err := seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(a.S3, stack.Buckets["AuditBucket"]),
		Now: func() time.Time { return at }, Settled: auditlog.Settled, Days: 2,
	}.Seal(a.T.Context())
	a.Must(err)
	return run.Newest.Head().String()
}

// ExpectFile checks the content of a head file; empty means that it is missing or empty.
func (a *Analytics) ExpectFile(file, want string) {
	a.T.Helper()
	if text, err := os.ReadFile(file); string(text) != want || want != "" && err != nil {
		a.T.Errorf("the head file has %q (%v), want %q", text, err, want)
	}
}
