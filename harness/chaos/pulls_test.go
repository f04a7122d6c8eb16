package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// pullEvents is the number of logged pulls. Larger event numbers are runs of the schedule of CountPulls.
const pullEvents = 8

// pullWorld has the tables of RecordPulls and CountPulls.
type pullWorld struct {
	client           *dynamodb.Client
	pulls, analytics string
}

func newPullWorld(tb testing.TB) world {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return pullWorld{client, awstest.Table(tb, client, "PullsTable"), awstest.Table(tb, client, "AnalyticsTable")}
}

// pullLine returns the log line of a pull around midnight. Lines 6 and 7 repeat the pulls of lines 0 and 1.
func pullLine(i int) loglines.Event {
	n := i % 6
	at := midnight.Add(time.Duration(n-3) * 4 * time.Second)
	kind := pulls.Image
	if n%2 == 0 {
		kind = pulls.Chart
	}
	return loglines.Event{ID: fmt.Sprintf("%056d", i), LoggedAt: at, Message: fmt.Sprintf(
		`{"msg":"pull","pull":{"at":%q,"kind":%q,"repository":"acme/api","reference":"%d","credential":"c%d","owner":"ada"}}`,
		at.Format(pulls.Stamp), kind, n, n%2)}
}

func (w pullWorld) deliver(ctx context.Context, events []int, p *process) error {
	store := pullsdynamo.New(untilKilled(w.client, p), w.pulls, w.analytics)
	var batch loglines.Batch
	for _, i := range events {
		if i < pullEvents {
			batch.Events = append(batch.Events, pullLine(i))
		}
	}
	if len(batch.Events) > 0 {
		if _, err := pulls.Ingest(ctx, store, batch); err != nil {
			return err
		}
	}
	if len(batch.Events) < len(events) {
		_, err := store.CountPending(ctx)
		return err
	}
	return nil
}

// state counts the pending pulls first, as the schedule does within a minute.
func (w pullWorld) state(ctx context.Context) (string, error) {
	store, today := pullsdynamo.New(w.client, w.pulls, w.analytics), calendar.DayOf(midnight)
	if _, err := store.CountPending(ctx); err != nil {
		return "", err
	}
	page, _, err := store.Page(ctx, pulls.Range{From: midnight.AddDate(0, 0, -1), To: midnight.AddDate(0, 0, 1), Limit: 100})
	if err != nil {
		return "", err
	}
	used, err := analyticsdynamo.New(w.client, w.analytics).Usage(ctx, today-1, today)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{page, used[today-1], used[today]})
	for _, day := range []calendar.Day{today - 1, today} {
		wrong, compareErr := store.CompareCounts(ctx, day)
		if err != nil || compareErr != nil {
			return "", fmt.Errorf("compare: %w, %w", err, compareErr)
		}
		text = fmt.Appendf(text, " corrections: %v", wrong)
	}
	return string(text), err
}

// untilKilled returns the client of a process that may be killed.
func untilKilled(client *dynamodb.Client, p *process) *dynamodb.Client {
	return awstest.Faulty(client, func(string, int) error {
		takesEffect, isAnswered := p.call()
		switch {
		case isAnswered:
			return nil
		case takesEffect:
			return awstest.Lost(errKilled)
		}
		return errKilled
	})
}

// TestPulls mixes the records of pulls with runs of the schedule that counts them, so it permutes the events of both functions.
func TestPulls(t *testing.T) {
	checkPermutations(t, consumer{name: "RecordPulls and CountPulls", events: pullEvents + 4, workers: manyWorkers, start: newPullWorld})
}
