package usersdynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/users"
)

// Conditions that fail only if the table contradicts itself. These errors have no kind, because the
// caller cannot fix the cause; the operator can, with "portside rebuild-ranks".
var (
	errDuplicateID = errors.New("usersdynamo: the new id exists already")
	errListed      = errors.New("usersdynamo: the lists disagree with the users; run portside rebuild-ranks")
	errReused      = errors.New("usersdynamo: the idempotency key is in use")
)

// errCredentialsChanged means that a credential of the user was issued or changed since the user's credentials were read. It is
// versions.ErrStale for callers that do not tell the two apart.
var errCredentialsChanged = fmt.Errorf("usersdynamo: credentials: %w", versions.ErrStale)

// plan is one transaction.
type plan struct {
	transactions.Plan
	store   *Store
	changes []audit.Change // whose events the transaction writes
	lists   *lists.Changes
	days    daycounts.Changes
	admins  int
	owner   string // the user whose credentials the transaction changes or relies on; empty if it does neither
	tally   credentialsdynamo.Change
	policy  retry.Policy
}

func (s *Store) plan() *plan {
	return &plan{store: s, lists: s.lists.Changes(), days: daycounts.Changes{}, policy: retry.Default}
}

// run commits the writes together with the counters that they change.
func (p *plan) run(ctx context.Context) error {
	if p.admins != 0 {
		p.Add(users.ErrLastAdmin, p.adminCount())
	}
	if p.owner != "" && !p.tally.IsEmpty() {
		p.Add(p.tallyRefusal(), p.store.credentials.Tally(p.owner, p.tally))
	}
	counters, err := p.lists.Counters()
	if err != nil {
		return err
	}
	p.Add(nil, counters...)
	p.Add(nil, p.store.days.Writes(p.days)...)
	for _, c := range p.changes {
		p.Add(nil, p.store.credentials.Audit(ctx, c)...)
	}
	return p.WriteWith(ctx, p.policy, p.store.client)
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
	p.audit(audit.UserCreated, users.User{}, u)
	p.Add(users.ErrEmailTaken, p.putNew(newEmailItem(u)))
	p.Add(errDuplicateID, p.putNew(newUserItem(u)))
	p.Add(errListed, p.lists.Add(entry(u))...)
	p.join(u)
	p.Add(nil, p.store.search.Changes(searchindex.Entry{}, searchEntry(u))...)
	p.admins += users.ActingAdmins(users.User{}, u)
}

func (p *plan) changeUser(before, after users.User) {
	p.Add(versions.ErrStale, p.updateUser(before, after))
	p.admins += users.ActingAdmins(before, after)
	if newListItem(before) != newListItem(after) {
		p.Add(errListed, p.lists.Replace(entry(before), entry(after))...)
	}
	if before.CustomerID != after.CustomerID {
		p.leave(before)
		p.join(after)
	}
	p.Add(nil, p.store.search.Changes(searchEntry(before), searchEntry(after))...)
}

func (p *plan) deleteUser(u users.User, at time.Time) error {
	p.audit(audit.UserDeleted, u, users.User{})
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.store.table, Key: userKey(u.ID), ConditionExpression: aws.String("version = :version"),
		ExpressionAttributeValues: items.Map{":version": items.Number(u.Version)},
	}})
	p.Add(errListed, p.remove(emailKey(u.Email)))
	p.Add(errListed, p.lists.Remove(entry(u))...)
	p.leave(u)
	p.Add(nil, p.store.search.Changes(searchEntry(u), searchindex.Entry{})...)
	p.admins += users.ActingAdmins(u, users.User{})
	if u.Status == users.Pending {
		p.endInvitation(u.ID)
	}
	return p.recordDeletion(u, at)
}

// endInvitation removes the mail that may still be unsent.
func (p *plan) endInvitation(userID string) {
	p.Add(nil, types.TransactWriteItem{Delete: &types.Delete{TableName: &p.store.table, Key: unsentKey(userID)}})
}

// invite adds the link and stores its mail as unsent.
func (p *plan) invite(u users.User, invitation users.Invitation) {
	p.Add(errDuplicateID, p.putNew(newUnsentItem(u, invitation)))
	p.issue(invitation.Link)
	p.countMails(invitation.Quotas, u.CreatedAt)
}

// countMails counts one mail against each quota. A quota that occurs several times counts as many mails.
func (p *plan) countMails(quotas []mail.Quota, at time.Time) {
	mails := map[mail.Quota]int{}
	for _, q := range quotas {
		mails[q]++
	}
	for _, q := range quotas {
		p.Add(q.Exceeded(at), p.store.credentials.CountMails(q, mails[q], at)...)
		mails[q] = 0
	}
}

// issue adds a credential.
func (p *plan) issue(c credentials.Credential) {
	p.owner = c.Owner.ID
	p.tally.Issue(c.Kind)
	p.Add(errDuplicateID, p.store.credentials.Issue(c)...)
}

// revoke revokes a credential, and returns it as revoked.
func (p *plan) revoke(c credentials.Credential, at time.Time, reason string) credentials.Credential {
	p.owner = c.Owner.ID
	p.tally.Revoke(c, at)
	c.RevokedAt, c.Reason = at, reason
	p.Add(errCredentialsChanged, p.store.credentials.Revoke(c)...)
	return c
}

// rememberKey stores the idempotency key, unless it is in use.
func (p *plan) rememberKey(key idempotency.Key, u users.User) {
	p.Add(errReused, idempotencykeys.Put(p.store.table, key, newUserItem(u), u.CreatedAt))
}

// updateCredentials writes the user's new role and status to each live credential. If the user is
// no longer pending, it revokes the activation link with the given id instead; links for other
// purposes are treated like other credentials. If the user is not active, it ends the ways in that
// the user cannot see while suspended: a thief's session or passkey must not work again later.
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
			p.Add(errCredentialsChanged, p.store.credentials.SetOwner(c.ID, owner))
		}
	}
	p.tally.Active, p.tally.Version = &owner.Active, after.Version
	if !owner.Active {
		p.Add(nil, p.store.credentials.ClearPasskeys(after.ID))
	}
	return err
}

// revokeAll revokes all live credentials of a user who is deleted, links included, and stores the end of those that have ended. It also
// revokes or deletes their listings.
func (p *plan) revokeAll(userID string, owned credentialsdynamo.Open, at time.Time) {
	p.rely(userID, owned)
	p.tally.EndedAt, p.tally.Reason, p.tally.Active = at, userDeleted, new(bool)
	for _, c := range owned.Ended {
		p.Add(errCredentialsChanged, p.store.credentials.Revoke(c)...)
	}
	for _, c := range owned.Live {
		p.tally.Revoke(c, at)
		c.RevokedAt, c.Reason = at, p.tally.Reason
		p.Add(errCredentialsChanged, p.store.credentials.Revoke(c)...)
	}
}

// rely makes the transaction fail if another credential was issued since the user's credentials were read.
func (p *plan) rely(userID string, on credentialsdynamo.Open) {
	p.owner, p.tally.Seen = userID, &on.Issued
}

// live returns the user's live credentials, and makes the transaction fail if another one is issued
// meanwhile.
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

// updateUser leaves the time of the last sign-in unless the change sets it, because a sign-in since then has stored another.
func (p *plan) updateUser(before, after users.User) types.TransactWriteItem {
	item := items.Encode(newUserItem(after))
	delete(item, "pk")
	delete(item, "sk")
	if after.LastLoginAt.Equal(before.LastLoginAt) {
		delete(item, "lastLogin")
	}
	values := items.Map{":version": items.Number(before.Version)}
	expression, names := setAll(item, values, optionalAttributes())
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &p.store.table, Key: userKey(after.ID), UpdateExpression: &expression,
		ConditionExpression: aws.String("version = :version"), ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}

func (p *plan) putNew(shape any) types.TransactWriteItem {
	return p.put(shape, "attribute_not_exists(pk)")
}

func (p *plan) putListed(shape any) types.TransactWriteItem {
	return p.put(shape, "attribute_exists(pk)")
}

func (p *plan) put(shape any, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &p.store.table, Item: items.Encode(shape), ConditionExpression: &condition,
	}}
}

func (p *plan) remove(key items.Map) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.store.table, Key: key, ConditionExpression: aws.String("attribute_exists(pk)"),
	}}
}

// setAll returns the update expression that sets all attributes of the item and removes those
// optional attributes that the item lacks. It adds its values to the given ones.
func setAll(item, values items.Map, optional []string) (string, map[string]string) {
	names := make(map[string]string, len(item)+len(optional))
	sets, removes := make([]string, 0, len(item)), make([]string, 0, len(optional))
	for name, value := range item {
		names["#"+name], values[":to_"+name] = name, value
		sets = append(sets, "#"+name+" = :to_"+name)
	}
	for _, name := range optional {
		if _, set := item[name]; !set {
			names["#"+name] = name
			removes = append(removes, "#"+name)
		}
	}
	slices.Sort(sets)
	expression := "SET " + strings.Join(sets, ", ")
	if len(removes) > 0 {
		expression += " REMOVE " + strings.Join(removes, ", ")
	}
	return expression, names
}
