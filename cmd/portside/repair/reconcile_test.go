package repair

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

	"portside/cmd/portside/portsidetest"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/liststest"
)

// counted returns the items of the analytics table that have metrics, without their versions and zeros.
func (a *analyticsStack) counted() map[string]items.Map {
	a.T.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(a.T, a.Client, a.Names.Analytics) {
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
	a.T.Helper()
	_, err := a.Client.UpdateItem(a.T.Context(), &dynamodb.UpdateItemInput{
		TableName: &a.Names.Analytics, Key: items.Key(pk, sk), UpdateExpression: aws.String("SET #name = :value"),
		ExpressionAttributeNames: map[string]string{"#name": name}, ExpressionAttributeValues: items.Map{":value": value},
	})
	a.Must(err)
}

func (a *analyticsStack) deleteAnalyticsItem(pk, sk string) {
	a.T.Helper()
	a.DeleteItem(a.Names.Analytics, pk, sk)
}

// reconcile runs the command for the days that fill fills and for some days before them.
func (a *analyticsStack) reconcile(more ...string) portsidetest.Outcome {
	a.T.Helper()
	return a.Run(append([]string{"reconcile", "--from", a.Day(-3)}, more...)...)
}

func TestReconcileFixesEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	intact := a.counted()
	a.Expect(a.reconcile(), 0, "users and projects")
	for name, c := range map[string]struct {
		damage func()
		want   string
	}{
		"counts of a day missing":     {func() { a.deleteAnalyticsItem("counts", a.Day(0)) }, "counts    project:active"},
		"counts of a day wrong":       {func() { a.set("counts", a.Day(0), "projects", items.Number(77)) }, "77               3"},
		"additional counter":          {func() { a.set("counts", a.Day(0), "x", items.Number(5)) }, "counts    x"},
		"counter not a number":        {func() { a.set("counts", a.Day(0), "projects", items.Text("3")) }, "counts    projects"},
		"counter with a fraction":     {func() { a.set("counts", a.Day(0), "projects", half()) }, "counts    damaged item"},
		"counts of an additional day": {func() { a.set("counts", "2020-02-29", "users", items.Number(1)) }, "2020-02-29  counts    users"},
		"sum missing":                 {func() { a.deleteAnalyticsItem("counts", "total") }, "total       counts    users"},
		"sum wrong":                   {func() { a.set("counts", "total", "users", items.Number(0)) }, "total       counts    users"},
		"requests missing":            {func() { a.deleteAnalyticsItem("requests", a.Day(0)) }, "requests  calls from 20:00"},
		"requests wrong":              {func() { a.set("requests", a.Day(0), "errors", items.Number(1)) }, "requests  errors"},
		"hours damaged":               {func() { a.set("requests", a.Day(1), "hours", items.Bytes([]byte{0x80})) }, "requests  damaged item"},
		"latencies wrong":             {func() { a.set("requests", a.Day(1), "latency", items.Bytes([]byte{1, 1})) }, "requests  took 000001 to 000001 ms"},
		"requests on an empty day":    {func() { a.set("requests", a.Day(-2), "calls", items.Number(9)) }, "requests  calls"},
		"span too short":              {func() { a.set("requests", a.Day(0), "span", items.Number(9)) }, "requests  span"},
		"usage missing":               {func() { a.deleteAnalyticsItem("usage", a.Day(0)) }, "models    microUSD"},
		"tokens wrong":                {func() { a.set("usage", a.Day(1), "inputTokens", items.Number(9)) }, "models    inputTokens"},
		"tokens not a number":         {func() { a.set("usage", a.Day(1), "inputTokens", items.Text("x")) }, "models    damaged item"},
		"models on an empty day":      {func() { a.set("usage", a.Day(-1), "modelCalls", items.Number(9)) }, "models    modelCalls"},
		"pulls wrong":                 {func() { a.set("usage", a.Day(0), "images", items.Number(9)) }, "pulls     images"},
		"pulls on an empty day":       {func() { a.set("usage", a.Day(-3), "charts", items.Number(9)) }, "pulls     charts"},
		"checks wrong":                {func() { a.set("usage", a.Day(0), "checks", items.Number(9)) }, "pulls     checks"},
		"everything missing":          {a.deleteAllSums, "pulls     images"},
	} {
		c.damage()
		if name == "everything missing" {
			a.Expect(a.reconcile(), 1, "numbers differ: `.local/bin/portside reconcile --fix`")
		}
		got := a.Expect(a.reconcile("--fix"), 0, "")
		if !strings.Contains(got.Stdout, c.want) || !strings.Contains(got.Stdout, "numbers corrected") {
			t.Errorf("%s: the output lacks %q:\n%s", name, c.want, got.Stdout)
		}
		if got := a.Expect(a.reconcile(), 0, ""); got.Stdout != "0 numbers differ, 0 days of the log cannot be counted again\n" {
			t.Errorf("%s: second run: got the output %s", name, got.Stdout)
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
	a.T.Helper()
	for _, item := range liststest.Scan(a.T, a.Client, a.Names.Analytics) {
		if pk := liststest.Text(item, "pk"); pk == "counts" || pk == "requests" || pk == "usage" {
			a.deleteAnalyticsItem(pk, liststest.Text(item, "sk"))
		}
	}
}

// putIntoArchive archives a segment without counting it.
func (a *analyticsStack) putIntoArchive(s logs.Segment) {
	a.T.Helper()
	data, err := logs.EncodeLines(s.Lines)
	a.Must(err)
	a.Must(a.Archive.Put(a.T.Context(), s.Name(), data))
}

// Reconcile counts lines that were archived but never counted, unless another segment contains them.
func TestReconcileFixesUncountedLines(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	before := liststest.Number(a.counted()["requests "+a.Day(0)], "calls")
	uncounted := a.Segment(logs.AccessLog, "0123456789abcdef", a.Begin.Add(20*time.Minute)) // the first twenty lines are counted
	a.putIntoArchive(uncounted)
	longer := uncounted
	longer.Lines = slices.Concat(uncounted.Lines, a.Segment(logs.AccessLog, uncounted.Stream, a.Begin.Add(3*time.Hour)).Lines)
	a.putIntoArchive(longer)
	alone := a.Segment(logs.ModelLog, "00000000000000aa", a.Begin)
	a.putIntoArchive(alone)

	got := a.Expect(a.reconcile(), 1, "2 numbers differ")
	if !strings.Contains(got.Stdout, fmt.Sprintf("%-26s  %14d  %14d\n", "uncounted lines", 0, 60)) {
		t.Error(got.Stdout)
	}
	a.Expect(a.reconcile("--fix"), 0, "")
	a.Expect(a.reconcile(), 0, "")
	if calls := liststest.Number(a.counted()["requests "+a.Day(0)], "calls"); calls != before+59 { // one line cannot be parsed
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
			_, err := a.S3.DeleteObject(a.T.Context(), &s3.DeleteObjectInput{Bucket: &a.Bucket, Key: &key})
			a.Must(err)
		}, "the segment is missing"},
		"all missing": {func(a *analyticsStack, _ string) {
			for _, item := range liststest.Scan(a.T, a.Client, a.Names.Analytics) {
				if pk := liststest.Text(item, "pk"); pk == "batches#requests#"+a.Day(0) {
					a.deleteAnalyticsItem(pk, liststest.Text(item, "sk"))
				}
			}
		}, "4 of 4 segments of the log are missing"},
		"one marker damaged": {func(a *analyticsStack, _ string) {
			small := a.Segment(logs.AccessLog, "0123456789abcdef", a.Begin).Name()
			a.set("batches#requests#"+a.Day(0), small.Stream+"#"+small.SortKey(), "data", items.Bytes([]byte("x")))
		}, "the segment is damaged"},
		"one damaged": {func(a *analyticsStack, key string) {
			_, err := a.S3.PutObject(a.T.Context(), &s3.PutObjectInput{Bucket: &a.Bucket, Key: &key, Body: strings.NewReader("x")})
			a.Must(err)
		}, "the segment is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnalyticsStack(t)
			a.Fill()
			c.damage(a, a.Segment(logs.AccessLog, portsidetest.LargeStream, a.Begin).Name().String()+".gz")
			intact := a.counted()
			a.set("usage", a.Day(0), "images", items.Number(9))
			for _, more := range [][]string{nil, {"--fix"}, nil} {
				got := a.Expect(a.reconcile(more...), 1, "requests of "+a.Day(0)+" stay unchanged: ")
				if !strings.Contains(got.Stderr, c.want) {
					t.Errorf("stderr lacks %q: %s", c.want, got.Stderr)
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
	last := calendar.DayOf(a.Now().Add(-logs.Retention)) // the last day of which lines can be missing
	for i, exit := range map[calendar.Day]int{0: 0, 1: 1} {
		day := (last + i).String()
		a.set("requests", day, "parts", items.Number(3))
		a.Expect(a.Run("reconcile", "--from", day, "--to", day), exit, "")
	}
}

func TestReconcileRejectsInvalidUsage(t *testing.T) {
	t.Parallel()
	bare := newTestStack(t)
	bare.Expect(bare.Run("reconcile"), 2, "PULLS_TABLE")
	a := newAnalyticsStack(t)
	a.Expect(a.Run("reconcile", "--from", "2026-02-30"), 2, "is not a day")
	a.Expect(a.Run("reconcile", "--from", a.Day(1), "--to", a.Day(0)), 2, "--from must not be after --to")
	a.Expect(a.Run("reconcile", "x"), 2, "unexpected argument")
	a.Expect(a.Run("reconcile", "--from", "2020-01-01", "--to", "2020-01-02"), 0,
		"are not compared, because the logs are kept for 400 days")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.Expect(a.RunWith(stopped, nil, "reconcile", "--local", a.Dir), 130, "stopped; run the command again")
}
