package sessionsdynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/sessions"
)

// List implements sessions.SessionStore.
func (s *Store) List(ctx context.Context, userID string) ([]credentials.Credential, int64, error) {
	return s.credentials.ListIssued(ctx, userID, credentials.Session)
}

// Begin implements sessions.SessionStore. Of the failed conditions, the first one decides the error, so the request
// comes first.
func (s *Store) Begin(ctx context.Context, b sessions.SessionStart) error {
	var plan transactions.Plan
	if b.Used != nil {
		plan.Add(sessions.ErrSignIn, s.useRequest(*b.Used))
		plan.Add(nil, types.TransactWriteItem{Delete: &types.Delete{TableName: &s.table, Key: unsentKey(b.Used.Request.ID)}})
	}
	plan.Add(versions.ErrStale, s.people.SignedIn(b.Person.ID, b.Person.Version, b.Session.CreatedAt))
	tally := credentialsdynamo.Change{Seen: &b.Seen}
	tally.Issue(credentials.Session)
	plan.Add(versions.ErrStale, s.credentials.Writes.Tally(b.Person.ID, tally))
	ctx = audit.WithActor(ctx, audit.Actor{
		Kind: audit.Person, ID: b.Person.ID, CustomerID: b.Person.CustomerID, CredentialID: b.Session.ID,
	})
	s.revoke(ctx, &plan, b.Ended)
	plan.Add(nil, s.credentials.Writes.Issue(b.Session)...)
	plan.Add(nil, s.credentials.Audit(ctx, credentialsdynamo.Created(b.Session))...)
	if b.Known != nil {
		plan.Add(nil, s.put(newKnownItem(*b.Known)))
	}
	return plan.Write(ctx, s.client)
}

// useRequest returns the delete of a request that has this link and, unless the code was used, tries left.
func (s *Store) useRequest(used sessions.UsedRequest) types.TransactWriteItem {
	condition, values := "#link = :link", items.Map{":link": items.Bytes(used.Request.LinkHash)}
	if !used.ByCode {
		condition += " AND tries < :most"
		values[":most"] = items.Number(sessions.MaxTries)
	}
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &s.table, Key: requestKey(used.Request.ID), ConditionExpression: aws.String(condition),
		ExpressionAttributeNames: map[string]string{"#link": "link"}, ExpressionAttributeValues: values,
	}}
}

// End implements sessions.SessionStore.
func (s *Store) End(ctx context.Context, ended []credentials.Credential, seen *int64) error {
	var plan transactions.Plan
	s.revoke(ctx, &plan, ended)
	if seen != nil {
		plan.Add(versions.ErrStale, s.credentials.Writes.Tally(ended[0].Owner.ID, credentialsdynamo.Change{Seen: seen}))
	}
	return plan.Write(ctx, s.client)
}

func (s *Store) revoke(ctx context.Context, plan *transactions.Plan, ended []credentials.Credential) {
	for _, c := range ended {
		plan.Add(versions.ErrStale, s.credentials.Writes.Revoke(c)...)
		plan.Add(nil, s.credentials.Audit(ctx, credentialsdynamo.Revoked(c))...)
	}
}
