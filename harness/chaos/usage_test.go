package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/testkit/awstest"
)

const usageEvents = 10

// usageWorld has the table and the bucket of CountUsage.
type usageWorld struct {
	client  *dynamodb.Client
	table   string
	archive analytics.Archive
}

func newUsageWorld(tb testing.TB) world {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return usageWorld{client, awstest.Table(tb, client, "AnalyticsTable"), analyticss3.NewArchive(newBucket(tb))}
}

// killableArchive is the archive of a process that may be killed.
type killableArchive struct {
	analytics.Archive
	process *process
}

func (a killableArchive) Put(ctx context.Context, name analytics.SegmentName, lines []analytics.LogLine) error {
	takesEffect, isAnswered := a.process.call()
	if takesEffect {
		if err := a.Archive.Put(ctx, name, lines); isAnswered {
			return err
		}
	}
	return errKilled
}

func (a killableArchive) Get(ctx context.Context, name analytics.SegmentName) ([]analytics.LogLine, error) {
	if _, isAnswered := a.process.call(); !isAnswered {
		return nil, errKilled
	}
	return a.Archive.Get(ctx, name)
}

// usageLine returns a line of the access log around midnight. Some lines have the same millisecond, and one is damaged.
func usageLine(i int) loglines.Event {
	at := midnight.Add(time.Duration(i/2-2) * 700 * time.Millisecond)
	message := fmt.Sprintf(`{"requestId":"r%d","time":"%d","ip":"203.0.113.9","method":"GET","route":"ANY /v1/users","status":"%d",`+
		`"latencyMs":"%d","responseBytes":"512","path":"/v1/users"}`, i, at.UnixMilli(), 200+100*(i%4), 10*i)
	if i == 7 {
		message = message[:20]
	}
	return loglines.Event{ID: fmt.Sprintf("%056d", i), LoggedAt: at, Message: message}
}

func (w usageWorld) deliver(ctx context.Context, events []int, p *process) error {
	store := analyticsdynamo.New(untilKilled(w.client, p), w.table)
	counter := analytics.Ingester{
		Groups: analytics.LogGroups{Access: "access"}, Recorder: analyticsdynamo.NewRecorder(store, killableArchive{w.archive, p}),
		Now: func() time.Time { return midnight.AddDate(30, 0, 0) },
	}
	batch := loglines.Batch{Group: "access", Stream: "one"}
	for _, i := range events {
		batch.Events = append(batch.Events, usageLine(i))
	}
	_, err := counter.Ingest(ctx, batch)
	return err
}

func (w usageWorld) state(ctx context.Context) (string, error) {
	store, today := analyticsdynamo.New(w.client, w.table), calendar.DayOf(midnight)
	requests, err := store.Requests(ctx, today-1, today)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{requests[today-1], requests[today]})
	return string(text), err
}

func TestCountUsage(t *testing.T) {
	checkPermutations(t, consumer{name: "CountUsage", events: usageEvents, workers: fewWorkers, start: newUsageWorld})
}
