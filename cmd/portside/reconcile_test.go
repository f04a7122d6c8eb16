package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/customers"
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// analyticsStack is a testStack with the sources of the dashboard's metrics.
type analyticsStack struct {
	*testStack
	s3       *s3.Client
	bucket   string
	archive  analyticss3.Archive
	recorder *analyticsdynamo.Recorder
	pulls    *pullsdynamo.Store

	pullsTable string
	begin      time.Time // midnight of yesterday
}

func newAnalyticsStack(t *testing.T) *analyticsStack {
	t.Helper()
	o := newTestStack(t)
	client, bucket, pullsTable := awstest.S3(t), awstest.Bucket(t), awstest.Table(t, o.client, "PullsTable")
	keys, err := client.Options().Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables := o.tableNames()
	tables["PullsTable"] = pullsTable
	o.writeStack(localStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999",
		DynamoDB: aws.ToString(o.client.Options().BaseEndpoint), Region: "us-east-1",
		S3: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
		Tables: tables, Buckets: map[string]string{"AnalyticsBucket": bucket, "AuditBucket": awstest.Bucket(t)},
	})
	archive := analyticss3.NewArchive(client, bucket)
	return &analyticsStack{
		testStack: o, s3: client, bucket: bucket, archive: archive,
		recorder: analyticsdynamo.NewRecorder(analyticsdynamo.New(o.client, o.names.analytics), archive),
		pulls:    pullsdynamo.New(o.client, pullsTable, o.names.analytics), pullsTable: pullsTable,
		begin: o.now().Truncate(24*time.Hour).AddDate(0, 0, -1),
	}
}

func (a *analyticsStack) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// large is a stream whose lines have long IDs, so that its segments are in the archive. Those of other streams are in their markers.
const large = "fedcba9876543210"

// segment returns 40 lines of one stream of a log, one per minute, beginning at a time.
func (a *analyticsStack) segment(log analytics.Log, stream string, at time.Time) analytics.Segment {
	s := analytics.Segment{Log: log, Day: calendar.DayOf(at), Stream: stream}
	for i := range 40 {
		logged := at.Add(time.Duration(i) * time.Minute)
		line := analytics.LogLine{ID: fmt.Sprint(stream, logged.Unix()), LoggedAt: logged}
		if stream == large {
			line.ID = fmt.Sprintf("%x", sha256.Sum256([]byte(line.ID)))
		}
		switch {
		case i == 7: // a line that cannot be parsed
		case log == analytics.AccessLog:
			line.Request = &analytics.Request{At: logged, Status: 200 + i%4*101, LatencyMillis: int64(i * i), IsMediaCall: i%9 == 0}
			if line.Request.IsMediaCall {
				line.Request.Task = analytics.ExtractTask
			}
		default:
			line.Call = &analytics.ModelCall{At: logged, ModelUsage: analytics.ModelUsage{Calls: 1, InputTokens: 9, OutputTokens: 2, MicroUSD: 31}}
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// fill writes users, projects, log lines and pulls of two days.
func (a *analyticsStack) fill() {
	a.t.Helper()
	a.expect(a.run("import-users", a.write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	customer := customers.Customer{ID: "acme", Name: "Acme", Slug: "acme", Status: customers.Active, CreatedAt: a.begin}
	_, err := a.tables.customers.Create(a.t.Context(), customers.Creation{Customer: customer})
	a.must(err)
	var last projects.Project
	for i, status := range projects.Statuses() {
		created, err := a.tables.projects.Create(a.t.Context(), projects.Creation{Project: projects.Project{
			ID: fmt.Sprint(i), Status: status, CreatedAt: a.begin.Add(time.Duration(i) * 9 * time.Hour),
		}})
		a.must(err)
		last = created.Project
	}
	a.must(a.tables.projects.Delete(a.t.Context(), last, last.CreatedAt.Add(time.Minute)))
	for _, at := range []time.Time{a.begin, a.begin.Add(20 * time.Hour), a.begin.Add(24 * time.Hour)} {
		for _, p := range []analytics.Segment{
			a.segment(analytics.AccessLog, "0123456789abcdef", at), a.segment(analytics.AccessLog, large, at),
			a.segment(analytics.ModelLog, "0123456789abcdef", at),
		} {
			_, err := a.recorder.Record(a.t.Context(), p)
			a.must(err)
		}
		pull := pulls.Pull{At: at, Kind: pulls.Chart, Repository: "app", Reference: "1.0.0", CredentialID: "c", OwnerID: "o"}
		image, byDigest := pull, pull
		image.Kind, byDigest.Kind, byDigest.Reference, byDigest.Digest = pulls.Image, pulls.Image, "sha256:0", "sha256:0"
		check := image
		check.IsCheck, check.Client = true, "Renovate"
		_, err := a.pulls.Record(a.t.Context(), []pulls.Pull{pull, image, byDigest, check})
		a.must(err)
		_, err = a.pulls.CountPending(a.t.Context())
		a.must(err)
	}
}

func (a *analyticsStack) day(n int) string { return a.begin.AddDate(0, 0, n).Format(time.DateOnly) }

// counted returns the items of the analytics table that have metrics, without their versions and zeros.
func (a *analyticsStack) counted() map[string]items.Map {
	a.t.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(a.t, a.client, a.names.analytics) {
		maps.DeleteFunc(item, func(name string, value types.AttributeValue) bool {
			number, isNumber := value.(*types.AttributeValueMemberN)
			return name == "version" || name == "pullsWindow" || isNumber && number.Value == "0"
		})
		if slices.ContainsFunc(slices.Collect(maps.Values(item)), isNumber) {
			found[liststest.Text(item, "pk")+" "+liststest.Text(item, "sk")] = item
		}
	}
	return found
}

func isNumber(value types.AttributeValue) bool {
	_, ok := value.(*types.AttributeValueMemberN)
	return ok
}

// set sets an attribute of an item in the analytics table. It creates the item if necessary.
func (a *analyticsStack) set(pk, sk, name string, value types.AttributeValue) {
	a.t.Helper()
	_, err := a.client.UpdateItem(a.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &a.names.analytics, Key: items.Key(pk, sk), UpdateExpression: aws.String("SET #name = :value"),
		ExpressionAttributeNames: map[string]string{"#name": name}, ExpressionAttributeValues: items.Map{":value": value},
	})
	a.must(err)
}

func (a *analyticsStack) deleteAnalyticsItem(pk, sk string) {
	a.t.Helper()
	a.deleteItem(a.names.analytics, pk, sk)
}

// reconcile runs the command for the days that fill fills and for some days before them.
func (a *analyticsStack) reconcile(more ...string) outcome {
	a.t.Helper()
	return a.run(append([]string{"reconcile", "--from", a.day(-3)}, more...)...)
}

func TestReconcileFixesEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	intact := a.counted()
	a.expect(a.reconcile(), 0, "users and projects")
	for name, c := range map[string]struct {
		damage func()
		want   string
	}{
		"counts of a day missing":     {func() { a.deleteAnalyticsItem("counts", a.day(0)) }, "counts    project:active"},
		"counts of a day wrong":       {func() { a.set("counts", a.day(0), "projects", items.Number(77)) }, "77               3"},
		"additional counter":          {func() { a.set("counts", a.day(0), "x", items.Number(5)) }, "counts    x"},
		"counter not a number":        {func() { a.set("counts", a.day(0), "projects", items.Text("3")) }, "counts    projects"},
		"counter with a fraction":     {func() { a.set("counts", a.day(0), "projects", half()) }, "counts    damaged item"},
		"counts of an additional day": {func() { a.set("counts", "2020-02-29", "users", items.Number(1)) }, "2020-02-29  counts    users"},
		"sum missing":                 {func() { a.deleteAnalyticsItem("counts", "total") }, "total       counts    users"},
		"sum wrong":                   {func() { a.set("counts", "total", "users", items.Number(0)) }, "total       counts    users"},
		"requests missing":            {func() { a.deleteAnalyticsItem("requests", a.day(0)) }, "requests  calls from 20:00"},
		"requests wrong":              {func() { a.set("requests", a.day(0), "errors", items.Number(1)) }, "requests  errors"},
		"hours damaged":               {func() { a.set("requests", a.day(1), "hours", items.Bytes([]byte{0x80})) }, "requests  damaged item"},
		"latencies wrong":             {func() { a.set("requests", a.day(1), "latency", items.Bytes([]byte{1, 1})) }, "requests  took 000001 to 000001 ms"},
		"requests on an empty day":    {func() { a.set("requests", a.day(-2), "calls", items.Number(9)) }, "requests  calls"},
		"span too short":              {func() { a.set("requests", a.day(0), "span", items.Number(9)) }, "requests  span"},
		"usage missing":               {func() { a.deleteAnalyticsItem("usage", a.day(0)) }, "models    microUSD"},
		"tokens wrong":                {func() { a.set("usage", a.day(1), "inputTokens", items.Number(9)) }, "models    inputTokens"},
		"tokens not a number":         {func() { a.set("usage", a.day(1), "inputTokens", items.Text("x")) }, "models    damaged item"},
		"models on an empty day":      {func() { a.set("usage", a.day(-1), "modelCalls", items.Number(9)) }, "models    modelCalls"},
		"pulls wrong":                 {func() { a.set("usage", a.day(0), "images", items.Number(9)) }, "pulls     images"},
		"pulls on an empty day":       {func() { a.set("usage", a.day(-3), "charts", items.Number(9)) }, "pulls     charts"},
		"checks wrong":                {func() { a.set("usage", a.day(0), "checks", items.Number(9)) }, "pulls     checks"},
		"everything missing":          {a.deleteAllSums, "pulls     images"},
	} {
		c.damage()
		if name == "everything missing" {
			a.expect(a.reconcile(), 1, "numbers differ: `.local/bin/portside reconcile --fix`")
		}
		got := a.expect(a.reconcile("--fix"), 0, "")
		if !strings.Contains(got.stdout, c.want) || !strings.Contains(got.stdout, "numbers corrected") {
			t.Errorf("%s: the output lacks %q:\n%s", name, c.want, got.stdout)
		}
		if got := a.expect(a.reconcile(), 0, ""); got.stdout != "0 numbers differ, 0 days of the log cannot be counted again\n" {
			t.Errorf("%s: second run: got the output %s", name, got.stdout)
		}
		if diff := cmp.Diff(intact, a.counted(), compareValues()); diff != "" {
			t.Fatalf("%s: %s", name, diff)
		}
	}
}

func half() types.AttributeValue { return &types.AttributeValueMemberN{Value: "0.5"} }

func compareValues() cmp.Option {
	return cmp.Comparer(func(a, b types.AttributeValue) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) })
}

// deleteAllSums deletes all metrics, but not the markers of counted segments.
func (a *analyticsStack) deleteAllSums() {
	a.t.Helper()
	for _, item := range liststest.Scan(a.t, a.client, a.names.analytics) {
		if pk := liststest.Text(item, "pk"); pk == "counts" || pk == "requests" || pk == "usage" {
			a.deleteAnalyticsItem(pk, liststest.Text(item, "sk"))
		}
	}
}

// putIntoArchive archives a segment without counting it.
func (a *analyticsStack) putIntoArchive(s analytics.Segment) {
	a.t.Helper()
	data, err := analytics.EncodeLines(s.Lines)
	a.must(err)
	a.must(a.archive.Put(a.t.Context(), s.Name(), data))
}

// Reconcile counts lines that were archived but never counted, unless another segment contains them.
func TestReconcileFixesUncountedLines(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	before := liststest.Number(a.counted()["requests "+a.day(0)], "calls")
	uncounted := a.segment(analytics.AccessLog, "0123456789abcdef", a.begin.Add(20*time.Minute)) // the first twenty lines are counted
	a.putIntoArchive(uncounted)
	longer := uncounted
	longer.Lines = slices.Concat(uncounted.Lines, a.segment(analytics.AccessLog, uncounted.Stream, a.begin.Add(3*time.Hour)).Lines)
	a.putIntoArchive(longer)
	alone := a.segment(analytics.ModelLog, "00000000000000aa", a.begin)
	a.putIntoArchive(alone)

	got := a.expect(a.reconcile(), 1, "2 numbers differ")
	if !strings.Contains(got.stdout, fmt.Sprintf("%-26s  %14d  %14d\n", "uncounted lines", 0, 60)) {
		t.Error(got.stdout)
	}
	a.expect(a.reconcile("--fix"), 0, "")
	a.expect(a.reconcile(), 0, "")
	if calls := liststest.Number(a.counted()["requests "+a.day(0)], "calls"); calls != before+59 { // one line cannot be parsed
		t.Errorf("got %d calls, had %d before", calls, before)
	}
}

// A day with missing segments is reported and stays unchanged.
func TestReconcileReportsDaysItCannotCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(a *analyticsStack, key string)
		want   string
	}{
		"one missing": {func(a *analyticsStack, key string) {
			_, err := a.s3.DeleteObject(a.t.Context(), &s3.DeleteObjectInput{Bucket: &a.bucket, Key: &key})
			a.must(err)
		}, "the segment is missing"},
		"all missing": {func(a *analyticsStack, _ string) {
			for _, item := range liststest.Scan(a.t, a.client, a.names.analytics) {
				if pk := liststest.Text(item, "pk"); pk == "batches#requests#"+a.day(0) {
					a.deleteAnalyticsItem(pk, liststest.Text(item, "sk"))
				}
			}
		}, "4 of 4 segments of the log are missing"},
		"one marker damaged": {func(a *analyticsStack, _ string) {
			small := a.segment(analytics.AccessLog, "0123456789abcdef", a.begin).Name()
			a.set("batches#requests#"+a.day(0), small.Stream+"#"+small.SortKey(), "data", items.Bytes([]byte("x")))
		}, "the segment is damaged"},
		"one damaged": {func(a *analyticsStack, key string) {
			_, err := a.s3.PutObject(a.t.Context(), &s3.PutObjectInput{Bucket: &a.bucket, Key: &key, Body: strings.NewReader("x")})
			a.must(err)
		}, "the segment is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnalyticsStack(t)
			a.fill()
			c.damage(a, a.segment(analytics.AccessLog, large, a.begin).Name().String()+".gz")
			intact := a.counted()
			a.set("usage", a.day(0), "images", items.Number(9))
			for _, more := range [][]string{nil, {"--fix"}, nil} {
				got := a.expect(a.reconcile(more...), 1, "requests of "+a.day(0)+" stay unchanged: ")
				if !strings.Contains(got.stderr, c.want) {
					t.Errorf("stderr lacks %q: %s", c.want, got.stderr)
				}
			}
			if diff := cmp.Diff(intact, a.counted(), compareValues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The log lines of long ago are deleted, so that the days are not gaps but keep their metrics.
func TestReconcileLeavesDaysWhoseLogsAreDeleted(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	last := calendar.DayOf(a.now().Add(-analytics.Retention)) // the last day of which lines can be missing
	for i, exit := range map[calendar.Day]int{0: 0, 1: 1} {
		day := (last + i).String()
		a.set("requests", day, "parts", items.Number(3))
		a.expect(a.run("reconcile", "--from", day, "--to", day), exit, "")
	}
}

func TestReconcileRejectsInvalidUsage(t *testing.T) {
	t.Parallel()
	bare := newTestStack(t)
	bare.expect(bare.run("reconcile"), 2, "PULLS_TABLE")
	a := newAnalyticsStack(t)
	a.expect(a.run("reconcile", "--from", "2026-02-30"), 2, "is not a day")
	a.expect(a.run("reconcile", "--from", a.day(1), "--to", a.day(0)), 2, "--from must not be after --to")
	a.expect(a.run("reconcile", "x"), 2, "unexpected argument")
	a.expect(a.run("reconcile", "--from", "2020-01-01", "--to", "2020-01-02"), 0,
		"are not compared, because the logs are kept for 400 days")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.expect(a.runWith(stopped, nil, "reconcile", "--local", a.dir), 130, "stopped; run the command again")
}
