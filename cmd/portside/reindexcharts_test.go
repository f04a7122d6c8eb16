package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/testkit/awstest"
)

// withCharts adds an S3 with a bucket of charts to the stack, and returns the bucket.
func (o *testStack) withCharts() *chartss3.Bucket {
	o.t.Helper()
	client, name := awstest.S3(o.t), awstest.Bucket(o.t)
	keys, err := client.Options().Credentials.Retrieve(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	o.writeStack(localStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999",
		DynamoDB: aws.ToString(o.client.Options().BaseEndpoint), Region: "us-east-1",
		S3: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
		Tables:  o.tableNames(),
		Buckets: map[string]string{"ChartsBucket": name},
	})
	return chartss3.NewBucket(client, name)
}

func packedChart(t *testing.T, name, version string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	text := "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n"
	headErr := out.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg})
	_, writeErr := io.WriteString(out, text)
	if err := errors.Join(headErr, writeErr, out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestReindexCharts(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	bucket := o.withCharts()
	put := func(key string, contents []byte) {
		if err := bucket.Put(t.Context(), key, contents, charts.Anything); err != nil {
			t.Fatal(err)
		}
	}
	expectNoChanges(t, o)
	put("charts/app-1.0.0.tgz", packedChart(t, "app", "1.0.0"))
	put("charts/bad-1.0.0.tgz", []byte("bad"))
	got := o.expect(o.run("reindex-charts"), 1, "1 files were rejected")
	if !strings.Contains(got.stdout, "listed    app-1.0.0.tgz") ||
		!strings.Contains(got.stderr, "rejected bad-1.0.0.tgz: the file is not a gzip") {
		t.Errorf("got stdout %q and stderr %q", got.stdout, got.stderr)
	}
	expectNoChanges(t, o)
	index, err := bucket.Get(t.Context(), charts.IndexKey, 1<<20)
	if err != nil || !bytes.Contains(index.Body, []byte("app-1.0.0.tgz")) {
		t.Errorf("got the index %s, %v", index.Body, err)
	}
}

func expectNoChanges(t *testing.T, o *testStack) {
	t.Helper()
	got := o.expect(o.run("reindex-charts"), 0, "")
	if want := "0 versions added or corrected, 0 removed from the index, 0 files rejected\n"; got.stdout != want || got.stderr != "" {
		t.Errorf("got stdout %q and stderr %q", got.stdout, got.stderr)
	}
}

func TestReindexChartsRejectsInvalidUsage(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.expect(o.run("reindex-charts"), 2, "--bucket or CHARTS_BUCKET")
	o.withCharts()
	o.expect(o.run("reindex-charts", "--bucket", "no-such-bucket"), 1, "the bucket does not exist")
	o.expect(o.run("reindex-charts", "--max-megabytes", "0"), 2, "at least 1")
	o.expect(o.run("reindex-charts", "app"), 2, "unexpected argument")
}
