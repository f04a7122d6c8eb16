package chaos

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/seals"
	"portside/shared/seals/sealsdynamo"
	"portside/shared/seals/sealss3"
	"portside/shared/testkit/awstest"
)

// sealRuns is the number of runs of the schedule, one an hour around midnight.
const sealRuns = 6

// sealWorld has an audit log with an event in every second hour.
type sealWorld struct {
	client  *dynamodb.Client
	table   string
	objects seals.Objects
	mu      sync.Mutex
	hour    int
}

func newSealWorld(tb testing.TB) world {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	w := &sealWorld{client: client, table: awstest.Table(tb, client, "AuditTable"), objects: sealss3.New(newBucket(tb))}
	for hour := 0; hour < sealRuns; hour += 2 {
		at := func() time.Time { return timeOfRun(hour).Add(-50 * time.Minute) }
		writes := auditlog.New(w.table, at).Write(tb.Context(), audit.Change{Action: audit.UserCreated})
		if _, err := client.TransactWriteItems(tb.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes}); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

func timeOfRun(hour int) time.Time {
	return midnight.Add(time.Duration(hour-sealRuns/2)*time.Hour + 25*time.Minute)
}

// now advances the clock to the hour of an event. A late event does not turn it back.
func (w *sealWorld) now(hour int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hour = max(w.hour, hour)
	return timeOfRun(w.hour)
}

func (w *sealWorld) deliver(ctx context.Context, events []int, p *process) error {
	table, now := sealsdynamo.New(untilKilled(w.client, p), w.table), w.now(slices.Max(events))
	_, err := seals.Sealer{
		Events: table, Record: table, Objects: killableObjects{w.objects, p}, Now: func() time.Time { return now },
		Settled: auditlog.Settled, Days: 1,
	}.Seal(ctx)
	return err
}

// state seals in the hour after the last event, and returns what the verification finds.
func (w *sealWorld) state(ctx context.Context) (string, error) {
	if err := w.deliver(ctx, []int{sealRuns}, &process{}); err != nil {
		return "", err
	}
	table := sealsdynamo.New(w.client, w.table)
	verifier := seals.Verifier{
		Events: table, Record: table, Objects: w.objects, Now: func() time.Time { return timeOfRun(sealRuns) }, Days: auditlog.Days,
	}
	report, err := verifier.Verify(ctx, seals.Verification{})
	return fmt.Sprintf("%s to %s, %d objects, %d events, %v", report.First, report.Last, report.Objects, report.Events, report.Finding), err
}

// killableObjects are the objects of a process that may be killed.
type killableObjects struct {
	seals.Objects
	process *process
}

func (o killableObjects) Create(ctx context.Context, key string, content []byte) error {
	takesEffect, isAnswered := o.process.call()
	if !takesEffect {
		return errKilled
	}
	err := o.Objects.Create(ctx, key, content)
	if !isAnswered {
		return errKilled
	}
	return err
}

func (o killableObjects) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	if _, isAnswered := o.process.call(); !isAnswered {
		return nil, errKilled
	}
	return o.Objects.Open(ctx, key)
}

func (o killableObjects) Keys(ctx context.Context) iter.Seq2[string, error] {
	if _, isAnswered := o.process.call(); !isAnswered {
		return func(yield func(string, error) bool) { yield("", errKilled) }
	}
	return o.Objects.Keys(ctx)
}

func TestSealAudit(t *testing.T) {
	checkPermutations(t, consumer{name: "SealAudit", events: sealRuns, workers: fewWorkers, start: newSealWorld})
}
