package main

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

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

// seal seals the audit log at a time, and returns the newest hash.
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
	return run.Newest.Hash
}

func TestVerifyAudit(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	if got := a.expect(a.run("verify-audit"), exitDone, ""); !strings.Contains(got.stdout, "complete 20 minutes after its end") {
		t.Error(got.stdout)
	}
	begin := a.now().Add(-5 * time.Hour)
	first := a.addEvent(begin)
	a.addEvent(begin.Add(time.Minute))
	a.expect(a.run("verify-audit"), exitDone, "warning: events are 4h4m0s old, and nothing is sealed")
	noted := a.seal(a.now().Add(-2 * time.Hour))
	got := a.expect(a.run("verify-audit"), exitDone, "warning: the newest sealed hour ended 3h")
	if !strings.Contains(got.stdout, "2  events") || !strings.HasSuffix(got.stdout, "\n"+noted+"\n") {
		t.Errorf("the report is %s", got.stdout)
	}
	a.seal(a.now().Add(30 * time.Minute))
	a.expect(a.run("verify-audit", "--expect", noted), exitDone, "")
	a.expect(a.run("verify-audit", "--expect", strings.Repeat("a", 64)), exitFailed, "the audit log is not as it was sealed")
	a.expect(a.run("verify-audit", "--expect", "a"), exitUsage, "64 hexadecimal digits")
	a.expect(a.run("verify-audit", "more"), exitUsage, "unexpected argument")

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
	a.expect(a.run("verify-audit"), exitUsage, "set AUDIT_TABLE and AUDIT_BUCKET")
}
