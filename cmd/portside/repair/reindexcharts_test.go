package repair

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/cmd/portside/installation"
	"portside/shared/charts"
	"portside/shared/charts/chartss3"
	"portside/shared/testkit/awstest"
)

// withCharts adds an S3 with a bucket of charts to the stack, and returns the bucket.
func (o *testStack) withCharts() *chartss3.Bucket {
	o.T.Helper()
	client, name := awstest.S3(o.T), awstest.Bucket(o.T)
	keys, err := client.Options().Credentials.Retrieve(o.T.Context())
	if err != nil {
		o.T.Fatal(err)
	}
	o.WriteStack(installation.LocalStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999",
		DynamoDB: aws.ToString(o.Client.Options().BaseEndpoint), Region: "us-east-1",
		S3: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: keys.AccessKeyID, SecretAccessKey: keys.SecretAccessKey,
		Tables:  o.TableNames(),
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
	got := o.Expect(o.Run("reindex-charts"), 1, "1 files were rejected")
	if !strings.Contains(got.Stdout, "listed    app-1.0.0.tgz") ||
		!strings.Contains(got.Stderr, "rejected bad-1.0.0.tgz: the file is not a gzip") {
		t.Errorf("got stdout %q and stderr %q", got.Stdout, got.Stderr)
	}
	expectNoChanges(t, o)
	index, err := bucket.Get(t.Context(), charts.IndexKey, 1<<20)
	if err != nil || !bytes.Contains(index.Body, []byte("app-1.0.0.tgz")) {
		t.Errorf("got the index %s, %v", index.Body, err)
	}
}

func expectNoChanges(t *testing.T, o *testStack) {
	t.Helper()
	got := o.Expect(o.Run("reindex-charts"), 0, "")
	if want := "0 versions added or corrected, 0 removed from the index, 0 files rejected\n"; got.Stdout != want || got.Stderr != "" {
		t.Errorf("got stdout %q and stderr %q", got.Stdout, got.Stderr)
	}
}

func TestReindexChartsRejectsInvalidUsage(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	o.Expect(o.Run("reindex-charts"), 2, "--bucket or CHARTS_BUCKET")
	o.withCharts()
	o.Expect(o.Run("reindex-charts", "--bucket", "no-such-bucket"), 1, "the bucket does not exist")
	o.Expect(o.Run("reindex-charts", "--max-megabytes", "0"), 2, "at least 1")
	o.Expect(o.Run("reindex-charts", "app"), 2, "unexpected argument")
}
