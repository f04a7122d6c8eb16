package usersdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/mail"
	"portside/shared/users"
)

// Invited implements users.InvitationReader.
func (s Invitations) Invited(ctx context.Context, link credentials.Secret, at time.Time) (users.User, error) {
	stored, err := s.store.credentials.Get(ctx, link.ID())
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !link.Matches(stored.Hash) {
		return users.User{}, fmt.Errorf("%w (%w)", users.ErrLink, credentials.ErrUnknown)
	}
	if err != nil {
		return users.User{}, err
	}
	if stored.Kind != link.Kind() || !stored.Live(at) {
		return users.User{}, users.ErrLink
	}
	user, err := s.store.Get(ctx, stored.Owner.ID)
	if errors.Is(err, users.ErrNotFound) || err == nil && (user.Status != users.Pending || user.LinkID != link.ID()) {
		return users.User{}, users.ErrLink
	}
	if err != nil {
		return users.User{}, err
	}
	person, err := s.store.personInCustomer(ctx, user, nil)
	if err == nil && person.CustomerSuspended {
		return users.User{}, users.ErrCustomerSuspended
	}
	return user, err
}

// CurrentInvitation implements users.InvitationReader.
func (s Invitations) CurrentInvitation(ctx context.Context, userID string) (users.CurrentInvitation, error) {
	user, err := s.store.Get(ctx, userID)
	current := users.CurrentInvitation{User: user}
	if err != nil || user.Status != users.Pending {
		return current, err
	}
	if _, current.IsUnsent, err = items.Get[unsentItem](ctx, items.In(s.store.client, s.store.table), unsentKey(userID)); err != nil {
		return users.CurrentInvitation{}, err
	}
	if current.Links, err = s.store.credentials.Issued(ctx, userID); err != nil {
		return users.CurrentInvitation{}, err
	}
	if user.LinkID == "" { // of an import, whose links are created with the mails
		return current, nil
	}
	link, err := s.store.credentials.Get(ctx, user.LinkID)
	if errors.Is(err, credentials.ErrUnknown) { // deleted after it had expired
		return current, nil
	}
	current.CreatedAt, current.ExpiresAt = link.CreatedAt, link.ExpiresAt
	if !link.RevokedAt.IsZero() { // by Abandon
		current.ExpiresAt = link.RevokedAt
	}
	return current, err
}

// Activate implements users.InvitationStore.
func (s Invitations) Activate(ctx context.Context, user users.User, key credentials.Credential, at time.Time) (users.User, error) {
	after := user
	after.Status, after.LinkID, after.UpdatedAt, after.Version = users.Active, "", at, user.Version+1
	after.LastLoginAt = at
	var err error
	if key.Generation, err = s.store.credentials.Customers.Generation(ctx, user.CustomerID); err != nil {
		return users.User{}, err
	}
	p := s.store.plan()
	if err := p.recordChange(user, &after); err != nil {
		return users.User{}, err
	}
	p.changeUser(audit.UserActivated, user, after)
	if err := p.updateCredentials(ctx, user.LinkID, after); err != nil {
		return users.User{}, err
	}
	p.endInvitation(user.ID)
	p.issue(key)
	p.Record(credentialsdynamo.Created(key))
	return after, p.run(audit.WithActor(ctx, person(user)))
}

// Unsent implements users.InvitationReader. It skips invitations that are not due. The customers take turns, also over
// several calls; the oldest users of each come first.
func (s Invitations) Unsent(ctx context.Context, at time.Time, limit int) ([]users.Unsent, error) {
	pages := dynamodb.NewQueryPaginator(s.store.client, &dynamodb.QueryInput{
		TableName: &s.store.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :unsent"), FilterExpression: aws.String("due <= :at"),
		ExpressionAttributeValues: items.Map{":unsent": items.Text("unsent"), ":at": items.Number(at.UnixMilli())},
	})
	var waiting []unsentItem
	for pages.HasMorePages() && len(waiting) < mail.MaxWaiting {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the unsent invitations: %w", err)
		}
		for _, item := range page.Items {
			stored, err := items.Decode[unsentItem](item)
			if err != nil {
				return nil, err
			}
			waiting = append(waiting, stored)
		}
	}
	var due []users.Unsent
	for _, stored := range mail.InTurns(&s.store.turns, waiting, limit, func(u unsentItem) string { return u.Customer }) {
		user, err := s.store.Get(ctx, stored.SK)
		if errors.Is(err, users.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		due = append(due, users.Unsent{
			User: user, BaseURL: stored.Base, Attempts: stored.Tries, Makers: credentialsdynamo.ParseMakers(stored.Makers),
		})
	}
	return due, nil
}

// Renew implements users.InvitationStore.
func (s Invitations) Renew(ctx context.Context, user users.User, invitation users.Invitation, at time.Time) error {
	if user.Status != users.Pending {
		return versions.ErrStale
	}
	p := s.store.plan()
	if err := p.revokeLink(ctx, user, at, "replaced"); err != nil {
		return err
	}
	p.Add(versions.ErrStale, p.relink(user, invitation.Link.ID))
	unsent := &types.Put{TableName: &s.store.table, Item: items.Encode(newUnsentItem(user, invitation))}
	if isRepeated := invitation.Attempts > 0; isRepeated {
		unsent.ConditionExpression = aws.String("attribute_exists(pk)")
	}
	p.Add(versions.ErrStale, types.TransactWriteItem{Put: unsent})
	p.issue(invitation.Link)
	p.countMails(invitation.Quotas, at)
	p.audit(audit.UserInvited, user)
	return p.run(ctx)
}

// Abandon implements users.InvitationStore.
func (s Invitations) Abandon(ctx context.Context, user users.User, at time.Time) error {
	p := s.store.plan()
	if err := p.revokeLink(ctx, user, at, "unsent"); err != nil {
		return err
	}
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &s.store.table, Key: unsentKey(user.ID), ConditionExpression: aws.String("link = :link"),
		ExpressionAttributeValues: items.Map{":link": items.Text(user.LinkID)},
	}})
	p.audit(audit.UserInvitationEnded, user)
	return p.run(ctx)
}

// revokeLink revokes the user's activation link if it works.
func (p *plan) revokeLink(ctx context.Context, user users.User, at time.Time, reason string) error {
	live, err := p.live(ctx, user.ID, at)
	for _, c := range live {
		if c.ID == user.LinkID {
			p.revoke(c, at, reason)
		}
	}
	return err
}

// relink stores the new link on the user. It changes the version, so that no change that was decided on the previous
// link replaces or revokes the new one.
func (p *plan) relink(user users.User, linkID string) types.TransactWriteItem {
	update := &types.Update{
		TableName: &p.store.table, Key: p.store.records.Key(user.ID),
		UpdateExpression:    aws.String("SET link = :link, version = :next"),
		ConditionExpression: aws.String("version = :version AND attribute_not_exists(link)"),
		ExpressionAttributeValues: items.Map{
			":link": items.Text(linkID), ":version": items.Number(user.Version), ":next": items.Number(user.Version + 1),
		},
	}
	if user.LinkID != "" {
		update.ConditionExpression = aws.String("version = :version AND link = :before")
		update.ExpressionAttributeValues[":before"] = items.Text(user.LinkID)
	}
	return types.TransactWriteItem{Update: update}
}

// MarkSent implements users.InvitationStore.
func (s Invitations) MarkSent(ctx context.Context, userID, linkID string) error {
	_, err := s.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.store.table, Key: unsentKey(userID), ConditionExpression: aws.String("link = :link"),
		ExpressionAttributeValues: items.Map{":link": items.Text(linkID)},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return nil // a newer link has replaced it, or the user is deleted
	}
	if err != nil {
		return fmt.Errorf("mark the mail to user %s as sent: %w", userID, err)
	}
	return nil
}

// person is the actor of what a user does with a mailed link.
func person(u users.User) audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: u.ID, CustomerID: u.CustomerID}
}
