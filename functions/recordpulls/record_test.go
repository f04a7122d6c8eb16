package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/loglines"
	"portside/shared/lambda/logevents"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func newStore(tb testing.TB) *pullsdynamo.Store {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return pullsdynamo.New(client, awstest.Table(tb, client, "PullsTable"), awstest.Table(tb, client, "AnalyticsTable"))
}

// recorded returns the stored pulls of the two days around midnight.
func recorded(tb testing.TB, store pulls.Store) []pulls.Pull {
	tb.Helper()
	found, more, err := store.Page(tb.Context(),
		pulls.Range{From: midnight.AddDate(0, 0, -1), To: midnight.AddDate(0, 0, 1), Limit: 200})
	if err != nil || more {
		tb.Fatalf("more than one page: %v, %v", more, err)
	}
	return found
}

// batch returns an event as CloudWatch Logs sends it.
func batch(tb testing.TB, lines ...string) events.CloudwatchLogsEvent {
	tb.Helper()
	data := events.CloudwatchLogsData{MessageType: "DATA_MESSAGE", LogGroup: "ImagesLogs"}
	for i, line := range lines {
		data.LogEvents = append(data.LogEvents, events.CloudwatchLogsLogEvent{ID: fmt.Sprint(i), Message: line})
	}
	text, err := json.Marshal(data)
	if err != nil {
		tb.Fatal(err)
	}
	return compress(tb, text)
}

func compress(tb testing.TB, text []byte) events.CloudwatchLogsEvent {
	tb.Helper()
	var out bytes.Buffer
	packer := gzip.NewWriter(&out)
	if _, err := packer.Write(text); err != nil {
		tb.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		tb.Fatal(err)
	}
	return carrying(out.Bytes())
}

func carrying(data []byte) events.CloudwatchLogsEvent {
	return events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: base64.StdEncoding.EncodeToString(data)}}
}

// handle returns the function's handler for events of a subscription.
func handle(count func(context.Context, loglines.Batch) error) func(context.Context, events.CloudwatchLogsEvent) error {
	handler := logevents.Handler(nil, count)
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		return handler(ctx, logevents.Event{AWSLogs: event.AWSLogs})
	}
}

func TestEvents(t *testing.T) {
	webtest.EachSampleEvent(t, "recordpulls", func(t *testing.T, golden string, payload []byte) {
		var event events.CloudwatchLogsEvent
		if err := json.Unmarshal(payload, &event); err != nil {
			t.Fatal(err)
		}
		store := newStore(t)
		for range 2 {
			if err := handle(record(store))(t.Context(), event); err != nil {
				t.Error(err)
			}
		}
		got, err := json.Marshal(append([]pulls.Pull{}, recorded(t, store)...))
		if err != nil {
			t.Fatal(err)
		}
		webtest.GoldenJSON(t, golden, got)
	})
}

// TestLoggedPullsAreListedOnce logs pulls, sends the lines to the function, and checks that each pull is listed once.
func TestLoggedPullsAreListedOnce(t *testing.T) {
	store, out := newStore(t), testkit.CaptureLogs(t)
	logs := []pulls.Pull{
		{At: midnight.Add(-time.Millisecond), Kind: pulls.Chart, Repository: "product", Reference: "1.0.0", CredentialID: "a", OwnerID: "ada"},
		{At: midnight, Kind: pulls.Image, Repository: "acme/api", Reference: "1", CredentialID: "a", OwnerID: "ada", Client: "skopeo\n/1"},
		{At: midnight.Add(time.Second), Kind: pulls.Image, Repository: "acme/api", Reference: "1", CredentialID: "a", OwnerID: "ada", Client: "skopeo/1"},
	}
	for _, p := range logs {
		pulls.Log(t.Context(), p)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	for _, given := range [][]string{lines[:2], lines, lines[1:]} {
		if err := handle(record(store))(t.Context(), batch(t, given...)); err != nil {
			t.Fatal(err)
		}
	}
	found := recorded(t, store)
	if len(found) != 2 || found[0].Client != "skopeo/1" || !found[0].At.Equal(midnight) || found[1].Kind != pulls.Chart {
		t.Errorf("stored pulls: %+v", found)
	}
}

func TestInvalidLinesAreSkipped(t *testing.T) {
	store, out := newStore(t), testkit.CaptureLogs(t)
	good := `{"msg":"pull","pull":{"at":"2026-11-21T23:59:59.999Z","kind":"chart","repository":"product","reference":"1","digest":"",` +
		`"credential":"a","owner":"ada","address":"","client":""}}`
	lines := []string{"", "no JSON", `{"msg":"pull"}`, `{"msg":"pull","pull":"secret-content"}`, good, `{"msg":"other"}`}
	err := handle(record(store))(t.Context(), batch(t, lines...))
	if err != nil || len(recorded(t, store)) != 1 {
		t.Errorf("recorded %d, %v", len(recorded(t, store)), err)
	}
	logged := out.String()
	counted := strings.Contains(logged, `"lines":6,"recorded":1,"broken":2`)
	if strings.Count(logged, "\n") != 1 || !counted || strings.Contains(logged, "secret-content") {
		t.Errorf("the function logged %s", logged)
	}
}

// TestInvalidEventsAreSkipped sends a batch with invalid log events.
func TestInvalidEventsAreSkipped(t *testing.T) {
	store, out := newStore(t), testkit.CaptureLogs(t)
	const delivered = `{"messageType":"DATA_MESSAGE","logEvents":[{"id":"1","timestamp":2,"message":["secret-content"]},` +
		`{"id":"2","timestamp":2,"message":"{\"msg\":\"pull\",\"pull\":{\"at\":\"2026-11-21T23:59:59Z\",\"kind\":\"chart\",` +
		`\"repository\":\"p\",\"reference\":\"1\",\"credential\":\"a\",\"owner\":\"b\"}}"}]}`
	if err := handle(record(store))(t.Context(), compress(t, []byte(delivered))); err != nil ||
		len(recorded(t, store)) != 1 {
		t.Errorf("recorded %d, %v", len(recorded(t, store)), err)
	}
	if logged := out.String(); !strings.Contains(logged, `"lines":2,"recorded":1,"broken":1`) ||
		strings.Contains(logged, "secret-content") {
		t.Errorf("the function logged %s", logged)
	}
}

// TestCorruptBatchIsLoggedAndNotRetried: a retry would get the same batch.
func TestCorruptBatchIsLoggedAndNotRetried(t *testing.T) {
	for name, event := range map[string]events.CloudwatchLogsEvent{
		"nothing":  {},
		"no gzip":  carrying([]byte("secret-content")),
		"no JSON":  compress(t, []byte("secret-content")),
		"no lines": compress(t, []byte(`{"messageType":"DATA_MESSAGE","logEvents":[]}`)),
	} {
		t.Run(name, func(t *testing.T) {
			out := testkit.CaptureLogs(t)
			err := handle(record(failingStore{}))(t.Context(), event)
			logged := out.String()
			if err != nil || strings.Contains(logged, "corrupt batch") != (name != "no lines") ||
				strings.Contains(logged, "secret-content") {
				t.Errorf("%s: error %v, and the function logged %q", name, err, logged)
			}
		})
	}
}

// failingStore returns an error at once. A fault of the real engine would only be reported after many retries.
type failingStore struct{}

func (failingStore) Record(context.Context, []pulls.Pull) (int, error) { return 0, errAway }

var errAway = errors.New("away")

func TestStoreErrorsFailTheInvocation(t *testing.T) {
	if err := handle(record(failingStore{}))(t.Context(), batch(t, "a line")); !errors.Is(err, errAway) {
		t.Errorf("error %v, want the store's", err)
	}
}
