package charts_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/testkit/awstest"
)

const maxBytes = 1 << 20

// files are the files of an archive by name.
type files map[string]string

// archive packs files in the order of their names, without anything that depends on the time.
func archive(tb testing.TB, contents files) []byte {
	tb.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		header := &tar.Header{Name: name, Size: int64(len(contents[name])), Mode: 0o644, Typeflag: tar.TypeReg}
		_, err := io.WriteString(headerWriter{out, header}, contents[name])
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}

// headerWriter writes a header before the contents.
type headerWriter struct {
	*tar.Writer
	header *tar.Header
}

func (h headerWriter) Write(p []byte) (int, error) {
	if err := h.WriteHeader(h.header); err != nil {
		return 0, err
	}
	return h.Writer.Write(p)
}

// chart returns a plain chart. The note makes archives of the same version differ.
func chart(tb testing.TB, name, version, note string) []byte {
	tb.Helper()
	return archive(tb, files{
		name + "/Chart.yaml":          "apiVersion: v2\nname: " + name + "\nversion: " + version + "\ndescription: " + note + "\n",
		name + "/templates/none.yaml": "# " + note + "\n",
	})
}

// fixture is an Indexer on a bucket in a real engine. Its methods publish and withdraw files as a vendor does.
type fixture struct {
	tb      testing.TB
	client  *s3.Client
	name    string
	bucket  charts.Bucket // without faults
	indexer *charts.Indexer
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	p := &fixture{tb: tb, client: awstest.S3(tb), name: awstest.Bucket(tb)}
	p.bucket = chartss3.NewBucket(p.client, p.name)
	p.indexer = p.over(p.bucket)
	return p
}

// over returns an Indexer on the given bucket, such as a wrapper that injects faults.
func (p *fixture) over(bucket charts.Bucket) *charts.Indexer {
	return charts.NewIndexer(charts.Parts{Bucket: bucket, Inspector: chartshelm.New(maxBytes), MaxBytes: maxBytes,
		Now: awstest.RealTime})
}

func (p *fixture) publish(file string, contents []byte) {
	p.tb.Helper()
	if err := p.bucket.Put(p.tb.Context(), charts.PublishedPrefix+file, contents, charts.Anything); err != nil {
		p.tb.Error(err)
	}
}

func (p *fixture) withdraw(file string) {
	p.tb.Helper()
	key := charts.PublishedPrefix + file
	if _, err := p.client.DeleteObject(p.tb.Context(), &s3.DeleteObjectInput{Bucket: &p.name, Key: &key}); err != nil {
		p.tb.Error(err)
	}
}

// sync handles an event for the file and returns the outcomes as text, such as "listed
// a-1.0.0.tgz".
func (p *fixture) sync(file string) string {
	p.tb.Helper()
	done, err := p.indexer.Sync(p.tb.Context(), charts.PublishedPrefix+file)
	if err != nil {
		p.tb.Fatalf("sync %s: %v", file, err)
	}
	return describe(done)
}

func describe(done []charts.Outcome) string {
	var said []string
	for _, o := range done {
		said = append(said, string(o.Act)+" "+o.File)
	}
	return strings.Join(said, ", ")
}

// get returns an object's content, or nil if the object does not exist.
func (p *fixture) get(key string) []byte {
	p.tb.Helper()
	object, err := p.bucket.Get(context.WithoutCancel(p.tb.Context()), key, 64<<20)
	if errors.Is(err, charts.ErrNoObject) {
		return nil
	}
	if err != nil {
		p.tb.Fatal(err)
	}
	return object.Body
}

func (p *fixture) index() *charts.Index {
	p.tb.Helper()
	index, err := charts.DecodeIndex(p.get(charts.IndexKey))
	if err != nil {
		p.tb.Fatal(err)
	}
	return index
}

func (p *fixture) listed() string {
	p.tb.Helper()
	all, err := p.index().Files()
	if err != nil {
		p.tb.Fatal(err)
	}
	return strings.Join(all, " ")
}
