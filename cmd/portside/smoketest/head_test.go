package smoketest

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

	"portside/cmd/portside/installation"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/dynamo/items"
)

// TestKeepsTheHead checks the step of the smoke test, which reads only the end of the chain.
//
//proves:docs/security.md
func TestKeepsTheHead(t *testing.T) {
	t.Parallel()
	a := newAnalyticsStack(t)
	file := filepath.Join(t.TempDir(), "head")
	check := func(want string, isFailure bool) {
		t.Helper()
		s := newTrial(a.Stack)
		opened, err := (&installation.Target{Local: a.Dir}).Open(t.Context(), s.Process)
		a.Must(err)
		s.Tables, s.headFile = opened, file
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
	a.ExpectFile(file, "")
	event := a.AddEvent(a.Now().Add(-2 * time.Hour))
	kept := a.Seal(a.Now())
	check("sealed until 2028-03-01T14:00:00Z; events since then are not covered; the head is "+kept, false)
	a.ExpectFile(file, kept+"\n")

	stack, err := installation.FindLocalStack(a.Dir, "")
	a.Must(err)
	table, key := aws.String(stack.Tables["AuditTable"]), items.Map{"pk": event["pk"], "sk": event["sk"]}
	record := items.Key("seal", "newest")
	for _, item := range []items.Map{key, record} {
		_, err = a.Client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: table, Key: item})
		a.Must(err)
	}
	objects := sealss3.New(a.S3, stack.Buckets["AuditBucket"])
	for object, err := range objects.Keys(t.Context(), "") {
		a.Must(err)
		_, err = a.S3.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(stack.Buckets["AuditBucket"]), Key: &object})
		a.Must(err)
	}
	check("was removed: the chain ends before the object of the expected head", true)
	a.Seal(a.Now())
	check("was changed: it does not end with the hash", true)
	a.ExpectFile(file, kept+"\n")
	a.Must(os.Remove(file))
	a.Clock = a.Clock.Add(4 * time.Hour)
	check("the newest sealed hour ended", true)
	a.ExpectFile(file, "")
}
