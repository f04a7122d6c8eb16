// Package chain verifies the sealed audit log of an installation, a chain of hashes, and keeps its head in a file.
package chain

import (
	"cmp"
	"fmt"
	"time"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/dynamo/auditlog"
)

// Verifier returns the verifier of the audit log of the installation.
func Verifier(t *installation.Tables, p operator.Process) (seals.Verifier, error) {
	bucket, _ := p.Lookup("AUDIT_BUCKET")
	bucket = cmp.Or(t.Stack.Buckets["AuditBucket"], bucket)
	if t.Names.Audit == "" || bucket == "" {
		return seals.Verifier{}, operator.UsageError("set AUDIT_BUCKET to the name of the bucket, or pass --local DATA for a local stack")
	}
	table := sealsdynamo.New(t.Client, t.Names.Audit)
	objects := sealss3.New(installation.S3Client(t.Config, t.Stack.S3), bucket)
	return seals.Verifier{Events: table, Record: table, Objects: objects, Now: p.Now, Days: auditlog.Days}, nil
}

// Staleness returns the error that ends the command if nothing is wrong with the log but its age.
func Staleness(report seals.Report) error {
	if reason := report.Staleness(); reason != "" {
		return fmt.Errorf("%s; see StaleSealAlarm in docs/operations.md", reason)
	}
	return nil
}

// SealedUntil names the end of the sealed period.
func SealedUntil(report seals.Report) string {
	end := report.Newest.Hour.End()
	if !report.Newest.IsLast {
		end = report.Newest.Hour.Begin() // the hour has further parts
	}
	return fmt.Sprintf("sealed until %s; events since then are not covered", end.Format(time.RFC3339))
}
