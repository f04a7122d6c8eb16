package verifyaudit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/dynamo/items"
)

//proves:docs/security.md
func TestVerifyAudit(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	if got := a.Expect(a.Run("verify-audit"), operator.ExitDone, ""); !strings.Contains(got.Stdout, "complete 20 minutes after its end") {
		t.Error(got.Stdout)
	}
	begin := a.Now().Add(-5 * time.Hour)
	first := a.AddEvent(begin)
	a.AddEvent(begin.Add(time.Minute))
	a.Expect(a.Run("verify-audit"), operator.ExitFailed, "events are 4h4m0s old, and nothing is sealed")
	kept := a.Seal(a.Now().Add(-2 * time.Hour))
	got := a.Expect(a.Run("verify-audit"), operator.ExitFailed, "the newest sealed hour ended 3h4m0s ago")
	for _, want := range []string{
		"2  events", "\nsealed until 2028-03-01T12:00:00Z; events since then are not covered\n", "\n" + kept + "\n",
	} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("the report is %s; it lacks %q", got.Stdout, want)
		}
	}
	file := filepath.Join(t.TempDir(), "head")
	a.Expect(a.Run("verify-audit", "--head-file", file), operator.ExitFailed, "the newest sealed hour ended")
	a.ExpectFile(file, "")
	newest := a.Seal(a.Now().Add(30 * time.Minute))
	a.Expect(a.Run("verify-audit", "--head-file", file), operator.ExitDone, "")
	a.ExpectFile(file, newest+"\n")
	a.Expect(a.Run("verify-audit", "--expect", kept), operator.ExitDone, "")
	a.Expect(a.Run("verify-audit", "--expect", kept[len(kept)-64:]), operator.ExitDone, "")
	a.Expect(a.Run("verify-audit", "--expect", strings.Repeat("a", 64)), operator.ExitFailed, "the audit log is not as it was sealed")
	a.Expect(a.Run("verify-audit", "--expect", "a"), operator.ExitUsage, "64 hexadecimal digits")
	a.Expect(a.Run("verify-audit", "--expect", kept, "--head-file", file), operator.ExitUsage, "either --expect or --head-file")
	a.Expect(a.Run("verify-audit", "more"), operator.ExitUsage, "unexpected argument")
	a.expectHeadRefused(file, "", "does not contain the head of an audit log")
	a.expectHeadRefused(file, "2028-03-02T10-0001:"+strings.Repeat("a", 64), "the audit log is not as it was sealed")

	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	_, err = a.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(stack.Tables["AuditTable"]), Key: items.Map{"pk": first["pk"], "sk": first["sk"]},
	})
	a.Must(err)
	got = a.Expect(a.Run("verify-audit"), operator.ExitFailed, "the audit log is not as it was sealed")
	for _, want := range []string{
		"was removed in the table\n", "  time      2028-03-01T10:04:05Z\n", "  action    user.delete\n",
		"  target    user u1 eve��[2J@example.com\n",
		"  sealed    seals/2028/03/01T10-0001.jsonl, line 1\n",
	} {
		if !strings.Contains(got.Stdout, want) {
			t.Errorf("the finding is %s; it lacks %q", got.Stdout, want)
		}
	}
	a.Expect(a.Run("verify-audit", "--from", "2028-03-02"), operator.ExitDone, "")

	stack.Buckets = nil
	a.WriteStack(stack)
	a.Expect(a.Run("verify-audit"), operator.ExitUsage, "set AUDIT_BUCKET")
}

// expectHeadRefused checks that a verification fails with another content of the head file, and does not replace it.
func (a *analyticsStack) expectHeadRefused(file, content, reason string) {
	a.T.Helper()
	a.Must(os.WriteFile(file, []byte(content), 0o600))
	a.Expect(a.Run("verify-audit", "--head-file", file), operator.ExitFailed, reason)
	a.ExpectFile(file, content)
}
