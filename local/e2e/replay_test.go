package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
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
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/engines"
	"portside/local/stack"
	"portside/local/template"
)

// TestFailedLinesAreReplayedOnce deletes the tables of the counts and pulls while requests and pulls are made. The functions fail, their
// batches go to the bucket, and replay-logs counts each line once. Then the function counts an object of Firehose.
func TestFailedLinesAreReplayedOnce(t *testing.T) {
	p := newTestStack(t)
	p.startWith(t, stack.Options{RateLimit: noRateLimit(), RetryDelays: []time.Duration{time.Millisecond}})
	puller := p.preparePull(t)
	await(t, "earlier requests to be counted", func() bool {
		return p.countedRequests(t)["calls"] == int64(len(servedRequest.FindAllString(p.log.String(), -1)))
	})
	p.deleteTable(t, "AnalyticsTable")
	p.deleteTable(t, "PullsTable")
	p.deleteTable(t, "PullsTable")
	const requests, pulled = 50, 7
	for range requests - pulled {
		p.anonymous(t).Get("/v1/health").WantStatus(http.StatusOK)
	}
	for i := range pulled {
		puller.With("User-Agent", fmt.Sprint("client/", i)).Get("/charts/buoy-1.0.0.tgz").WantStatus(http.StatusFound)
	}
	await(t, "all lines to fail", func() bool {
		return p.failedLines("CountUsageFunction") >= requests && p.failedLines("RecordPullsFunction") >= pulled
	})
	p.createTables(t)
	operator := filepath.Join(t.TempDir(), "portside")
	p.runCommand(t, "go", "-C", repository, "build", "-o", operator, "./cmd/portside")
	want := fmt.Sprintf("in all: %d lines, %d new, 0 counted before, 0 that cannot be counted\n", requests+pulled, requests+pulled)
	if got := p.runCommand(t, operator, "replay-logs", "--local", p.data); !strings.HasSuffix(got, want) {
		t.Errorf("replay-logs printed %s, want %s", got, want)
	}
	if got := p.runCommand(t, operator, "replay-logs", "--local", p.data); !strings.HasPrefix(got, "in all: 0 lines") {
		t.Errorf("replay-logs printed %s after all batches were counted", got)
	}
	if got := p.countedRequests(t); got["calls"] != requests || got["unread"] != 0 {
		t.Errorf("counted %v, want %d requests", got, requests)
	}
	p.collect(t, "requests/2026/11/22/lines.gz", 9)
	await(t, "the lines of the object to be counted", func() bool { return p.countedRequests(t)["calls"] == requests+9 })
	if got := p.admin(t).Get("/api/v1/pulls?repository=buoy&limit=100").WantStatus(http.StatusOK).List("data"); len(got) != pulled {
		t.Errorf("%d pulls, want %d", len(got), pulled)
	}
}

// servedRequest matches the line that the stack prints for each request.
var servedRequest = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3}  \d{3}  [A-Z]+ `)

// preparePull publishes the chart buoy 1.0.0 and returns a client that may pull it.
func (p *testStack) preparePull(t *testing.T) client {
	t.Helper()
	_, err := p.s3Client().PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(p.info.Buckets["ChartsBucket"]), Key: aws.String("charts/buoy-1.0.0.tgz"), Body: bytes.NewReader(smallChart(t)),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, key := p.createUser(t, "customer@example.com", "manager")
	token := p.anonymous(t).as(key).Post("/api/v1/tokens", `{"name":"e2e","scopes":["read:helm-charts"],"expiration_days":1}`).
		WantStatus(http.StatusCreated).Text("data.token")
	puller := p.anonymous(t).With("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("any:"+token)))
	await(t, "the chart to be listed", func() bool {
		return strings.Contains(string(puller.Get("/charts/index.yaml").WantStatus(http.StatusOK).Body), "buoy-1.0.0.tgz")
	})
	return puller
}

// collect writes lines of the access log into an object, as Firehose does.
func (p *testStack) collect(t *testing.T, key string, lines int) {
	t.Helper()
	var entries []map[string]any
	for i := range lines {
		entries = append(entries, map[string]any{
			"id": fmt.Sprint(i), "timestamp": now().UnixMilli(), "message": `{"method":"GET","path":"/v1/health","status":"200","latencyMs":"7"}`,
		})
	}
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	err := json.NewEncoder(compressor).Encode(map[string]any{
		"messageType": "DATA_MESSAGE", "logGroup": p.info.Outputs["AccessLogGroup"], "logStream": "collected", "logEvents": entries,
	})
	if err == nil {
		err = compressor.Close()
	}
	if err == nil {
		_, err = p.s3Client().PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: aws.String(p.info.Buckets["LogsBucket"]), Key: &key, Body: bytes.NewReader(out.Bytes()),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func smallChart(t *testing.T) []byte {
	t.Helper()
	const definition = "apiVersion: v2\nname: buoy\nversion: 1.0.0\n"
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressor)
	err := archive.WriteHeader(&tar.Header{Name: "buoy/Chart.yaml", Mode: 0o644, Size: int64(len(definition))})
	if err == nil {
		_, err = archive.Write([]byte(definition))
	}
	if err == nil {
		err = archive.Close()
	}
	if err == nil {
		err = compressor.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// failedLines returns how many log lines were in the batches of a function that went to the bucket.
func (p *testStack) failedLines(function string) (lines int) {
	failed := regexp.MustCompile(function + ` failed 3 times on (\d+) lines of \S+ the event is in s3://`)
	for _, match := range failed.FindAllStringSubmatch(p.log.String(), -1) {
		n, _ := strconv.Atoi(match[1]) // only digits match
		lines += n
	}
	return lines
}

// deleteTable deletes a table. If the client repeats the call, the engine can answer that the table does not exist.
func (p *testStack) deleteTable(t *testing.T, id string) {
	t.Helper()
	db := dynamodb.New(dynamodb.Options{Region: p.info.Region, BaseEndpoint: &p.info.DynamoDB, Credentials: p.engineKeys()})
	_, err := db.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(p.info.Tables[id])})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !missing {
		t.Fatal(err)
	}
}

// createTables creates the tables that do not exist.
func (p *testStack) createTables(t *testing.T) {
	t.Helper()
	parameters := map[string]string{"ImageRepositories": "*", "CorsAllowOrigins": "*"}
	loaded, err := template.Load(filepath.Join(repository, "template.yaml"), template.Options{Parameters: parameters})
	if err == nil {
		err = engines.CreateTables(t.Context(), p.info.DynamoDB, loaded.Tables)
	}
	if err != nil {
		t.Fatal(err)
	}
}
