package faults

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
)

// sealAudit seals an event, then an hour without events, and verifies both.
func sealAudit(r *run) {
	bucket, err := r.newBucket()
	r.must(err)
	name := r.tables["AuditTable"]
	writes := auditlog.New(name, r.clock).Write(r.tb.Context(), audit.Change{
		Action: audit.TableRebuilt, Target: audit.Target{Kind: audit.Table, ID: "users"},
	})
	_, err = r.engines.tables.TransactWriteItems(r.tb.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	r.must(err)
	table, objects := sealsdynamo.New(r.client, name), sealss3.New(r.objects, bucket)
	sealer := seals.Sealer{Events: table, Record: table, Objects: objects, Now: r.clock, Settled: auditlog.Settled,
		Days: 1}
	for range 2 {
		r.wait(90 * time.Minute)
		r.event("seal the audit log", func(ctx context.Context) error {
			_, err := sealer.Seal(ctx)
			return err
		})
	}
	verifier := seals.Verifier{Events: table, Record: table, Objects: objects, Now: r.clock, Days: auditlog.Days}
	var report seals.Report
	r.event("verify the audit log", func(ctx context.Context) (err error) {
		report, err = verifier.Verify(ctx, seals.Verification{})
		return err
	})
	r.check(report.Finding == nil, "the verification finds %+v", report.Finding)
	r.check(report.Events == 1 &&
		report.Objects == 2, "the chain has %d events in %d objects", report.Events, report.Objects)
}
