package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/lambda/logevents"
	"portside/shared/testkit/awstest"
)

var (
	midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	from     = logs.Groups{Access: "portside-ApiAccessLogs", Models: []string{"portside-MediaLogs", "portside-RunMediaJobsLogs"}}
)

// later is a clock that is ahead of every time in the tests' logs, and at which all of them still count.
func later() time.Time { return midnight.AddDate(0, 0, 300) }

// counting returns the production code around a recorder.
func counting(recorder logs.Recorder) logs.Ingester {
	return logs.Ingester{Groups: from, Recorder: recorder, Now: later}
}

// handle returns the function's handler for events of a subscription.
func handle(count func(context.Context, loglines.Batch) error) func(context.Context, events.CloudwatchLogsEvent) error {
	handler := logevents.Handler(nil, count)
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		return handler(ctx, logevents.Event{AWSLogs: event.AWSLogs})
	}
}

// engines are the real engines that the function writes to.
type engines struct {
	client  *dynamodb.Client
	table   string
	archive analyticss3.Archive
	bucket  string
}

func newEngines(tb testing.TB) engines {
	tb.Helper()
	client, bucket := awstest.DynamoDB(tb), awstest.Bucket(tb)
	return engines{
		client: client, table: awstest.Table(tb, client, "AnalyticsTable"),
		archive: analyticss3.NewArchive(awstest.S3(tb), bucket), bucket: bucket,
	}
}

func (e engines) store() *analyticsdynamo.Store { return analyticsdynamo.New(e.client, e.table) }

func (e engines) recorder() *analyticsdynamo.Recorder {
	return analyticsdynamo.NewRecorder(e.store(), e.archive)
}

// sums are the stored numbers by day.
type sums struct {
	Requests map[calendar.Day]*analytics.RequestStats
	Usage    map[calendar.Day]*analytics.Usage
}

func (e engines) sums(tb testing.TB) sums {
	tb.Helper()
	first, last := calendar.DayOf(midnight)-10, calendar.DayOf(midnight)+10
	requests, err := e.store().Requests(tb.Context(), first, last)
	if err != nil {
		tb.Fatal(err)
	}
	usage, err := e.store().Usage(tb.Context(), first, last)
	if err != nil {
		tb.Fatal(err)
	}
	return sums{requests, usage}
}

func compressedEvent(tb testing.TB, data any) events.CloudwatchLogsEvent {
	tb.Helper()
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	if err := json.NewEncoder(compressor).Encode(data); err != nil {
		tb.Fatal(err)
	}
	if err := compressor.Close(); err != nil {
		tb.Fatal(err)
	}
	return events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: base64.StdEncoding.EncodeToString(out.Bytes())}}
}

// delivery returns an event as CloudWatch Logs sends it.
func delivery(tb testing.TB, group, stream string, lines ...events.CloudwatchLogsLogEvent) events.CloudwatchLogsEvent {
	tb.Helper()
	return compressedEvent(tb, events.CloudwatchLogsData{
		MessageType: "DATA_MESSAGE", Owner: "123456789012", LogGroup: group, LogStream: stream, LogEvents: lines,
	})
}

// entry returns a log line with an ID and the time when it was logged.
func entry(id string, logged time.Time, message string) events.CloudwatchLogsLogEvent {
	return events.CloudwatchLogsLogEvent{ID: id, Timestamp: logged.UnixMilli(), Message: message}
}

// access returns a line of the access log with its time in milliseconds. The request is a method and, after a space, a
// route.
func access(at time.Time, request string, status int, latency int64) string {
	return accessAt(fmt.Sprint(at.UnixMilli()), request, status, latency)
}

func accessAt(epoch, request string, status int, latency int64) string {
	method, route, _ := strings.Cut(request, " ")
	return fmt.Sprintf(`{"requestId":"WSg1ihmdliAEJXA=","time":%q,"ip":"203.0.113.9","method":%q,"route":%q,"status":"%d",`+
		`"latencyMs":"%s","responseBytes":"512","path":%q}`, epoch, method, route, status, strconv.FormatInt(latency, 10),
		strings.TrimPrefix(strings.Replace(route, "{proxy+}", "compare/media", 1), "ANY "))
}

// simple returns an access log line of an ordinary request.
func simple(id string, at time.Time) events.CloudwatchLogsLogEvent {
	return entry(id, at, access(at, "GET ANY /v1/users", 200, 12))
}

// call returns a log line of a media function about a model call.
func call(at time.Time, status int, m analytics.ModelUsage) string {
	return fmt.Sprintf(`{"time":%q,"level":"INFO","msg":"model call","engine":"openai","model":"m","endpoint":"completions",`+
		`"inputTokens":%d,"outputTokens":%d,"ms":12,"status":%d,"attempt":1,"microUSD":%d}`,
		at.Format(time.RFC3339Nano), m.InputTokens, m.OutputTokens, status, m.MicroUSD)
}
