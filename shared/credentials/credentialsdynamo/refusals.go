package credentialsdynamo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// refusalLife is how long the count of an hour is kept. DynamoDB may delete it up to two days later.
const refusalLife = 3 * time.Hour

// CountRefusal implements credentials.Store with one write, and another one if the audit log reports the number. The item is in the table
// of request counts, which all functions that authenticate can change.
func (r *Requests) CountRefusal(ctx context.Context, refused credentials.Refusal, at time.Time) error {
	hour := at.UTC().Truncate(time.Hour)
	out, err := r.table.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.table.counts,
		Key:       items.Map{"pk": items.Text("refused#" + refused.Who.CredentialID + "#" + strconv.FormatInt(hour.Unix(), 10))},

		UpdateExpression:    aws.String("ADD n :one SET purgeAt = :purge"),
		ConditionExpression: aws.String("attribute_not_exists(n) OR n < :most"), ReturnValues: types.ReturnValueUpdatedNew,
		ExpressionAttributeValues: items.Map{
			":one": items.Number(1), ":purge": items.Number(hour.Add(refusalLife).Unix()),
			":most": items.Number(int64(slices.Max(credentials.ReportedRefusals))),
		},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("count a refused request: %w", err)
	}
	counted, err := items.Decode[struct {
		N int `dynamodbav:"n"`
	}](out.Attributes)
	if err != nil || !slices.Contains(credentials.ReportedRefusals, counted.N) {
		return err
	}
	return r.reportRefusals(ctx, refused, refusalForm{Reason: refused.Reason, Refusals: counted.N, Since: hour})
}

// refusalForm has the fields of audit events about refused requests. The reason is the last request's.
type refusalForm struct {
	Reason   credentials.RefusalReason `json:"reason"`
	Refusals int                       `json:"refusals"`
	Since    time.Time                 `json:"since"`
}

func (r *Requests) reportRefusals(ctx context.Context, refused credentials.Refusal, form refusalForm) error {
	who := refused.Who
	target := audit.Target{Kind: audit.Credential, ID: who.CredentialID}
	if who.SessionID != "" {
		target.Kind = audit.Session
	}
	change := audit.Change{Action: audit.CredentialRefused, Target: target, CustomerID: who.CustomerID, After: form}
	return r.table.log.Record(audit.WithActor(ctx, audit.ActorOf(who)), r.table.client, change)
}
