package chaos

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/harness/invariants"
	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/testkit/awstest"
)

// maxChartBytes is the limit of an archive.
const maxChartBytes = 1 << 20

// chartChange publishes the file of a version with a note as its description, or deletes the file if the note is empty. S3 sends an event
// for each change.
type chartChange struct{ version, note string }

var chartChanges = []chartChange{
	{"1.0.0", "first"},
	{"1.1.0", "first"},
	{"1.0.0", ""},
	{"2.0.0", "damaged"},
	{"1.0.0", "first"}, // with the same content, because the indexer refuses a version that it has seen with another one
	{"2.0.0", "repaired"},
	{"1.1.0", ""},
}

func (c chartChange) key() string { return charts.PublishedPrefix + "app-" + c.version + ".tgz" }

// chartWorld has the bucket of IndexCharts and the number of changes that the vendor has made.
type chartWorld struct {
	client  *s3.Client
	name    string
	bucket  charts.Bucket
	mu      sync.Mutex
	changed int
}

func newChartWorld(tb testing.TB) world {
	tb.Helper()
	client, name := newBucket(tb)
	w := &chartWorld{client: client, name: name}
	w.bucket = chartss3.NewBucket(w.client, w.name)
	return w
}

// deliver first makes the changes up to the last event, because S3 sends an event after its change.
func (w *chartWorld) deliver(ctx context.Context, events []int, p *process) error {
	if err := w.changeTo(ctx, slices.Max(events)); err != nil {
		return err
	}
	indexer := charts.NewIndexer(charts.Parts{
		Bucket: killableBucket{w.bucket, p}, Inspector: chartshelm.New(maxChartBytes), MaxBytes: maxChartBytes, Now: awstest.RealTime,
	})
	var problems []error
	for _, i := range events {
		_, err := indexer.Sync(ctx, chartChanges[i].key())
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func (w *chartWorld) changeTo(ctx context.Context, last int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ; w.changed <= last; w.changed++ {
		if err := w.change(ctx, chartChanges[w.changed]); err != nil {
			return err
		}
	}
	return nil
}

func (w *chartWorld) change(ctx context.Context, c chartChange) error {
	key := c.key()
	if c.note == "" {
		_, err := w.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.name, Key: &key})
		return err
	}
	packed, err := packChart(c)
	if err != nil {
		return err
	}
	if c.note == "damaged" {
		packed = packed[:len(packed)/2]
	}
	return w.bucket.Put(ctx, key, packed, charts.Anything)
}

func packChart(c chartChange) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	text := "apiVersion: v2\nname: app\nversion: " + c.version + "\ndescription: " + c.note + "\n"
	err := out.WriteHeader(&tar.Header{Name: "app/Chart.yaml", Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg})
	if err != nil {
		return nil, err
	}
	_, err = out.Write([]byte(text))
	err = errors.Join(err, out.Close(), zip.Close()) // closing writes the last bytes
	return packed.Bytes(), err
}

var chartTimes = regexp.MustCompile(`(created|generated)"?: ?"?[0-9TZ:.+-]+"?`)

// state is the index without its times, and the published files. It leaves out rejected files and the archives of charts that are no
// longer listed, because these depend on when the indexer saw them.
func (w *chartWorld) state(ctx context.Context) (string, error) {
	index, err := w.bucket.Get(ctx, charts.IndexKey, maxChartBytes)
	if err != nil {
		return "", err
	}
	found, err := w.bucket.List(ctx, charts.PublishedPrefix)
	var text strings.Builder
	text.WriteString(chartTimes.ReplaceAllString(string(index.Body), "$1"))
	for _, object := range found {
		fmt.Fprintf(&text, "\n%s %s", object.Key, object.Version)
	}
	if err != nil {
		return "", err
	}
	broken, err := invariants.CheckObjects(ctx, w.client, invariants.Buckets{Charts: w.name}, awstest.RealTime())
	return text.String() + "\n" + strings.Join(broken, "\n"), err
}

// killableBucket is the bucket of a process that may be killed.
type killableBucket struct {
	charts.Bucket
	process *process
}

func (b killableBucket) do(call func() error) error {
	takesEffect, isAnswered := b.process.call()
	if takesEffect {
		if err := call(); isAnswered {
			return err
		}
	}
	return errKilled
}

func (b killableBucket) Get(ctx context.Context, key string, limit int64) (object charts.Object, err error) {
	err = b.do(func() error { object, err = b.Bucket.Get(ctx, key, limit); return err })
	return object, err
}

func (b killableBucket) Put(ctx context.Context, key string, body []byte, over string) error {
	return b.do(func() error { return b.Bucket.Put(ctx, key, body, over) })
}

func (b killableBucket) Copy(ctx context.Context, from charts.Object, to string) error {
	return b.do(func() error { return b.Bucket.Copy(ctx, from, to) })
}

func (b killableBucket) Delete(ctx context.Context, object charts.Object) error {
	return b.do(func() error { return b.Bucket.Delete(ctx, object) })
}

func (b killableBucket) List(ctx context.Context, prefix string) (all []charts.Object, err error) {
	err = b.do(func() error { all, err = b.Bucket.List(ctx, prefix); return err })
	return all, err
}

func TestIndexCharts(t *testing.T) {
	checkPermutations(t, consumer{name: "IndexCharts", events: len(chartChanges), workers: fewWorkers, start: newChartWorld})
}
