package main

import (
	"context"
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
	"portside/shared/dynamo/items"
	"portside/shared/projects"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// archive is an office with all that the dashboard's numbers are counted from.
type archive struct {
	*office
	s3     *s3.Client
	bucket string
	parts  analyticss3.Archive
	rec    *analyticsdynamo.Recorder
	pulls  *pullsdynamo.Store

	pullsTable string
	begin      time.Time // yesterday's midnight
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	o := newOffice(t)
	client, bucket, pullsTable := awstest.S3(t), awstest.Bucket(t), awstest.Table(t, o.client, "PullsTable")
	keys, err := client.Options().Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tables := o.tableNames()
	tables["PullsTable"] = pullsTable
	o.writeStack(localStack{
		API: "http://127.0.0.1:3999", DynamoDB: aws.ToString(o.client.Options().BaseEndpoint), Region: "us-east-1",
		S3: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
		Tables: tables, Buckets: map[string]string{"AnalyticsBucket": bucket},
	})
	parts := analyticss3.NewArchive(client, bucket)
	return &archive{
		office: o, s3: client, bucket: bucket, parts: parts,
		rec:   analyticsdynamo.NewRecorder(analyticsdynamo.New(o.client, o.names.analytics), parts),
		pulls: pullsdynamo.New(o.client, pullsTable, o.names.analytics), pullsTable: pullsTable,
		begin: o.now().Truncate(24*time.Hour).AddDate(0, 0, -1),
	}
}

func (a *archive) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// part is lines of the hour after a time, of a log and a stream.
func (a *archive) part(log analytics.Log, stream string, at time.Time) analytics.Segment {
	p := analytics.Segment{Log: log, Day: calendar.DayOf(at), Stream: stream}
	for i := range 40 {
		logged := at.Add(time.Duration(i) * time.Minute)
		line := analytics.LogLine{ID: fmt.Sprint(stream, logged.Unix()), LoggedAt: logged}
		switch {
		case i == 7: // cannot be read
		case log == analytics.AccessLog:
			line.Request = &analytics.Request{At: logged, Status: 200 + i%4*101, LatencyMillis: int64(i * i), IsMediaCall: i%9 == 0}
		default:
			line.Call = &analytics.ModelCall{At: logged, ModelUsage: analytics.ModelUsage{Calls: 1, InputTokens: 9, OutputTokens: 2, MicroUSD: 31}}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// fill lets something happen on two days.
func (a *archive) fill() {
	a.t.Helper()
	a.expect(a.run("import-users", a.write("users.csv", "email,name,role\na@example.com,A,admin\nb@example.com,B,user\n")), 0, "2 created")
	var last projects.Project
	for i, status := range projects.Statuses() {
		made, err := a.tables.projects.Create(a.t.Context(), projects.Creation{Project: projects.Project{
			ID: fmt.Sprint(i), Status: status, CreatedAt: a.begin.Add(time.Duration(i) * 9 * time.Hour),
		}})
		a.must(err)
		last = made.Project
	}
	a.must(a.tables.projects.Delete(a.t.Context(), last, last.CreatedAt.Add(time.Minute)))
	for _, at := range []time.Time{a.begin, a.begin.Add(20 * time.Hour), a.begin.Add(24 * time.Hour)} {
		for _, p := range []analytics.Segment{
			a.part(analytics.AccessLog, "0123456789abcdef", at), a.part(analytics.AccessLog, "fedcba9876543210", at),
			a.part(analytics.ModelLog, "0123456789abcdef", at),
		} {
			_, err := a.rec.Record(a.t.Context(), p)
			a.must(err)
		}
		pull := pulls.Pull{At: at, Kind: pulls.Chart, Repository: "app", Reference: "1.0.0", CredentialID: "c", OwnerID: "o"}
		image, part := pull, pull
		image.Kind, part.Kind, part.Reference, part.Digest = pulls.Image, pulls.Image, "sha256:0", "sha256:0"
		_, err := a.pulls.Record(a.t.Context(), []pulls.Pull{pull, image, part})
		a.must(err)
	}
}

func (a *archive) day(n int) string { return a.begin.AddDate(0, 0, n).Format(time.DateOnly) }

// counted are the items of the table of analytics that count anything, without what changes with every write, and without zeros.
func (a *archive) counted() map[string]items.Map {
	a.t.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(a.t, a.client, a.names.analytics) {
		maps.DeleteFunc(item, func(name string, value types.AttributeValue) bool {
			number, is := value.(*types.AttributeValueMemberN)
			return name == "version" || is && number.Value == "0"
		})
		if slices.ContainsFunc(slices.Collect(maps.Values(item)), isNumber) {
			found[liststest.Text(item, "pk")+" "+liststest.Text(item, "sk")] = item
		}
	}
	return found
}

func isNumber(value types.AttributeValue) bool {
	_, is := value.(*types.AttributeValueMemberN)
	return is
}

// set changes an attribute of an item of the table of analytics, which need not exist.
func (a *archive) set(pk, sk, name string, value types.AttributeValue) {
	a.t.Helper()
	_, err := a.client.UpdateItem(a.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &a.names.analytics, Key: items.Key(pk, sk), UpdateExpression: aws.String("SET #name = :value"),
		ExpressionAttributeNames: map[string]string{"#name": name}, ExpressionAttributeValues: items.Map{":value": value},
	})
	a.must(err)
}

func (a *archive) unset(pk, sk string) { a.t.Helper(); a.drop(a.names.analytics, pk, sk) }

// reconcile compares the days that are filled, and some before.
func (a *archive) reconcile(more ...string) outcome {
	a.t.Helper()
	return a.run(append([]string{"reconcile", "--from", a.day(-3)}, more...)...)
}

func TestReconcileMendsEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	sound := a.counted()
	a.expect(a.reconcile(), 0, "users and projects")
	for name, c := range map[string]struct {
		damage func()
		says   string
	}{
		"counts of a day missing":   {func() { a.unset("counts", a.day(0)) }, "counts    project:active"},
		"counts of a day wrong":     {func() { a.set("counts", a.day(0), "projects", items.Number(77)) }, "77               3"},
		"a counter too many":        {func() { a.set("counts", a.day(0), "x", items.Number(5)) }, "counts    x"},
		"a counter no number":       {func() { a.set("counts", a.day(0), "projects", items.Text("3")) }, "counts    projects"},
		"a counter of halves":       {func() { a.set("counts", a.day(0), "projects", half()) }, "counts    damaged item"},
		"counts of a day too many":  {func() { a.set("counts", "2020-02-29", "users", items.Number(1)) }, "2020-02-29  counts    users"},
		"sum missing":               {func() { a.unset("counts", "total") }, "total       counts    users"},
		"sum wrong":                 {func() { a.set("counts", "total", "users", items.Number(0)) }, "total       counts    users"},
		"requests missing":          {func() { a.unset("requests", a.day(0)) }, "requests  calls from 20:00"},
		"requests wrong":            {func() { a.set("requests", a.day(0), "errors", items.Number(1)) }, "requests  errors"},
		"hours damaged":             {func() { a.set("requests", a.day(1), "hours", items.Bytes([]byte{0x80})) }, "requests  damaged item"},
		"latencies wrong":           {func() { a.set("requests", a.day(1), "latency", items.Bytes([]byte{1, 1})) }, "requests  took 000001 to 000001 ms"},
		"requests of a day of none": {func() { a.set("requests", a.day(-2), "calls", items.Number(9)) }, "requests  calls"},
		"span too short":            {func() { a.set("requests", a.day(0), "span", items.Number(9)) }, "requests  span"},
		"usage missing":             {func() { a.unset("usage", a.day(0)) }, "models    microUSD"},
		"tokens wrong":              {func() { a.set("usage", a.day(1), "inputTokens", items.Number(9)) }, "models    inputTokens"},
		"tokens no number":          {func() { a.set("usage", a.day(1), "inputTokens", items.Text("x")) }, "models    damaged item"},
		"models of a day of none":   {func() { a.set("usage", a.day(-1), "modelCalls", items.Number(9)) }, "models    modelCalls"},
		"pulls wrong":               {func() { a.set("usage", a.day(0), "images", items.Number(9)) }, "pulls     images"},
		"pulls of a day of none":    {func() { a.set("usage", a.day(-3), "charts", items.Number(9)) }, "pulls     charts"},
		"everything missing":        {a.unsetAll, "pulls     images"},
	} {
		c.damage()
		if got := a.expect(a.reconcile(), 1, "numbers differ: `.local/bin/portside reconcile --fix`"); !strings.Contains(got.stdout, c.says) {
			t.Errorf("%s: it says nothing of %q:\n%s", name, c.says, got.stdout)
		}
		if got := a.expect(a.reconcile("--fix"), 0, ""); !strings.Contains(got.stdout, "numbers put right") {
			t.Errorf("%s: it says %s", name, got.stdout)
		}
		if got := a.expect(a.reconcile(), 0, ""); got.stdout != "0 numbers that differ, 0 days of the log that cannot be counted again\n" {
			t.Errorf("%s: a second run says %s", name, got.stdout)
		}
		if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
			t.Fatalf("%s: %s", name, diff)
		}
	}
}

func half() types.AttributeValue { return &types.AttributeValueMemberN{Value: "0.5"} }

func compareValues() cmp.Option {
	return cmp.Comparer(func(a, b types.AttributeValue) bool { return fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) })
}

// unsetAll takes away every sum, but no marker.
func (a *archive) unsetAll() {
	a.t.Helper()
	for _, item := range liststest.Scan(a.t, a.client, a.names.analytics) {
		if pk := liststest.Text(item, "pk"); pk == "counts" || pk == "requests" || pk == "usage" {
			a.unset(pk, liststest.Text(item, "sk"))
		}
	}
}

// Lines that somebody kept and did not come to count are counted, as far as others have not.
func TestReconcileCountsWhatNobodyCounted(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.fill()
	before := liststest.Number(a.counted()["requests "+a.day(0)], "calls")
	loose := a.part(analytics.AccessLog, "0123456789abcdef", a.begin.Add(20*time.Minute)) // the first twenty are known
	a.must(a.parts.Put(t.Context(), loose.Name(), loose.Lines))
	longer := loose
	longer.Lines = slices.Concat(loose.Lines, a.part(analytics.AccessLog, loose.Stream, a.begin.Add(3*time.Hour)).Lines)
	a.must(a.parts.Put(t.Context(), longer.Name(), longer.Lines))
	alone := a.part(analytics.ModelLog, "00000000000000aa", a.begin)
	a.must(a.parts.Put(t.Context(), alone.Name(), alone.Lines))

	got := a.expect(a.reconcile(), 1, "2 numbers differ")
	if !strings.Contains(got.stdout, fmt.Sprintf("%-26s  %14d  %14d\n", "uncounted lines", 0, 60)) {
		t.Error(got.stdout)
	}
	a.expect(a.reconcile("--fix"), 0, "")
	a.expect(a.reconcile(), 0, "")
	if calls := liststest.Number(a.counted()["requests "+a.day(0)], "calls"); calls != before+59 { // one cannot be read
		t.Errorf("%d calls, %d before", calls, before)
	}
}

// A day of which parts are missing is told and left alone.
func TestReconcileLeavesWhatItCannotCount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage func(a *archive, key string)
		says   string
	}{
		"one missing": {func(a *archive, key string) {
			_, err := a.s3.DeleteObject(a.t.Context(), &s3.DeleteObjectInput{Bucket: &a.bucket, Key: &key})
			a.must(err)
		}, "the segment is missing"},
		"all missing": {func(a *archive, key string) {
			folder := key[:len("requests/2026-11-21")]
			all, err := a.s3.ListObjectsV2(a.t.Context(), &s3.ListObjectsV2Input{Bucket: &a.bucket, Prefix: &folder})
			a.must(err)
			for _, object := range all.Contents {
				_, err := a.s3.DeleteObject(a.t.Context(), &s3.DeleteObjectInput{Bucket: &a.bucket, Key: object.Key})
				a.must(err)
			}
		}, "4 of 4 segments of the log are missing"},
		"one damaged": {func(a *archive, key string) {
			_, err := a.s3.PutObject(a.t.Context(), &s3.PutObjectInput{Bucket: &a.bucket, Key: &key, Body: strings.NewReader("x")})
			a.must(err)
		}, "the segment is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newArchive(t)
			a.fill()
			sound := a.counted()
			c.damage(a, a.part(analytics.AccessLog, "fedcba9876543210", a.begin).Name().String()+".gz")
			a.set("usage", a.day(0), "images", items.Number(9))
			for _, more := range [][]string{nil, {"--fix"}, nil} {
				got := a.expect(a.reconcile(more...), 1, "requests of "+a.day(0)+" are left as they are: ")
				if !strings.Contains(got.stderr, c.says) {
					t.Errorf("it says nothing of %q: %s", c.says, got.stderr)
				}
			}
			if diff := cmp.Diff(sound, a.counted(), compareValues()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReconcileThatCannotBe(t *testing.T) {
	t.Parallel()
	bare := newOffice(t)
	bare.expect(bare.run("reconcile"), 2, "PULLS_TABLE")
	a := newArchive(t)
	a.expect(a.run("reconcile", "--from", "2026-02-30"), 2, "is not a day")
	a.expect(a.run("reconcile", "--from", a.day(1), "--to", a.day(0)), 2, "--from must not be after --to")
	a.expect(a.run("reconcile", "x"), 2, "not expected here")
	a.expect(a.run("reconcile", "--from", "2020-01-01", "--to", "2020-01-02"), 0, "are not compared: their log is kept for 400 days")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.expect(a.runWith(stopped, nil, "reconcile", "--local", a.dir), 1, "stopped; run it again")
}
