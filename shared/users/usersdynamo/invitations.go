package usersdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentials"
	"portside/shared/users"
)

// Invited implements users.InvitationStore.
func (s *Store) Invited(ctx context.Context, link credentials.Secret, at time.Time) (users.User, error) {
	stored, err := s.credentials.Get(ctx, link.ID())
	if errors.Is(err, credentials.ErrUnknown) {
		return users.User{}, users.ErrLink
	}
	if err != nil {
		return users.User{}, err
	}
	if !link.Matches(stored.Hash) || stored.Kind != link.Kind() || !stored.Live(at) {
		return users.User{}, users.ErrLink
	}
	user, err := s.Get(ctx, stored.Owner.ID)
	if errors.Is(err, users.ErrNotFound) || err == nil && (user.Status != users.Pending || user.LinkID != link.ID()) {
		return users.User{}, users.ErrLink
	}
	return user, err
}

// Activate implements users.InvitationStore.
func (s *Store) Activate(ctx context.Context, user users.User, key credentials.Credential, at time.Time) (users.User, error) {
	stored, err := s.readVersion(ctx, user)
	if err != nil {
		return users.User{}, err
	}
	after := user
	after.Status, after.LinkID, after.UpdatedAt, after.Version = users.Active, "", at, user.Version+1
	p := s.plan()
	p.changeUser(user, after, userGuard{version: user.Version, issued: &stored.Issued, issues: true})
	if err := p.standing(ctx, after); err != nil {
		return users.User{}, err
	}
	p.endInvitation(user.ID)
	if err := p.issue(key); err != nil {
		return users.User{}, err
	}
	return after, p.run(ctx)
}

// Unsent implements users.InvitationStore. Ids are UUIDv7, so the order of the items is the order of age.
func (s *Store) Unsent(ctx context.Context, before time.Time, limit int) ([]users.Unsent, error) {
	out, err := s.client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)), //nolint:gosec // a batch size
		KeyConditionExpression:    aws.String("pk = :unsent"),
		ExpressionAttributeValues: attributes{":unsent": text("unsent")},
	})
	if err != nil {
		return nil, fmt.Errorf("unsent invitations: %w", err)
	}
	var due []users.Unsent
	for _, item := range out.Items {
		var u unsentItem
		if err := attributevalue.UnmarshalMap(item, &u); err != nil {
			return nil, fmt.Errorf("unsent invitations: %w", err)
		}
		if !timeOf(u.Created).Before(before) {
			continue
		}
		user, err := s.Get(ctx, u.SK)
		if errors.Is(err, users.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		due = append(due, users.Unsent{User: user, BaseURL: u.Base})
	}
	return due, nil
}

// Renew implements users.InvitationStore.
func (s *Store) Renew(ctx context.Context, user users.User, invitation users.Invitation, at time.Time) error {
	stored, err := s.readVersion(ctx, user)
	if err != nil {
		return err
	}
	if stored.Link != user.LinkID || stored.Status != users.Pending {
		return users.ErrStale
	}
	p := s.plan()
	live, err := p.live(ctx, user.ID, at)
	if err != nil {
		return err
	}
	for _, c := range live {
		if c.ID == stored.Link {
			p.add(users.ErrStale, s.credentials.Revoke(c.Kind, c.ID, user.ID, at))
		}
	}
	p.add(users.ErrStale, p.relink(user.ID, invitation.Link.ID, userGuard{version: user.Version, issued: &stored.Issued}))
	p.add(users.ErrStale, p.putListed(newUnsentItem(user.ID, invitation, at)))
	if err := p.issue(invitation.Link); err != nil {
		return err
	}
	return p.run(ctx)
}

// relink names the new link on the user. A reader sees no difference, so the version stays.
func (p *plan) relink(userID, linkID string, guard userGuard) types.TransactWriteItem {
	condition, values := guard.condition()
	values[":link"], values[":one"] = text(linkID), number(1)
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &p.store.table, Key: userKey(userID), UpdateExpression: aws.String("SET link = :link" + issuing),
		ConditionExpression: condition, ExpressionAttributeValues: values,
	}}
}

// Sent implements users.InvitationStore.
func (s *Store) Sent(ctx context.Context, userID, linkID string) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: unsentKey(userID), ConditionExpression: aws.String("link = :link"),
		ExpressionAttributeValues: attributes{":link": text(linkID)},
	})
	if failed := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &failed) {
		return nil // a newer link has taken its place, or the user is gone
	}
	if err != nil {
		return fmt.Errorf("note mail to user %s as sent: %w", userID, err)
	}
	return nil
}
