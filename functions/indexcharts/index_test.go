package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// fixture is the function with the real engine and a bucket. The events are changed to name this bucket.
type fixture struct {
	tb     testing.TB
	client *s3.Client
	name   string
	bucket *chartss3.Bucket
	logs   bytes.Buffer
	handle func(context.Context, notification) error
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	q := &fixture{tb: tb, client: awstest.S3(tb), name: awstest.Bucket(tb)}
	q.bucket = chartss3.NewBucket(q.client, q.name)
	q.handle = handler(func(bucket string) syncer {
		const maxBytes = 1 << 20
		return charts.NewIndexer(charts.Parts{
			Bucket: chartss3.NewBucket(q.client, bucket), Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes,
			Now: awstest.RealTime,
		})
	})
	previous := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&q.logs, &slog.HandlerOptions{ReplaceAttr: withoutTime})))
	tb.Cleanup(func() { slog.SetDefault(previous) })
	return q
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func (q *fixture) put(key string, contents []byte) {
	q.tb.Helper()
	if err := q.bucket.Put(q.tb.Context(), key, contents, charts.Anything); err != nil {
		q.tb.Fatal(err)
	}
}

func (q *fixture) invoke(payload string) error {
	q.tb.Helper()
	var event notification
	if err := json.Unmarshal([]byte(strings.ReplaceAll(payload, "portside-charts-bucket", q.name)), &event); err != nil {
		q.tb.Fatal(err)
	}
	return q.handle(q.tb.Context(), event)
}

// state returns the log of the function and the keys in the bucket.
func (q *fixture) state(err error) []byte {
	q.tb.Helper()
	var s struct {
		Error string   `json:"error,omitempty"`
		Logs  []any    `json:"logs"`
		Keys  []string `json:"keys"`
		Files []string `json:"files"`
	}
	if err != nil {
		s.Error = err.Error()
	}
	for lines := json.NewDecoder(&q.logs); ; {
		var line any
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			q.tb.Fatal(err)
		}
		s.Logs = append(s.Logs, line)
	}
	objects, err := q.bucket.List(q.tb.Context(), "")
	if err != nil {
		q.tb.Fatal(err)
	}
	for _, o := range objects {
		s.Keys = append(s.Keys, o.Key)
	}
	s.Files = q.listed()
	text, err := json.Marshal(s)
	if err != nil {
		q.tb.Fatal(err)
	}
	return text
}

func (q *fixture) listed() []string {
	q.tb.Helper()
	object, err := q.bucket.Get(q.tb.Context(), charts.IndexKey, 1<<20)
	if errors.Is(err, charts.ErrNoObject) {
		return nil
	}
	index, decodeErr := charts.DecodeIndex(object.Body)
	if err := errors.Join(err, decodeErr); err != nil {
		q.tb.Fatal(err)
	}
	all, err := index.Files()
	if err != nil {
		q.tb.Fatal(err)
	}
	return all
}

func chart(tb testing.TB, name, version string) []byte {
	tb.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	text := "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n"
	headErr := out.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Size: int64(len(text)), Mode: 0o644,
		Typeflag: tar.TypeReg})
	_, writeErr := io.WriteString(out, text)
	if err := errors.Join(headErr, writeErr, out.Close(), zip.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}

// TestEvents sends the sample events to a bucket that has the objects of the events, and a chart that is in the index
// but was deleted.
func TestEvents(t *testing.T) {
	webtest.EachSampleEvent(t, "indexcharts", func(t *testing.T, golden string, payload []byte) {
		q := newFixture(t)
		q.prepare()
		webtest.GoldenJSON(t, golden, q.state(q.invoke(string(payload))))
	})
}

func (q *fixture) prepare() {
	q.tb.Helper()
	const gone = "charts/gone-1.0.0.tgz"
	q.put(gone, chart(q.tb, "gone", "1.0.0"))
	event := `{"Records": [{"s3": {"bucket": {"name": "portside-charts-bucket"}, "object": {"key": "` + gone + `"}}}]}`
	if err := q.invoke(event); err != nil {
		q.tb.Fatal(err)
	}
	object, err := q.bucket.Get(q.tb.Context(), gone, 0)
	if err != nil {
		q.tb.Fatal(err)
	}
	if err := q.bucket.Delete(q.tb.Context(), object); err != nil {
		q.tb.Fatal(err)
	}
	q.put("charts/app-1.0.0+build.7.tgz", chart(q.tb, "app", "1.0.0+build.7"))
	q.put("charts/app-1.0.0+build.7.tgz.prov", []byte("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n"))
	q.put("charts/read me.txt", []byte("hello"))
	q.logs.Reset()
}

func TestEventsWithoutChartsAreIgnored(t *testing.T) {
	q := newFixture(t)
	const test = `{"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "portside-charts-bucket"}`
	for _, payload := range []string{`{}`, test, `{"Records": []}`} {
		if err := q.invoke(payload); err != nil || q.logs.Len() > 0 {
			t.Errorf("%s: %v, %s", payload, err, q.logs.String())
		}
	}
}

// TestFailedKeyDoesNotStopOthers checks that an error of the bucket fails the invocation after all keys were processed.
func TestFailedKeyDoesNotStopOthers(t *testing.T) {
	q := newFixture(t)
	q.put("charts/app-1.0.0.tgz", chart(t, "app", "1.0.0"))
	err := q.invoke(`{"Records": [
		{"s3": {"bucket": {"name": "no-such-bucket"}, "object": {"key": "charts/app-1.0.0.tgz"}}},
		{"s3": {"bucket": {"name": "portside-charts-bucket"}, "object": {"key": "charts/app-1.0.0.tgz"}}}]}`)
	if err == nil || !strings.Contains(err.Error(), "no-such-bucket") {
		t.Errorf("error = %v, want one that names the bucket", err)
	}
	if got := strings.Join(q.listed(), " "); got != "app-1.0.0.tgz" {
		t.Errorf("index: %q", got)
	}
}
