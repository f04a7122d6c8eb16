package usersdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/passkeysets"
	"portside/shared/dynamo/records"
	"portside/shared/mail"
	"portside/shared/users"
)

// errCredentialsChanged means that a credential of the user was issued or changed since the user's credentials were
// read. It is versions.ErrStale for callers that need not distinguish the two.
var errCredentialsChanged = fmt.Errorf("usersdynamo: credentials: %w", versions.ErrStale)

// plan is one transaction over users and their credentials.
type plan struct {
	*records.Plan
	store  *Store
	admins int
	owner  string // the user whose credentials the transaction changes or relies on; empty if there is none
	tally  credentialsdynamo.Change
}

func (s *Store) plan() *plan { return &plan{Plan: s.records.Plan(), store: s} }

// run commits the writes together with the counters that they change.
func (p *plan) run(ctx context.Context) error {
	if p.admins != 0 {
		p.Add(users.ErrLastAdmin, p.adminCount())
	}
	if p.owner != "" && !p.tally.IsEmpty() {
		p.Add(p.tallyRefusal(), p.store.credentials.Writes.Tally(p.owner, p.tally))
	}
	return p.Run(ctx)
}

// tallyRefusal returns the error for a failed tally: another request issued a credential meanwhile, or
// there are too many.
func (p *plan) tallyRefusal() error {
	if p.tally.Seen != nil {
		return errCredentialsChanged
	}
	return users.ErrTooManyKeys
}

func (p *plan) createUser(u users.User) {
	p.Create(audit.UserCreated, row(u))
	p.join(u)
	p.admins += users.ActingAdmins(users.User{}, u)
}

func (p *plan) changeUser(action audit.Action, before, after users.User) {
	p.Change(action, row(before), row(after))
	p.admins += users.ActingAdmins(before, after)
	if before.CustomerID != after.CustomerID {
		p.leave(before)
		p.join(after)
	}
}

func (p *plan) deleteUser(u users.User, at time.Time) error {
	p.Delete(audit.UserDeleted, row(u))
	p.leave(u)
	p.admins += users.ActingAdmins(u, users.User{})
	if u.Status == users.Pending {
		p.endInvitation(u.ID)
	}
	return p.recordDeletion(u, at)
}

// audit adds an event about a user without a change of the user's fields.
func (p *plan) audit(action audit.Action, u users.User) {
	same := row(u)
	p.Audit(action, same, same)
}

// endInvitation removes the mail that may still be unsent.
func (p *plan) endInvitation(userID string) {
	p.Add(nil, types.TransactWriteItem{Delete: &types.Delete{TableName: &p.store.table, Key: unsentKey(userID)}})
}

// invite adds the link and stores its mail as unsent.
func (p *plan) invite(u users.User, invitation users.Invitation) {
	p.Add(records.ErrDuplicateID, items.PutNew(p.store.table, items.Encode(newUnsentItem(u, invitation))))
	p.issue(invitation.Link)
	p.countMails(invitation.Quotas, u.CreatedAt)
}

// countMails counts one mail for each quota in the list. The list can have a quota several times.
func (p *plan) countMails(quotas []mail.Quota, at time.Time) {
	mails := map[mail.Quota]int{}
	for _, q := range quotas {
		mails[q]++
	}
	for _, q := range quotas {
		p.Add(q.Exceeded(at), p.store.credentials.Windows.Count(q.Window(), mails[q], at)...)
		mails[q] = 0
	}
}

// issue adds a credential.
func (p *plan) issue(c credentials.Credential) {
	p.owner = c.Owner.ID
	p.tally.Issue(c.Kind)
	p.Add(records.ErrDuplicateID, p.store.credentials.Writes.Issue(c)...)
}

// revoke revokes a credential, and returns it as revoked.
func (p *plan) revoke(c credentials.Credential, at time.Time, reason string) credentials.Credential {
	p.owner = c.Owner.ID
	p.tally.Revoke(c, at)
	c.RevokedAt, c.Reason = at, reason
	p.Add(errCredentialsChanged, p.store.credentials.Writes.Revoke(c)...)
	return c
}

// updateCredentials writes the user's new role and status to each live credential. If the user is no longer pending, it
// revokes the activation link with the given ID instead; other links are treated like other credentials. If the user is
// not active, it ends sessions and passkeys. A suspended user could not see and end those of a thief, which would work
// again later.
func (p *plan) updateCredentials(ctx context.Context, linkID string, after users.User) error {
	live, err := p.live(ctx, after.ID, after.UpdatedAt)
	owner := credentials.OwnerOf(after.Person())
	for _, c := range live {
		switch {
		case c.ID == linkID && after.Status != users.Pending:
			p.revoke(c, after.UpdatedAt, "used or withdrawn")
		case c.Kind == credentials.Session && !owner.Active:
			p.revoke(c, after.UpdatedAt, "user not active")
		default:
			p.Add(errCredentialsChanged, p.store.credentials.Writes.SetOwner(c.ID, owner))
		}
	}
	p.tally.Active, p.tally.Version = &owner.Active, after.Version
	if !owner.Active {
		p.Add(nil, passkeysets.EmptySet(p.store.credentials.Name(), after.ID))
	}
	return err
}

// revokeAll revokes all live credentials of a user who is deleted, links included, and stores the end of those that
// have ended. It also revokes or deletes their listings.
func (p *plan) revokeAll(userID string, owned credentialsdynamo.Open, at time.Time) {
	p.rely(userID, owned)
	p.tally.EndedAt, p.tally.Reason, p.tally.Active = at, userDeleted, new(bool)
	for _, c := range owned.Ended {
		p.Add(errCredentialsChanged, p.store.credentials.Writes.Revoke(c)...)
	}
	for _, c := range owned.Live {
		p.tally.Revoke(c, at)
		c.RevokedAt, c.Reason = at, p.tally.Reason
		p.Add(errCredentialsChanged, p.store.credentials.Writes.Revoke(c)...)
	}
}

// rely makes the transaction fail if another credential was issued since the given ones were read.
func (p *plan) rely(userID string, on credentialsdynamo.Open) {
	p.owner, p.tally.Seen = userID, &on.Issued
}

// live returns the user's live credentials, and makes the transaction fail if another one is issued meanwhile.
func (p *plan) live(ctx context.Context, userID string, at time.Time) ([]credentials.Credential, error) {
	owned, err := p.store.credentials.ListOpen(ctx, userID, at)
	p.rely(userID, owned)
	return owned.Live, err
}

func (p *plan) adminCount() types.TransactWriteItem {
	update := &types.Update{
		TableName: &p.store.table, Key: adminsKey(), UpdateExpression: aws.String("ADD n :change, v :one"),
		ExpressionAttributeValues: items.Map{":change": items.Number(int64(p.admins)), ":one": items.Number(1)},
	}
	if p.admins < 0 {
		update.ConditionExpression = aws.String("n > :least")
		update.ExpressionAttributeValues[":least"] = items.Number(int64(-p.admins))
	}
	return types.TransactWriteItem{Update: update}
}
