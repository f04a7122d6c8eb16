package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

// storageRuns is the number of runs of the schedule, one an hour around midnight.
const storageRuns = 6

// storageWorld has the table of MeasureStorage and a bucket that does not change.
type storageWorld struct {
	client *dynamodb.Client
	table  string
	sizer  analytics.BucketSizer
	mu     sync.Mutex
	hour   int
}

// newStorageWorlds returns the start of worlds with one bucket.
func newStorageWorlds(t *testing.T) func(testing.TB) world {
	t.Helper()
	objects, bucket := newBucket(t)
	key := "object"
	_, err := objects.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: strings.NewReader("seven b")})
	if err != nil {
		t.Fatal(err)
	}
	return func(tb testing.TB) world {
		tb.Helper()
		client := awstest.DynamoDB(tb)
		table := awstest.Table(tb, client, "AnalyticsTable")
		return &storageWorld{client: client, table: table, sizer: analyticss3.NewBucketSizer(objects, bucket)}
	}
}

// now advances the clock to the hour of an event. A late event does not turn it back.
func (w *storageWorld) now(hour int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hour = max(w.hour, hour)
	return midnight.Add(time.Duration(w.hour-storageRuns/2) * time.Hour)
}

func (w *storageWorld) deliver(ctx context.Context, events []int, p *process) error {
	store, now := analyticsdynamo.New(untilKilled(w.client, p), w.table), w.now(slices.Max(events))
	_, err := analytics.StorageMeasurer{
		Charts: w.sizer, Media: w.sizer, Walk: store.StorageWalk(), Store: store, Now: func() time.Time { return now },
	}.Measure(ctx)
	return err
}

// state measures in the hour after the last event, and returns the size of that day. The day before may have no size, if all of its runs
// were killed. Otherwise its size must be the same, because the bucket does not change.
func (w *storageWorld) state(ctx context.Context) (string, error) {
	if err := w.deliver(ctx, []int{storageRuns}, &process{}); err != nil {
		return "", err
	}
	today := calendar.DayOf(midnight)
	used, err := analyticsdynamo.New(w.client, w.table).Usage(ctx, today-1, today)
	if err != nil || used[today] == nil || used[today].Storage == nil {
		return "no size", err
	}
	if before := used[today-1]; before != nil && before.Storage != nil && *before.Storage != *used[today].Storage {
		return fmt.Sprintf("the day before has %+v", *before.Storage), nil
	}
	return fmt.Sprintf("%+v", *used[today].Storage), nil
}

func TestMeasureStorage(t *testing.T) {
	checkPermutations(t, consumer{name: "MeasureStorage", events: storageRuns, workers: fewWorkers, start: newStorageWorlds(t)})
}
