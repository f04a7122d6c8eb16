// Package revocationdynamo keeps the jobs of shared/revocation in the credentials table, and ends credentials there.
//
// A job is an item with the pk "revocations" and the id of the credential as sk, until it is finished.
package revocationdynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/revocation"
)

const jobsPK = "revocations"

// job is the stored form of revocation.Job. Times are Unix milliseconds.
type job struct {
	PK     string           `dynamodbav:"pk"`
	SK     string           `dynamodbav:"sk"`
	Kind   credentials.Kind `dynamodbav:"kind"`
	Owner  string           `dynamodbav:"owner"`
	Reason string           `dynamodbav:"reason"`
	Leaked bool             `dynamodbav:"leaked,omitempty"`
	At     int64            `dynamodbav:"at"`
	Base   string           `dynamodbav:"base,omitempty"`
	Due    int64            `dynamodbav:"due"`
}

func newJob(j revocation.Job) job {
	return job{
		PK: jobsPK, SK: j.Root.ID, Kind: j.Root.Kind, Owner: j.Root.Owner.ID, Reason: j.Reason, Leaked: j.IsLeaked,
		At: items.Millis(j.At), Base: j.BaseURL, Due: items.Millis(j.Due),
	}
}

// job returns the job with the parts of its root that ending needs.
func (j job) job() revocation.Job {
	return revocation.Job{
		Root:   credentials.Credential{ID: j.SK, Kind: j.Kind, Owner: credentials.Owner{ID: j.Owner}},
		Reason: j.Reason, IsLeaked: j.Leaked, At: items.Time(j.At), BaseURL: j.Base, Due: items.Time(j.Due),
	}
}

// Store ends credentials.
type Store struct {
	client *dynamodb.Client
	*credentialsdynamo.Table
}

// New returns a Store in the credentials table.
func New(client *dynamodb.Client, table *credentialsdynamo.Table) *Store {
	return &Store{client, table}
}

var (
	_ revocation.Store = (*Store)(nil)
	_ revocation.Jobs  = (*Store)(nil)
)

// Begin implements revocation.Store.
func (s *Store) Begin(ctx context.Context, j revocation.Job) error {
	var plan transactions.Plan
	switch {
	case j.Root.RevokedAt.IsZero():
		s.revoke(ctx, &plan, ended(j, []credentials.Credential{j.Root}, j.At))
		if j.IsLeaked && !j.Root.Exchanged {
			plan.Add(nil, s.Writes.Notify(newNotice(credentials.EventLeaked, j, j.Root)))
		}
	case j.IsLeaked && !credentialsdynamo.StaysListed(j.Root.Kind):
		plan.Add(versions.ErrStale, s.Writes.MarkLeaked(j.Root))
	}
	name := s.Name()
	plan.Add(nil, types.TransactWriteItem{Put: &types.Put{TableName: &name, Item: items.Encode(newJob(j))}})
	return plan.Write(ctx, s.client)
}

// End implements revocation.Store.
func (s *Store) End(ctx context.Context, j revocation.Job, made []credentials.Credential, at time.Time) error {
	var plan transactions.Plan
	s.revoke(ctx, &plan, ended(j, made, at))
	if made[0].Owner.ID != j.Root.Owner.ID {
		plan.Add(nil, s.Writes.Notify(newNotice(credentials.EventEnded, j, made[0])))
	}
	return plan.Write(ctx, s.client)
}

// ended returns the credentials that the job ends, with the time and the reason.
func ended(j revocation.Job, all []credentials.Credential, at time.Time) []credentials.Credential {
	all = slices.Clone(all)
	for i := range all {
		all[i].RevokedAt, all[i].Reason = at, j.Reason
		if all[i].ID != j.Root.ID {
			all[i].Reason = "created with " + j.Root.ID + ", which was " + j.Reason
		}
	}
	return all
}

// revoke adds the writes that revoke ended credentials of one owner, with their tally and their events.
func (s *Store) revoke(ctx context.Context, plan *transactions.Plan, all []credentials.Credential) {
	var tally credentialsdynamo.Change
	for _, c := range all {
		plan.Add(versions.ErrStale, s.Writes.Revoke(c)...)
		plan.Add(nil, s.Audit(ctx, credentialsdynamo.Revoked(c))...)
		tally.Revoke(c, c.RevokedAt)
	}
	if tally.Revoked > 0 { // sessions are not in the tally
		plan.Add(nil, s.Writes.Tally(all[0].Owner.ID, tally))
	}
}

// newNotice returns a notice that the schedule sends with its next run.
func newNotice(event credentials.Event, j revocation.Job, c credentials.Credential) credentials.Notice {
	notice := credentials.NewNotice(event, c, j.At)
	notice.BaseURL, notice.Due = j.BaseURL, j.At
	return notice
}

// DueJobs implements revocation.Jobs.
func (s *Store) DueJobs(ctx context.Context, at time.Time, limit int) ([]revocation.Job, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: aws.String(s.Name()), ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :jobs"), FilterExpression: aws.String("due <= :at"),
		ExpressionAttributeValues: items.Map{":jobs": items.Text(jobsPK), ":at": items.Number(at.UnixMilli())},
	})
	var due []revocation.Job
	for pages.HasMorePages() && len(due) < limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the unfinished revocations: %w", err)
		}
		for _, item := range page.Items[:min(len(page.Items), limit-len(due))] {
			stored, err := items.Decode[job](item)
			if err != nil {
				return nil, err
			}
			due = append(due, stored.job())
		}
	}
	return due, nil
}

// Finish implements revocation.Jobs. It leaves a job that was stored again meanwhile.
func (s *Store) Finish(ctx context.Context, j revocation.Job) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(s.Name()), Key: items.Key(jobsPK, j.Root.ID), ConditionExpression: aws.String("#at = :at"),
		ExpressionAttributeNames:  map[string]string{"#at": "at"},
		ExpressionAttributeValues: items.Map{":at": items.Number(items.Millis(j.At))},
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("finish the revocation of credential %s: %w", j.Root.ID, err)
	}
	return nil
}
