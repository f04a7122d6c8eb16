package main

import (
	"context"
	"crypto/rand"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/layout"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// suffix returns a unique suffix of tables, and deletes the tables when the test ends.
func (o *testStack) suffix() string {
	o.t.Helper()
	suffix := "-" + rand.Text()
	o.t.Cleanup(func() {
		for _, table := range dataTables {
			name := table.id + suffix
			// The test may not have created the table.
			_, _ = o.client.DeleteTable(context.WithoutCancel(o.t.Context()), &dynamodb.DeleteTableInput{TableName: &name})
		}
	})
	return suffix
}

// contents returns the items of a table by their keys.
func (o *testStack) contents(table string) map[string]items.Map {
	o.t.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(o.t, o.client, table) {
		found[liststest.Text(item, "pk")+" "+liststest.Text(item, "sk")] = item
	}
	return found
}

func TestBackupIntoNewTables(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	a.addEvent(a.now())
	key := strings.TrimSpace(a.run("bootstrap", "--email", "a@example.com", "--name", "A").stdout)
	before, err := a.authenticate(key)
	a.must(err)
	dir, suffix := filepath.Join(t.TempDir(), "backup"), a.suffix()
	a.expect(a.run("backup", dir), 0, "complete: the backup in "+dir)
	a.expect(a.run("restore", dir), 1, "has items: restore into empty tables, such as new ones with --create")
	restored := func(args ...string) outcome { return a.run(append(args, "--table-suffix", suffix)...) }
	a.expect(restored("restore", dir), 1, "the table does not exist")
	got := a.expect(restored("restore", dir, "--create"), 0, "complete: the restore of "+dir)
	if !strings.Contains(got.stdout, "items of UsersTable") {
		t.Errorf("the summary is %s", got.stdout)
	}
	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	names := stack.Tables
	for _, table := range dataTables {
		id := table.id
		want, got := a.contents(names[id]), a.contents(id+suffix)
		maps.DeleteFunc(got, func(_ string, item items.Map) bool { // the event of the restore
			return strings.Contains(liststest.Text(item, "event"), `"action":"table.restore"`)
		})
		if len(want) == 0 || !reflect.DeepEqual(want, got) {
			t.Errorf("%s has %d items, want the %d items of the backup", id, len(got), len(want))
		}
	}
	a.expect(restored("check-layout"), 0, "")
	a.expect(restored("rebuild-ranks"), 0, "")
	if got := restored("reconcile", "--from", a.day(-3)); got.code != 0 || !strings.Contains(got.stdout, "0 numbers differ") {
		t.Errorf("reconcile: %+v", got)
	}
	a.names.credentials = "CredentialsTable" + suffix
	a.tables = a.tablesOver(a.client)
	if after, err := a.authenticate(key); err != nil || after != before {
		t.Errorf("the key belongs to %q (%v), want %q", after, err, before)
	}
}

func TestOnlyOneRestoreUsesABackup(t *testing.T) {
	a := newAnalyticsStack(t)
	dir, suffix := t.TempDir(), a.suffix()
	a.expect(a.run("backup", dir), 0, "complete: the backup in "+dir)
	folder, err := os.Open(dir)
	a.must(err)
	a.must(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX))
	restore := []string{"restore", dir, "--create", "--table-suffix", suffix}
	a.expect(a.run(restore...), 1, "another command uses "+dir)
	a.must(folder.Close())
	a.expect(a.run(restore...), 0, "complete: the restore of "+dir)
}

func TestBackupOfBuckets(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.fill()
	charts := awstest.Bucket(t)
	a.useBuckets(charts, a.bucket)
	for key, body := range map[string]string{
		"index.yaml": "entries: {}", "archives/a-1.tgz": "\x00\xff", "charts/a-1.tgz": "\x00\xff", "rejected/x y+ü%": "",
	} {
		a.putObject(charts, key, body)
	}
	dir, suffix := t.TempDir(), a.suffix()
	a.expect(a.run("backup", dir, "--buckets"), 0, "complete")
	newCharts, newLines := awstest.Bucket(t), awstest.Bucket(t)
	a.useBuckets(newCharts, newLines)
	a.putObject(newCharts, "archives/a-1.tgz", "other")
	restore := []string{"restore", dir, "--buckets", "--create", "--table-suffix", suffix}
	a.expect(a.run(restore...), 1, "archives/a-1.tgz exists with other contents")
	_, err := a.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &newCharts, Key: aws.String("archives/a-1.tgz")})
	a.must(err)
	a.expect(a.run(restore...), 0, "complete")
	for from, to := range map[string]string{charts: newCharts, a.bucket: newLines} {
		if want, got := a.objects(from), a.objects(to); len(want) == 0 || !reflect.DeepEqual(want, got) {
			t.Errorf("got the objects %q, want %q", got, want)
		}
	}
}

// useBuckets changes the buckets of the stack.
func (a *analyticsStack) useBuckets(charts, lines string) {
	a.t.Helper()
	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	stack.Buckets = map[string]string{"ChartsBucket": charts, "AnalyticsBucket": lines}
	a.writeStack(stack)
}

func (a *analyticsStack) putObject(bucket, key, body string) {
	a.t.Helper()
	_, err := a.s3.PutObject(a.t.Context(), &s3.PutObjectInput{
		Bucket: &bucket, Key: &key, Body: strings.NewReader(body), ContentType: aws.String("application/x-test"),
	})
	a.must(err)
}

// objects returns the types and bodies of all objects by key.
func (a *analyticsStack) objects(bucket string) map[string]string {
	a.t.Helper()
	page, err := a.s3.ListObjectsV2(a.t.Context(), &s3.ListObjectsV2Input{Bucket: &bucket})
	a.must(err)
	found := map[string]string{}
	for _, object := range page.Contents {
		out, err := a.s3.GetObject(a.t.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: object.Key})
		a.must(err)
		body, err := io.ReadAll(out.Body)
		a.must(err)
		found[*object.Key] = aws.ToString(out.ContentType) + " " + string(body)
	}
	return found
}

func TestBackupRefusesInvalidUsage(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	dir := t.TempDir()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.expect(a.runWith(stopped, nil, "backup", dir, "--local", a.dir), 130, "stopped; run the command again")
	a.expect(a.run("backup", dir), 0, "complete")
	a.expect(a.runWith(stopped, nil, "restore", dir, "--local", a.dir), 130, "stopped; run the command again")
	for want, args := range map[string][]string{
		"pass one folder":        {"backup"},
		"pass one folder; see":   {"restore", dir, dir},
		"--create needs":         {"restore", dir, "--create"},
		"has a complete backup":  {"backup", dir},
		"has no complete backup": {"restore", a.dir},
	} {
		if got := a.run(args...); got.code == 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	a.expect(a.run("backup", t.TempDir(), "--buckets"), 2, "set CHARTS_BUCKET")
	a.useBuckets(awstest.Bucket(t), a.bucket)
	a.expect(a.run("restore", dir, "--buckets"), 1, "the backup does not have ChartsBucket")
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	a.must(err)
	newer := strings.Replace(string(text), `"layout": 1`, `"layout": 2`, 1)
	a.must(os.WriteFile(manifest, []byte(newer), 0o600))
	a.expect(a.run("restore", dir), exitUnusable, "The data has layout 2, and this release knows layouts up to 1")
	a.expect(a.bootstrap(), 0, "")
	a.setLayout(layout.Version + 1)
	a.expect(a.run("backup", t.TempDir()), exitUnusable, "use the release that wrote the data")
}
