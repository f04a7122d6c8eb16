// Command sealaudit is the Lambda function that seals the hours of the audit log in S3.
package main

import (
	"time"

	"portside/shared/audit/seals"
	"portside/shared/audit/seals/sealsdynamo"
	"portside/shared/audit/seals/sealss3"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/s3client"
	"portside/shared/lambda/start"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	table := sealsdynamo.New(items.Client(cfg), settings.String("AUDIT_TABLE"))
	return seal(seals.Sealer{
		Events: table, Record: table, Objects: sealss3.New(s3client.New(cfg), settings.String("AUDIT_BUCKET")),
		Now: time.Now, Settled: auditlog.Settled, Days: auditlog.Days,
	}), nil
}
