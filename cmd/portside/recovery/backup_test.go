package recovery

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

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/cmd/portside/portsidetest"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/layout"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// suffix returns a unique suffix of tables, and deletes the tables when the test ends.
func (a *analyticsStack) suffix() string {
	a.T.Helper()
	suffix := "-" + rand.Text()
	a.T.Cleanup(func() {
		for _, id := range installation.DataTables {
			name := id + suffix
			// The test may not have created the table.
			_, _ = a.Client.DeleteTable(context.WithoutCancel(a.T.Context()), &dynamodb.DeleteTableInput{TableName: &name})
		}
	})
	return suffix
}

// contents returns the items of a table by their keys.
func (a *analyticsStack) contents(table string) map[string]items.Map {
	a.T.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(a.T, a.Client, table) {
		found[liststest.Text(item, "pk")+" "+liststest.Text(item, "sk")] = item
	}
	return found
}

func TestBackupIntoNewTables(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	a.AddEvent(a.Now())
	for _, table := range a.TableNames() {
		if len(a.contents(table)) == 0 {
			item := items.Key("pk", "sk")
			item["a"] = items.Text("b")
			_, err := a.Client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item})
			a.Must(err)
		}
	}
	key := strings.TrimSpace(a.Run("bootstrap", "--email", "a@example.com", "--name", "A").Stdout)
	before, err := a.Authenticate(key)
	a.Must(err)
	dir, suffix := filepath.Join(t.TempDir(), "backup"), a.suffix()
	a.Expect(a.Run("backup", dir), 0, "complete: the backup in "+dir)
	a.Expect(a.Run("restore", dir), 1, "has items: restore into empty tables, such as new ones with --create")
	restored := func(args ...string) portsidetest.Outcome { return a.Run(append(args, "--table-suffix", suffix)...) }
	a.Expect(restored("restore", dir), 1, "the table does not exist")
	got := a.Expect(restored("restore", dir, "--create"), 0, "complete: the restore of "+dir)
	if !strings.Contains(got.Stdout, "items of UsersTable") {
		t.Errorf("the summary is %s", got.Stdout)
	}
	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	names := stack.Tables
	for _, id := range installation.DataTables {
		want, got := a.contents(names[id]), a.contents(id+suffix)
		maps.DeleteFunc(got, func(_ string, item items.Map) bool { // the event of the restore
			return strings.Contains(liststest.Text(item, "event"), `"action":"table.restore"`)
		})
		if len(want) == 0 || !reflect.DeepEqual(want, got) {
			t.Errorf("%s has %d items, want the %d items of the backup", id, len(got), len(want))
		}
	}
	a.Expect(restored("check-layout"), 0, "")
	a.Expect(restored("rebuild-ranks"), 0, "")
	if got := restored("reconcile", "--from", a.Day(-3)); got.Code != 0 || !strings.Contains(got.Stdout, "0 numbers differ") {
		t.Errorf("reconcile: %+v", got)
	}
	a.Names.Credentials = "CredentialsTable" + suffix
	a.Tables = a.TablesOver(a.Client)
	if after, err := a.Authenticate(key); err != nil || after != before {
		t.Errorf("the key belongs to %q (%v), want %q", after, err, before)
	}
}

func TestOnlyOneRestoreUsesABackup(t *testing.T) {
	a := newAnalyticsStack(t)
	dir, suffix := t.TempDir(), a.suffix()
	a.Expect(a.Run("backup", dir), 0, "complete: the backup in "+dir)
	folder, err := os.Open(dir)
	a.Must(err)
	a.Must(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX))
	restore := []string{"restore", dir, "--create", "--table-suffix", suffix}
	a.Expect(a.Run(restore...), 1, "another command uses "+dir)
	a.Must(folder.Close())
	a.Expect(a.Run(restore...), 0, "complete: the restore of "+dir)
}

func TestBackupOfBuckets(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	a.Fill()
	charts := awstest.Bucket(t)
	a.useBuckets(charts, a.Bucket)
	for key, body := range map[string]string{
		"index.yaml": "entries: {}", "archives/a-1.tgz": "\x00\xff", "charts/a-1.tgz": "\x00\xff", "rejected/x y+ü%": "",
	} {
		a.putObject(charts, key, body)
	}
	dir, suffix := t.TempDir(), a.suffix()
	a.Expect(a.Run("backup", dir, "--buckets"), 0, "complete")
	newCharts, newLines := awstest.Bucket(t), awstest.Bucket(t)
	a.useBuckets(newCharts, newLines)
	a.putObject(newCharts, "archives/a-1.tgz", "other")
	restore := []string{"restore", dir, "--buckets", "--create", "--table-suffix", suffix}
	a.Expect(a.Run(restore...), 1, "archives/a-1.tgz exists with other contents")
	_, err := a.S3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &newCharts, Key: aws.String("archives/a-1.tgz")})
	a.Must(err)
	a.Expect(a.Run(restore...), 0, "complete")
	for from, to := range map[string]string{charts: newCharts, a.Bucket: newLines} {
		if want, got := a.objects(from), a.objects(to); len(want) == 0 || !reflect.DeepEqual(want, got) {
			t.Errorf("got the objects %q, want %q", got, want)
		}
	}
}

// useBuckets changes the buckets of the stack.
func (a *analyticsStack) useBuckets(charts, lines string) {
	a.T.Helper()
	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	stack.Buckets = map[string]string{"ChartsBucket": charts, "AnalyticsBucket": lines}
	a.WriteStack(stack)
}

func (a *analyticsStack) putObject(bucket, key, body string) {
	a.T.Helper()
	_, err := a.S3.PutObject(a.T.Context(), &s3.PutObjectInput{
		Bucket: &bucket, Key: &key, Body: strings.NewReader(body), ContentType: aws.String("application/x-test"),
	})
	a.Must(err)
}

// objects returns the types and bodies of all objects by key.
func (a *analyticsStack) objects(bucket string) map[string]string {
	a.T.Helper()
	page, err := a.S3.ListObjectsV2(a.T.Context(), &s3.ListObjectsV2Input{Bucket: &bucket})
	a.Must(err)
	found := map[string]string{}
	for _, object := range page.Contents {
		out, err := a.S3.GetObject(a.T.Context(), &s3.GetObjectInput{Bucket: &bucket, Key: object.Key})
		a.Must(err)
		body, err := io.ReadAll(out.Body)
		a.Must(err)
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
	a.Expect(a.RunWith(stopped, nil, "backup", dir, "--local", a.Dir), 130, "stopped; run the command again")
	a.Expect(a.Run("backup", dir), 0, "complete")
	a.Expect(a.RunWith(stopped, nil, "restore", dir, "--local", a.Dir), 130, "stopped; run the command again")
	for want, args := range map[string][]string{
		"pass one folder":        {"backup"},
		"pass one folder; see":   {"restore", dir, dir},
		"--create needs":         {"restore", dir, "--create"},
		"has a complete backup":  {"backup", dir},
		"has no complete backup": {"restore", a.Dir},
	} {
		if got := a.Run(args...); got.Code == 0 || !strings.Contains(got.Stderr, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	a.Expect(a.Run("backup", t.TempDir(), "--buckets"), 2, "set CHARTS_BUCKET")
	a.useBuckets(awstest.Bucket(t), a.Bucket)
	a.Expect(a.Run("restore", dir, "--buckets"), 1, "the backup does not have ChartsBucket")
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	a.Must(err)
	newer := strings.Replace(string(text), `"layout": 1`, `"layout": 2`, 1)
	a.Must(os.WriteFile(manifest, []byte(newer), 0o600))
	a.Expect(a.Run("restore", dir), operator.ExitUnusable, "The data has layout 2, and this release knows layouts up to 1")
	a.Expect(a.Bootstrap(), 0, "")
	a.SetLayout(layout.Version + 1)
	a.Expect(a.Run("backup", t.TempDir()), operator.ExitUnusable, "use the release that wrote the data")
}
