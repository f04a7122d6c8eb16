package story

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// sealedLog is the audit log of a story whose hours are sealed, in the hands of an attacker with access to the table
// and the bucket.
type sealedLog struct {
	*story

	db      *dynamodb.Client
	objects *s3.Client
	table   string
	bucket  string
	events  []event
}

// seal seals the hours of the events with a clock that is two hours ahead. After it, the story must not change
// anything.
func (s *story) seal(events []event) *sealedLog {
	s.t.Helper()
	keys := credentials.NewStaticCredentialsProvider(s.info.AccessKeyID, s.info.SecretAccessKey, "")
	l := &sealedLog{
		story: s, table: s.info.Tables["AuditTable"], bucket: s.info.Buckets["AuditBucket"], events: events,
		db: dynamodb.New(dynamodb.Options{Region: s.info.Region, BaseEndpoint: &s.info.DynamoDB, Credentials: keys}),
		objects: s3.New(s3.Options{
			Region: s.info.Region, BaseEndpoint: &s.info.S3, UsePathStyle: true, Credentials: keys,
		}),
	}
	table := sealsdynamo.New(l.db, l.table)
	run, err := seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(l.objects, l.bucket), Settled: auditlog.Settled,
		Days: auditlog.Days,
		Now:  func() time.Time { return awstest.RealTime().Add(2 * time.Hour) },
	}.Seal(s.t.Context())
	if err != nil || run.Events != len(events) {
		s.t.Fatalf("sealed %+v (%v), want %d events", run, err, len(events))
	}
	return l
}

// verified is the result of verify-audit.
type verified struct {
	exit   int
	output string // is part of the output
}

// verify runs the operator's command.
func (l *sealedLog) verify(want verified) {
	l.t.Helper()
	operator := filepath.Join(repository, ".local", "bin", "portside")
	output, err := exec.CommandContext(l.t.Context(), operator, "verify-audit", "--local", l.data).CombinedOutput()
	got, failed := 0, (*exec.ExitError)(nil)
	if errors.As(err, &failed) {
		got = failed.ExitCode()
	} else if err != nil {
		l.t.Fatal(err)
	}
	if got != want.exit || !strings.Contains(string(output), want.output) {
		l.t.Errorf("verify-audit: exit code %d, want %d with %q:\n%s", got, want.exit, want.output, output)
	}
	for _, e := range l.events {
		if isNamed := strings.Contains(want.output, e.ID); !isNamed && strings.Contains(string(output), e.ID) {
			l.t.Errorf("verify-audit names %s, too:\n%s", e.ID, output)
		}
	}
}

// checkFound checks that verify-audit names an event, and succeeds after the change is undone.
func (l *sealedLog) checkFound(id, problem string, undo func()) {
	l.t.Helper()
	l.verify(verified{exit: 1, output: "the event " + id + " was " + problem + "\n"})
	undo()
	l.verify(verified{exit: 0, output: "no event was changed, added or removed"})
}

// checkChangedObject changes a byte of the event in the sealed object.
func (l *sealedLog) checkChangedObject(e event) {
	l.t.Helper()
	key := seals.Seal{Hour: seals.HourOf(e.Time), Part: 1}.Key()
	before := l.object(key)
	at := bytes.Index(before, []byte(e.ID))
	at += bytes.Index(before[at:], []byte(e.Target.ID))
	after := bytes.Clone(before)
	after[at] ^= 1
	l.put(key, after)
	l.checkFound(e.ID, "changed in the sealed object", func() { l.put(key, before) })
}

func (l *sealedLog) object(key string) []byte {
	l.t.Helper()
	out, err := l.objects.GetObject(l.t.Context(), &s3.GetObjectInput{Bucket: &l.bucket, Key: &key})
	if err != nil {
		l.t.Fatal(err)
	}
	defer out.Body.Close()
	content, err := io.ReadAll(out.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return content
}

func (l *sealedLog) put(key string, content []byte) {
	l.t.Helper()
	_, err := l.objects.PutObject(l.t.Context(),
		&s3.PutObjectInput{Bucket: &l.bucket, Key: &key, Body: bytes.NewReader(content)})
	if err != nil {
		l.t.Fatal(err)
	}
}

// checkChangedItem changes the action of the event in the table.
func (l *sealedLog) checkChangedItem(e event) {
	l.t.Helper()
	before := l.item(e)
	after := maps.Clone(before)
	after["event"] = items.Text(strings.Replace(liststest.Text(before, "event"), `"action":"`+e.Action,
		`"action":"x`+e.Action, 1))
	l.putItem(after)
	l.checkFound(e.ID, "changed in the table", func() { l.putItem(before) })
}

func (l *sealedLog) checkRemovedItem(e event) {
	l.t.Helper()
	before := l.item(e)
	l.removeItem(before)
	l.checkFound(e.ID, "removed in the table", func() { l.putItem(before) })
}

// checkAddedItem adds an event a microsecond after another one, as the service itself writes it.
func (l *sealedLog) checkAddedItem(e event) {
	l.t.Helper()
	at := func() time.Time { return e.Time.Add(time.Microsecond) }
	change := audit.Change{Action: audit.UserDeleted,
		Target: audit.Target{Kind: audit.User, ID: l.root.id, Name: "eve@example.com"}}
	added := auditlog.New(l.table, at).Write(l.t.Context(), change)[0].Put.Item
	l.putItem(added)
	l.checkFound(liststest.Text(added, "sk"), "added in the table", func() { l.removeItem(added) })
}

func keyOf(item items.Map) items.Map { return items.Map{"pk": item["pk"], "sk": item["sk"]} }

func (l *sealedLog) item(e event) items.Map {
	l.t.Helper()
	key := items.Key(auditlog.Partition(e.Time, e.ID), e.ID)
	out, err := l.db.GetItem(l.t.Context(),
		&dynamodb.GetItemInput{TableName: &l.table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil || len(out.Item) == 0 {
		l.t.Fatalf("the table does not have %s: %v", e.ID, err)
	}
	return out.Item
}

func (l *sealedLog) putItem(item items.Map) {
	l.t.Helper()
	if _, err := l.db.PutItem(l.t.Context(), &dynamodb.PutItemInput{TableName: &l.table, Item: item}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *sealedLog) removeItem(item items.Map) {
	l.t.Helper()
	if _, err := l.db.DeleteItem(l.t.Context(),
		&dynamodb.DeleteItemInput{TableName: &l.table, Key: keyOf(item)}); err != nil {
		l.t.Fatal(err)
	}
}

// checkNoSecrets checks that nothing in the table has a secret of the story, neither in plain text nor in base64.
func (l *sealedLog) checkNoSecrets() {
	l.t.Helper()
	out, err := l.db.Scan(l.t.Context(), &dynamodb.ScanInput{TableName: &l.table, ConsistentRead: aws.Bool(true)})
	if err != nil || len(out.Items) != len(l.events)+1 || len(out.LastEvaluatedKey) > 0 {
		l.t.Fatalf("the table has %d items (%v), want %d events and a seal", len(out.Items), err, len(l.events))
	}
	const fewest = 10 // secrets of this story
	if len(l.secrets) < fewest {
		l.t.Errorf("only %d secrets are known, so the search would prove nothing", len(l.secrets))
	}
	for _, item := range out.Items {
		for name := range item {
			for _, secret := range l.secrets {
				stored := liststest.Text(item, name)
				if strings.Contains(stored, secret) ||
					strings.Contains(stored, base64.RawURLEncoding.EncodeToString([]byte(secret))) {
					l.t.Errorf("the attribute %s of %s has the secret %q", name, liststest.Text(item, "sk"), secret)
				}
			}
		}
	}
}
