package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/seals"
	"portside/shared/seals/sealsdynamo"
	"portside/shared/seals/sealss3"
)

// addEvent adds an audit event.
func (a *analyticsStack) addEvent(at time.Time) items.Map {
	a.t.Helper()
	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	writes := auditlog.New(stack.Tables["AuditTable"], func() time.Time { return at }).Write(a.t.Context(), audit.Change{
		Action: audit.UserDeleted, Target: audit.Target{Kind: audit.User, ID: "u1", Name: "eve\x1b[2J@example.com"},
	})
	_, err = a.client.TransactWriteItems(a.t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	a.must(err)
	return writes[0].Put.Item
}

// seal seals the audit log at a time, and returns the head.
func (a *analyticsStack) seal(at time.Time) string {
	a.t.Helper()
	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	table := sealsdynamo.New(a.client, stack.Tables["AuditTable"])
	run, err := seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(a.s3, stack.Buckets["AuditBucket"]),
		Now: func() time.Time { return at }, Settled: auditlog.Settled, Days: 2,
	}.Seal(a.t.Context())
	a.must(err)
	return run.Newest.Head().String()
}

//proves:docs/security.md
func TestVerifyAudit(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	if got := a.expect(a.run("verify-audit"), exitDone, ""); !strings.Contains(got.stdout, "complete 20 minutes after its end") {
		t.Error(got.stdout)
	}
	begin := a.now().Add(-5 * time.Hour)
	first := a.addEvent(begin)
	a.addEvent(begin.Add(time.Minute))
	a.expect(a.run("verify-audit"), exitFailed, "events are 4h4m0s old, and nothing is sealed")
	kept := a.seal(a.now().Add(-2 * time.Hour))
	got := a.expect(a.run("verify-audit"), exitFailed, "the newest sealed hour ended 3h4m0s ago")
	for _, want := range []string{
		"2  events", "\nsealed until 2028-03-01T12:00:00Z; events since then are not covered\n", "\n" + kept + "\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the report is %s; it lacks %q", got.stdout, want)
		}
	}
	file := filepath.Join(t.TempDir(), "head")
	a.expect(a.run("verify-audit", "--head-file", file), exitFailed, "the newest sealed hour ended")
	a.expectHead(file, "")
	newest := a.seal(a.now().Add(30 * time.Minute))
	a.expect(a.run("verify-audit", "--head-file", file), exitDone, "")
	a.expectHead(file, newest+"\n")
	a.expect(a.run("verify-audit", "--expect", kept), exitDone, "")
	a.expect(a.run("verify-audit", "--expect", kept[len(kept)-64:]), exitDone, "")
	a.expect(a.run("verify-audit", "--expect", strings.Repeat("a", 64)), exitFailed, "the audit log is not as it was sealed")
	a.expect(a.run("verify-audit", "--expect", "a"), exitUsage, "64 hexadecimal digits")
	a.expect(a.run("verify-audit", "--expect", kept, "--head-file", file), exitUsage, "either --expect or --head-file")
	a.expect(a.run("verify-audit", "more"), exitUsage, "unexpected argument")
	a.expectHeadRefused(file, "", "does not contain the head of an audit log")
	a.expectHeadRefused(file, "2028-03-02T10-0001:"+strings.Repeat("a", 64), "the audit log is not as it was sealed")

	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	_, err = a.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(stack.Tables["AuditTable"]), Key: items.Map{"pk": first["pk"], "sk": first["sk"]},
	})
	a.must(err)
	got = a.expect(a.run("verify-audit"), exitFailed, "the audit log is not as it was sealed")
	for _, want := range []string{
		"was removed in the table\n", "  time      2028-03-01T10:04:05Z\n", "  action    user.delete\n",
		"  target    user u1 eve�[2J@example.com\n",
		"  sealed    seals/2028/03/01T10-0001.jsonl, line 1\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the finding is %s; it lacks %q", got.stdout, want)
		}
	}
	a.expect(a.run("verify-audit", "--from", "2028-03-02"), exitDone, "")

	stack.Buckets = nil
	a.writeStack(stack)
	a.expect(a.run("verify-audit"), exitUsage, "set AUDIT_BUCKET")
}

// expectHeadRefused checks that a verification fails with another content of the head file, and does not replace it.
func (a *analyticsStack) expectHeadRefused(file, content, reason string) {
	a.t.Helper()
	a.must(os.WriteFile(file, []byte(content), 0o600))
	a.expect(a.run("verify-audit", "--head-file", file), exitFailed, reason)
	a.expectHead(file, content)
}

// expectHead checks the content of a head file; empty means that it is missing or empty.
func (a *analyticsStack) expectHead(file, want string) {
	a.t.Helper()
	if text, err := os.ReadFile(file); string(text) != want || want != "" && err != nil {
		a.t.Errorf("the head file has %q (%v), want %q", text, err, want)
	}
}

// TestSmokeTestKeepsTheHead checks the step of the smoke test, which reads only the end of the chain.
//
//proves:docs/security.md
func TestSmokeTestKeepsTheHead(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	file := filepath.Join(t.TempDir(), "head")
	check := func(want string, isFailure bool) {
		t.Helper()
		s := a.newSmokeTest()
		opened, err := (&target{local: a.dir}).open(t.Context(), s.process)
		a.must(err)
		s.tables, s.headFile = opened, file
		got, err := s.checkAuditLog(t.Context())
		if err != nil {
			got = err.Error()
		}
		_, isSkipped := errors.AsType[skippedStep](err)
		if !strings.Contains(got, want) || isFailure != (err != nil && !isSkipped) {
			t.Errorf("the step says %q, want %q", got, want)
		}
	}
	check("nothing is sealed yet", false)
	a.expectHead(file, "")
	event := a.addEvent(a.now().Add(-2 * time.Hour))
	kept := a.seal(a.now())
	check("sealed until 2028-03-01T14:00:00Z; events since then are not covered; the head is "+kept, false)
	a.expectHead(file, kept+"\n")

	stack, err := findLocalStack(a.dir, "")
	a.must(err)
	table, key := aws.String(stack.Tables["AuditTable"]), items.Map{"pk": event["pk"], "sk": event["sk"]}
	record := items.Key("seal", "newest")
	for _, item := range []items.Map{key, record} {
		_, err = a.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: table, Key: item})
		a.must(err)
	}
	objects := sealss3.New(a.s3, stack.Buckets["AuditBucket"])
	for object, err := range objects.Keys(t.Context(), "") {
		a.must(err)
		_, err = a.s3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(stack.Buckets["AuditBucket"]), Key: &object})
		a.must(err)
	}
	check("was removed: the chain ends before the object of the expected head", true)
	a.seal(a.now())
	check("was changed: it does not end with the hash", true)
	a.expectHead(file, kept+"\n")
	a.must(os.Remove(file))
	a.clock = a.clock.Add(4 * time.Hour)
	check("the newest sealed hour ended", true)
	a.expectHead(file, "")
}
