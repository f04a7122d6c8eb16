package credentialsdynamo

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
)

// Writes returns writes and checks about credentials, for transactions of other stores.
type Writes struct{ table, counts string }

// Issue returns the writes that add a credential: its record, its listing, for a token or password that expires its
// expiry item, for a session its count, and an item for each maker's credential of another user. They fail if the id
// exists. The transaction also needs a Tally.
func (w Writes) Issue(c credentials.Credential) []types.TransactWriteItem {
	r := newRecord(c)
	writes := []types.TransactWriteItem{w.put(r), w.put(newListing(c))}
	if r.hasNotice() {
		writes = append(writes, w.put(newExpiry(r)))
	}
	if c.Kind == credentials.Session {
		writes = append(writes, w.putCount(c))
	}
	return append(writes, w.putMade(c, r.PurgeAt)...)
}

// IssueExchanged returns the writes that add a credential that a workload got by an exchange. The first fails if the
// customer is suspended or does not exist. It adds no listing and no Tally, because the owner is not a user and such
// credentials work only for minutes.
func (w Writes) IssueExchanged(c credentials.Credential) []types.TransactWriteItem {
	return []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &w.table, Key: customerstates.Key(c.Owner.CustomerID),
		ConditionExpression:       aws.String("attribute_exists(pk) AND (attribute_not_exists(suspended) OR suspended = :false)"),
		ExpressionAttributeValues: items.Map{":false": items.Bool(false)},
	}}, w.put(newRecord(c))}
}

func (w Writes) put(shape any) types.TransactWriteItem {
	return items.PutNew(w.table, items.Encode(shape))
}

// Remember returns the write that stores an idempotency key with the sealed secret that it has created. Its condition
// fails if the key is in use; see Replay.
func (w Writes) Remember(key idempotency.Key, secret credentials.Secret, at time.Time) types.TransactWriteItem {
	return idempotencykeys.Put(w.table, key, key.Seal(secret.Reveal()), at)
}

// SetOwner returns the write that stores its owner's new customer, role and status on a credential. It fails
// if the credential does not exist. The transaction also needs a Tally with Change.Active.
func (w Writes) SetOwner(id string, owner credentials.Owner) types.TransactWriteItem {
	update := &types.Update{
		TableName: &w.table, Key: recordKey(id),
		UpdateExpression:          aws.String("SET #role = :role, active = :active REMOVE customer"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#role": "role"},
		ExpressionAttributeValues: items.Map{":role": items.Text(string(owner.Role)), ":active": items.Bool(owner.Active)},
	}
	if owner.CustomerID != "" {
		update.UpdateExpression = aws.String("SET #role = :role, active = :active, customer = :customer")
		update.ExpressionAttributeValues[":customer"] = items.Text(owner.CustomerID)
	}
	return types.TransactWriteItem{Update: update}
}

// Revoke returns the writes that revoke a credential. They use the kind, id, owner and makers of c, and
// store c.RevokedAt and c.Reason. The first one fails if the owner has no such credential or the
// credential is revoked already. The transaction also needs a Tally.
func (w Writes) Revoke(c credentials.Credential) []types.TransactWriteItem {
	writes := append([]types.TransactWriteItem{w.revokeRecord(c)}, w.deleteMade(c)...)
	if c.Exchanged {
		return writes
	}
	if !StaysListed(c.Kind) {
		return append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &w.table, Key: listingKey(c)}})
	}
	listing := revocation(c)
	listing.TableName, listing.Key, listing.ConditionExpression = &w.table, listingKey(c), aws.String("attribute_exists(pk)")
	return append(writes, types.TransactWriteItem{Update: listing})
}

// revokeRecord returns the write of the record, which Revoke needs for each kind of credential.
func (w Writes) revokeRecord(c credentials.Credential) types.TransactWriteItem {
	update := revocation(c)
	update.TableName, update.Key = &w.table, recordKey(c.ID)
	update.ConditionExpression = aws.String("#owner = :owner AND kind = :kind AND attribute_not_exists(revoked)")
	update.ExpressionAttributeNames = map[string]string{"#owner": "owner"}
	update.ExpressionAttributeValues[":owner"] = items.Text(c.Owner.ID)
	update.ExpressionAttributeValues[":kind"] = items.Text(string(c.Kind))
	return types.TransactWriteItem{Update: update}
}

// revocation returns an update, still without key and condition, that stores c.RevokedAt and c.Reason.
func revocation(c credentials.Credential) *types.Update {
	return &types.Update{
		UpdateExpression: aws.String("SET revoked = :at, reason = :reason, purgeAt = :purge"),
		ExpressionAttributeValues: items.Map{
			":at": items.Number(items.Millis(c.RevokedAt)), ":reason": items.Text(c.Reason),
			":purge": items.Number(c.RevokedAt.Add(credentials.Retention).Unix()),
		},
	}
}

// MarkLeaked returns the write that changes the reason of a revoked credential to credentials.ReasonLeaked. It stores
// c.RevokedAt if the record has no end, because all credentials of its customer have ended. It fails if the credential
// no longer exists. Its listing keeps the reason, so it is only for kinds that are not listed after their end; see
// StaysListed.
func (w Writes) MarkLeaked(c credentials.Credential) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &w.table, Key: recordKey(c.ID), ConditionExpression: aws.String("attribute_exists(pk)"),
		UpdateExpression: aws.String("SET #reason = :leaked, revoked = if_not_exists(revoked, :at), purgeAt = if_not_exists(purgeAt, :purge)"),

		ExpressionAttributeNames: map[string]string{"#reason": "reason"},
		ExpressionAttributeValues: items.Map{
			":leaked": items.Text(credentials.ReasonLeaked), ":at": items.Number(items.Millis(c.RevokedAt)),
			":purge": items.Number(c.RevokedAt.Add(credentials.Retention).Unix()),
		},
	}}
}

// StillWorks returns the checks that a credential is not revoked, its owner is active, and not all credentials of the
// owner's customer have ended. Transactions on behalf of a credential contain them, so that a credential that has just
// ended issues nothing.
func (w Writes) StillWorks(by principal.Credential) []types.TransactWriteItem {
	var since Since
	since.Add(by.CustomerID, by.Generation)
	return append([]types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &w.table, Key: recordKey(by.ID),
		ConditionExpression:       aws.String("active = :true AND attribute_not_exists(revoked)"),
		ExpressionAttributeValues: items.Map{":true": items.Bool(true)},
	}}}, w.Checks(since)...)
}

// hasNotEnded returns the check that a credential is not revoked, or was removed. Sessions and links also pass it after
// they have ended as usual, by a sign-out or by their use, but not if they were reported as leaked. A report of a used
// link has no effect. Transactions that finish what a credential has begun contain the check. They must not come later
// than credentials.Retention after that, because the record of a revoked credential may then be purged.
func (w Writes) hasNotEnded(id string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &w.table, Key: recordKey(id),
		ConditionExpression:      aws.String("attribute_not_exists(revoked) OR kind <> :key AND #reason <> :leaked"),
		ExpressionAttributeNames: map[string]string{"#reason": "reason"},
		ExpressionAttributeValues: items.Map{
			":key": items.Text(string(credentials.APIKey)), ":leaked": items.Text(credentials.ReasonLeaked),
		},
	}}
}

func recordPK(id string) string { return "credential#" + id }

func ownerPK(id string) string { return "owner#" + id }

func recordKey(id string) items.Map { return items.Key(recordPK(id), "credential") }
