package operations

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/e2e/e2etest"
	"portside/local/engines"
	"portside/local/stack"
	"portside/local/template"
)

// TestFailedLinesAreReplayedOnce deletes the tables of the counts and pulls while requests and pulls are made. The
// functions fail, their batches go to the bucket, and replay-logs counts each line once. Then the function counts an
// object of Firehose.
func TestFailedLinesAreReplayedOnce(t *testing.T) {
	p := e2etest.StartWith(t, stack.Options{RetryDelays: []time.Duration{time.Millisecond}})
	puller := preparePull(t, p)
	e2etest.Await(t, "earlier requests to be counted", func() bool {
		return countedRequests(t, p)["calls"] == int64(len(servedRequest.FindAllString(p.Log.String(), -1)))
	})
	deleteTable(t, p, "AnalyticsTable")
	deleteTable(t, p, "PullsTable")
	deleteTable(t, p, "PullsTable")
	const requests, pulled = 50, 7
	for range requests - pulled {
		p.Anonymous(t).Get("/v1/health").WantStatus(http.StatusOK)
	}
	for i := range pulled {
		puller.With("User-Agent", fmt.Sprint("client/", i)).Get("/charts/buoy-1.0.0.tgz").WantStatus(http.StatusFound)
	}
	e2etest.Await(t, "all lines to fail", func() bool {
		return failedLines(p, "CountUsageFunction") >= requests && failedLines(p, "RecordPullsFunction") >= pulled
	})
	createTables(t, p)
	want := fmt.Sprintf("in all: %d lines, %d new, 0 counted before, 0 that cannot be counted\n", requests+pulled,
		requests+pulled)
	if got := p.Operator.Run(t, "replay-logs"); !strings.HasSuffix(got, want) {
		t.Errorf("replay-logs printed %s, want %s", got, want)
	}
	if got := p.Operator.Run(t, "replay-logs"); !strings.HasPrefix(got, "in all: 0 lines") {
		t.Errorf("replay-logs printed %s after all batches were counted", got)
	}
	if got := countedRequests(t, p); got["calls"] != requests || got["unread"] != 0 {
		t.Errorf("counted %v, want %d requests", got, requests)
	}
	collect(t, p, "requests/2026/11/22/lines.gz", 9)
	e2etest.Await(t, "the lines of the object to be counted", func() bool { return countedRequests(t, p)["calls"] == requests+9 })
	if got := p.Admin(t).Get("/api/v1/pulls?repository=buoy&limit=100").WantStatus(http.StatusOK).List("data"); len(got) != pulled {
		t.Errorf("%d pulls, want %d", len(got), pulled)
	}
}

// servedRequest matches the line that the stack prints for each request.
var servedRequest = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3}  \d{3}  [A-Z]+ `)

// preparePull publishes the chart buoy 1.0.0 and returns a client that may pull it.
func preparePull(t *testing.T, p *e2etest.Stack) e2etest.Client {
	t.Helper()
	chart := e2etest.PackChart(t, "buoy/Chart.yaml", "apiVersion: v2\nname: buoy\nversion: 1.0.0\n")
	p.Operator.PutObject(t, "ChartsBucket", "charts/buoy-1.0.0.tgz", chart)
	_, key := p.Users.Create(t, "customer", "manager")
	token := p.As(t, key).Post("/api/v1/tokens", `{"name":"e2e","scopes":["read:helm-charts"],"expiration_days":1}`).
		WantStatus(http.StatusCreated).Text("data.token")
	puller := p.WithLogin(t, e2etest.Login{User: "any", Password: token})
	e2etest.Await(t, "the chart to be listed", func() bool {
		return strings.Contains(string(puller.Get("/charts/index.yaml").WantStatus(http.StatusOK).Body), "buoy-1.0.0.tgz")
	})
	return puller
}

// collect writes lines of the access log into an object, as Firehose does.
func collect(t *testing.T, p *e2etest.Stack, key string, lines int) {
	t.Helper()
	var entries []map[string]any
	for i := range lines {
		entries = append(entries, map[string]any{
			"id": fmt.Sprint(i), "timestamp": e2etest.Now().UnixMilli(), "message": `{"method":"GET","path":"/v1/health","status":"200","latencyMs":"7"}`,
		})
	}
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	err := json.NewEncoder(compressor).Encode(map[string]any{
		"messageType": "DATA_MESSAGE", "logGroup": p.Info.Outputs["AccessLogGroup"], "logStream": "collected",
		"logEvents": entries,
	})
	if err == nil {
		err = compressor.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Operator.PutObject(t, "LogsBucket", key, out.String())
}

// failedLines returns how many log lines were in the batches of a function that went to the bucket.
func failedLines(p *e2etest.Stack, function string) (lines int) {
	failed := regexp.MustCompile(function + ` failed 3 times on (\d+) lines of \S+ the event is in s3://`)
	for _, match := range failed.FindAllStringSubmatch(p.Log.String(), -1) {
		n, _ := strconv.Atoi(match[1]) // only digits match
		lines += n
	}
	return lines
}

// deleteTable deletes a table. If the client repeats the call, the engine can answer that the table does not exist.
func deleteTable(t *testing.T, p *e2etest.Stack, id string) {
	t.Helper()
	_, err := p.Operator.DynamoDB().DeleteTable(t.Context(),
		&dynamodb.DeleteTableInput{TableName: aws.String(p.Info.Tables[id])})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !missing {
		t.Fatal(err)
	}
}

// createTables creates the tables that do not exist.
func createTables(t *testing.T, p *e2etest.Stack) {
	t.Helper()
	parameters := map[string]string{"ImageRepositories": "*", "CorsAllowOrigins": "*"}
	loaded, err := template.Load(filepath.Join(e2etest.Repository, "template.yaml"), template.Options{Parameters: parameters})
	if err == nil {
		err = engines.CreateTables(t.Context(), p.Info.DynamoDB, loaded.Tables)
	}
	if err != nil {
		t.Fatal(err)
	}
}
