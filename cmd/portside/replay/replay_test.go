package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/cmd/portside/portsidetest"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/lambda/logevents"
	"portside/shared/pulls"
	"portside/shared/testkit/awstest"
)

// replayStack is an analyticsStack with a bucket of failed batches.
type replayStack struct {
	*portsidetest.Analytics
	bucket string
}

func newReplayStack(t *testing.T) *replayStack {
	t.Helper()
	a := portsidetest.NewAnalytics(t, Commands())
	stack := installation.LocalStack{}
	a.Must(json.Unmarshal([]byte(a.Read("stack.json")), &stack))
	bucket := awstest.Bucket(t)
	stack.Outputs = map[string]string{
		"AccessLogGroup": "access", "ModelLogGroups": "media,jobs", "PullLogGroups": "charts,images", "FailedBatchesBucket": bucket,
	}
	a.WriteStack(stack)
	return &replayStack{a, bucket}
}

func (s *replayStack) put(key string, content []byte) {
	s.T.Helper()
	_, err := s.S3.PutObject(s.T.Context(), &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(content)})
	s.Must(err)
}

// fail stores an event as Lambda does after the last attempt.
func (s *replayStack) fail(name string, payload any) (key string) {
	s.T.Helper()
	content, err := json.Marshal(map[string]any{
		"version": "1.0", "requestContext": map[string]any{"condition": "RetriesExhausted"}, "requestPayload": payload,
	})
	s.Must(err)
	key = failedPrefix + name
	s.put(key, content)
	return key
}

func (s *replayStack) keys() (keys []string) {
	s.T.Helper()
	page, err := s.S3.ListObjectsV2(s.T.Context(), &s3.ListObjectsV2Input{Bucket: &s.bucket})
	s.Must(err)
	for _, object := range page.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}

func (s *replayStack) compress(data any) []byte {
	s.T.Helper()
	var out bytes.Buffer
	compressor := gzip.NewWriter(&out)
	s.Must(json.NewEncoder(compressor).Encode(data))
	s.Must(compressor.Close())
	return out.Bytes()
}

func (s *replayStack) batch(data events.CloudwatchLogsData) logevents.Event {
	return logevents.Event{AWSLogs: events.CloudwatchLogsRawData{Data: base64.StdEncoding.EncodeToString(s.compress(data))}}
}

// requests returns lines of the access log, the first with a number.
func (s *replayStack) requests(first, count int) events.CloudwatchLogsData {
	data := events.CloudwatchLogsData{MessageType: "DATA_MESSAGE", LogGroup: "access", LogStream: "s"}
	for i := range count {
		at := s.Begin.Add(time.Duration(first+i) * time.Second)
		data.LogEvents = append(data.LogEvents, events.CloudwatchLogsLogEvent{
			ID: fmt.Sprintf("%056d", first+i), Timestamp: at.UnixMilli(),
			Message: fmt.Sprintf(`{"time":"%d","method":"GET","path":"/v1/users","status":"200","latencyMs":"7"}`, at.Unix()),
		})
	}
	return data
}

// pulled returns lines about pulls of images.
func (s *replayStack) pulled(count int) events.CloudwatchLogsData {
	data := events.CloudwatchLogsData{MessageType: "DATA_MESSAGE", LogGroup: "images", LogStream: "s"}
	for i := range count {
		at := s.Begin.Add(time.Duration(i) * time.Minute)
		data.LogEvents = append(data.LogEvents, events.CloudwatchLogsLogEvent{
			ID: fmt.Sprint(i), Timestamp: at.UnixMilli(),
			Message: fmt.Sprintf(`{"msg":"pull","pull":{"at":%q,"kind":"image","repository":"app","reference":"1","credential":"c","owner":"o"}}`,
				at.Format(pulls.Stamp)),
		})
	}
	return data
}

// checkCounts compares the stored numbers of the first day.
func (s *replayStack) checkCounts(requests, images int64) {
	s.T.Helper()
	day := calendar.DayOf(s.Begin)
	_, err := s.Pulls.CountPending(s.T.Context()) // as CountPullsFunction does
	s.Must(err)
	stats, err := s.open().Analytics.Requests(s.T.Context(), day, day)
	s.Must(err)
	usage, err := s.open().Analytics.Usage(s.T.Context(), day, day)
	s.Must(err)
	var gotRequests, gotImages int64
	if stats[day] != nil {
		gotRequests = stats[day].Calls
	}
	if usage[day] != nil {
		gotImages = usage[day].Images
	}
	if gotRequests != requests || gotImages != images {
		s.T.Errorf("%d requests and %d images, want %d and %d", gotRequests, gotImages, requests, images)
	}
}

// replay runs the command, and fails the test unless it succeeds and prints the text.
func (s *replayStack) replay(want string) portsidetest.Outcome {
	s.T.Helper()
	got := s.Run("replay-logs")
	if got.Code != operator.ExitDone || got.Stderr != "" || !strings.Contains(got.Stdout, want) {
		s.T.Errorf("%+v, want the output %q", got, want)
	}
	return got
}

func (s *replayStack) process() operator.Process {
	return operator.Process{
		Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Now: s.Now, Lookup: func(string) (string, bool) { return "", false },
	}
}

func (s *replayStack) open() *installation.AnalyticsTables {
	s.T.Helper()
	opened, err := (&installation.Target{Local: s.Dir}).OpenAnalytics(s.T.Context(), s.process())
	s.Must(err)
	return opened
}

func (s *replayStack) counter() *lineCounter {
	s.T.Helper()
	counter, err := newLineCounter(s.open(), s.process())
	s.Must(err)
	return counter
}

// The batches overlap each other and lines that the function has counted. One names an object of Firehose.
func TestReplayCountsFailedBatchesOnce(t *testing.T) {
	s := newReplayStack(t)
	function := logs.Ingester{Groups: logs.Groups{Access: "access"}, Recorder: s.Recorder, Now: s.Now}
	delivered, err := logevents.Unpack(events.CloudwatchLogsEvent{AWSLogs: s.batch(s.requests(0, 4)).AWSLogs})
	s.Must(err)
	_, err = function.Ingest(t.Context(), delivered)
	s.Must(err)

	s.fail("CountUsage/1", s.batch(s.requests(2, 8)))
	s.fail("CountUsage/2", s.batch(s.requests(5, 10)))
	s.put("requests/x.gz", s.compress(s.requests(12, 8)))
	s.fail("CountUsage/3", logevents.Event{Records: []events.S3EventRecord{{
		S3: events.S3Entity{Bucket: events.S3Bucket{Name: s.bucket}, Object: events.S3Object{Key: "requests/x.gz"}},
	}}})
	s.fail("RecordPulls/1", s.batch(s.pulled(3)))
	got := s.replay("RecordPulls/1: 3 lines, 3 new, 0 counted before, 0 that cannot be counted\n" +
		"in all: 29 lines, 19 new, 10 counted before, 0 that cannot be counted\n")
	if !strings.HasPrefix(got.Stdout, failedPrefix+"CountUsage/1: 8 lines, 6 new, 2 counted before") {
		t.Errorf("%s", got.Stdout)
	}
	s.checkCounts(20, 3)
	if keys := s.keys(); !slices.Equal(keys, []string{"requests/x.gz"}) {
		t.Errorf("the bucket has %q", keys)
	}
	s.replay("in all: 0 lines")
}

// A batch that cannot be counted stays, and later batches are counted.
func TestReplayKeepsUncountableBatches(t *testing.T) {
	s := newReplayStack(t)
	foreign := s.requests(0, 1)
	foreign.LogGroup = "users"
	half := s.requests(0, 2)
	half.LogEvents[1].Message = "half a li"
	left := []string{
		s.fail("A/1", s.batch(foreign)), s.fail("A/2", logevents.Event{}), s.fail("A/3", nil),
		s.fail("A/4", logevents.Event{Records: []events.S3EventRecord{{
			S3: events.S3Entity{Bucket: events.S3Bucket{Name: s.bucket}, Object: events.S3Object{Key: "requests/gone.gz"}},
		}}}),
	}
	s.put(failedPrefix+"A/5", []byte("secret"))
	s.fail("B/1", s.batch(half))
	left = append(left, failedPrefix+"A/5")
	for range 2 {
		got := s.Run("replay-logs")
		if got.Code != operator.ExitFailed || strings.Count(got.Stderr, "left: ") != len(left) ||
			!strings.Contains(got.Stderr, "5 batches are left") ||
			strings.Contains(got.Stderr+got.Stdout, "secret") {
			t.Errorf("%+v", got)
		}
		if keys := s.keys(); !slices.Equal(keys, left) {
			t.Errorf("the bucket has %q", keys)
		}
		s.checkCounts(1, 0)
	}
}

// cancelingWriter cancels after the first line of output, like Ctrl-C at that moment.
type cancelingWriter struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (w *cancelingWriter) Write(p []byte) (int, error) {
	w.cancel()
	return w.Buffer.Write(p)
}

func TestReplayContinuesAfterInterruption(t *testing.T) {
	s := newReplayStack(t)
	for i := range 3 {
		s.fail(fmt.Sprint("CountUsage/", i), s.batch(s.requests(10*i, 10)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := s.process()
	p.Stdout = &cancelingWriter{cancel: cancel}
	err := (&job{on: &installation.Target{Local: s.Dir}}).run(ctx, p)
	if err == nil || err.Error() != "stopped; run the command again to finish" {
		t.Errorf("error %v", err)
	}
	s.checkCounts(10, 0)
	s.replay("20 new")
	s.checkCounts(30, 0)
}

// interleavingWriter calls a function at the first line of output, like a second run at that moment.
type interleavingWriter struct {
	bytes.Buffer
	then func()
}

func (w *interleavingWriter) Write(p []byte) (int, error) {
	then := w.then
	w.then = func() {}
	then()
	return w.Buffer.Write(p)
}

func TestTwoReplaysAtOnceBothSucceed(t *testing.T) {
	s := newReplayStack(t)
	for i := range 3 {
		s.fail(fmt.Sprint("CountUsage/", i), s.batch(s.requests(10*i, 10)))
	}
	p, out := s.process(), &interleavingWriter{}
	out.then = func() { s.replay("20 new, 10 counted before") }
	p.Stdout = out
	s.Must((&job{on: &installation.Target{Local: s.Dir}}).run(t.Context(), p))
	if !strings.Contains(out.String(), "in all: 10 lines, 10 new") {
		t.Errorf("%s", out.String())
	}
	s.checkCounts(30, 0)
}

// serveLogGroup answers FilterLogEvents with pages of ten lines each.
func serveLogGroup(t *testing.T, lines []events.CloudwatchLogsLogEvent) *cloudwatchlogs.Client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Group      string `json:"logGroupName"`
			Token      string `json:"nextToken"`
			Start, End int64
		}
		if json.NewDecoder(r.Body).Decode(&request) != nil || request.Group != "access" ||
			r.Header.Get("X-Amz-Target") != "Logs_20140328.FilterLogEvents" {
			http.Error(w, "not FilterLogEvents of the group", http.StatusBadRequest)
			return
		}
		from := len(request.Token)
		page := map[string]any{}
		var found []map[string]any
		for _, line := range lines[from:min(from+10, len(lines))] {
			found = append(found, map[string]any{"eventId": line.ID, "logStreamName": "s", "message": line.Message, "timestamp": line.Timestamp})
		}
		page["events"] = found
		if from+10 < len(lines) {
			page["nextToken"] = strings.Repeat("x", from+10)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		_ = json.NewEncoder(w).Encode(page)
	}))
	t.Cleanup(server.Close)
	return cloudwatchlogs.New(cloudwatchlogs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
}

func TestReplayCountsLogGroupOnce(t *testing.T) {
	s := newReplayStack(t)
	s.fail("CountUsage/1", s.batch(s.requests(5, 10)))
	s.replay("10 new")
	p, counter := s.process(), s.counter()
	lines := groupLines{client: serveLogGroup(t, s.requests(0, 25).LogEvents), group: "access", from: s.Begin, to: s.Now()}
	for range 2 {
		s.Must(lines.replay(t.Context(), p, counter))
	}
	s.checkCounts(25, 0)
	if want := (lineOutcomes{50, 15, 35, 0}); counter.total != want {
		t.Errorf("total %v, want %v", counter.total, want)
	}
	const page = "up to 2028-02-29T00:00:09Z: 10 lines, 5 new, 5 counted before, 0 that cannot be counted"
	if first, _, _ := strings.Cut(p.Stdout.(*bytes.Buffer).String(), "\n"); first != page {
		t.Errorf("%s", first)
	}
	other := groupLines{client: lines.client, group: "users"}
	if err := other.replay(t.Context(), p, counter); err == nil || !strings.Contains(err.Error(), "read the log group users") {
		t.Errorf("an error of CloudWatch Logs: %v", err)
	}
}

func TestReplayRejectsInvalidFlags(t *testing.T) {
	s := newReplayStack(t)
	for _, c := range []struct{ args, want string }{
		{"--from 2026-11-22T08:00:00Z", "--from and --to need --group"},
		{"--from yesterday", "cannot parse"},
		{"--group access --from 2026-11-22T08:00:00Z", "the local stack keeps only failed batches"},
		{"more", `unexpected argument "more"`},
	} {
		s.Expect(s.Run(append([]string{"replay-logs"}, strings.Fields(c.args)...)...), operator.ExitUsage, c.want)
	}
	for want, r := range map[string]job{
		"--group needs --from":       {group: "g"},
		"--from must be before --to": {group: "g", from: timeFlag{s.Now().Add(time.Second)}},
		"set USERS_TABLE":            {group: "g", from: timeFlag{s.Begin}},
	} {
		t.Run(want, func(t *testing.T) {
			r.on = &installation.Target{}
			if err := r.run(t.Context(), s.process()); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}
