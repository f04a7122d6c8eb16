package usersdynamo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/passkeysets"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/users"
)

// A user who creates and deletes credentials all the time must not hold up an admin who suspends, demotes or deletes
// the user. The one transaction over the user and all credentials gets a few attempts. If it meets other changes of the
// credentials, a second transaction closes the user: it changes the user, which no request for a credential writes, and
// stores a closing. Then the sweep brings the credentials in line. It first changes the tally, after which nothing is
// issued by the old role and status, and then the credentials in small batches. Each of its transactions is conditional
// on the user's version, so that an older sweep cannot undo a newer change. The request sweeps for up to SweepTime. A
// schedule continues a closing that the request has left, also after a crash.

// attempt is the policy of a transaction that has an alternative.
var attempt = retry.Policy{Attempts: 3, FirstWait: 10 * time.Millisecond, LongestWait: 20 * time.Millisecond}

const (
	sweepTime = 5 * time.Second
	// sweepBatch is how many credentials one transaction of a sweep changes. Each has up to 10 items, of the 100 of a
	// transaction.
	sweepBatch = 8

	// revokedItems is how many items of credentials the one transaction of a deletion or ending may have, which leaves
	// 36 to the user.
	revokedItems = 64

	// credentialItems is revokedItems for a change of role or status. Such a change can also change the name, and with
	// it all search terms of the user.
	credentialItems = 54

	userDeleted = "user deleted"
)

// errContested means that credentials have changed while they were swept.
var errContested = errors.New("usersdynamo: credentials changed during the sweep")

// isContended reports whether a transaction failed because of other changes of the user's credentials.
func isContended(err error) bool {
	return errors.Is(err, errCredentialsChanged) || errors.Is(err, transactions.ErrBusy)
}

// errManyCredentials means that the credentials do not fit into one transaction with their user.
var errManyCredentials = errors.New("usersdynamo: too many credentials for one transaction")

// needsClosing reports whether one transaction over a user and all credentials cannot succeed now.
func needsClosing(err error) bool { return isContended(err) || errors.Is(err, errManyCredentials) }

// closingItem is the stored form of users.Closing. SignOut and EndsAll stay until the closing is finished, even if the
// user becomes active again.
type closingItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	ID      string `dynamodbav:"id"`
	At      int64  `dynamodbav:"at"`
	Due     int64  `dynamodbav:"due"`
	SignOut bool   `dynamodbav:"signOut"`
	EndsAll bool   `dynamodbav:"endsAll"`
}

const closingsPK = "closings"

func (i closingItem) closing() users.Closing {
	return users.Closing{ID: i.ID, UserID: i.SK, At: items.Time(i.At), SignOut: i.SignOut, EndsAll: i.EndsAll}
}

// fitsOneTransaction reports whether the credentials can be revoked in one transaction, together with a change of their
// user.
func fitsOneTransaction(live []credentials.Credential) bool {
	n := 0
	for _, c := range live {
		n += 2 + len(c.Makers)
	}
	return n <= revokedItems
}

// begin adds the closing to the plan.
func (p *plan) begin(c users.Closing) {
	update := &types.Update{
		TableName: &p.store.table, Key: items.Key(closingsPK, c.UserID),
		UpdateExpression:         aws.String("SET id = :id, #at = :at, due = :due"),
		ExpressionAttributeNames: map[string]string{"#at": "at"},
		ExpressionAttributeValues: items.Map{
			":id": items.Text(c.ID), ":at": items.Number(items.Millis(c.At)),
			":due": items.Number(items.Millis(c.At.Add(mail.SendAfter))),
		},
	}
	for attribute, isSet := range map[string]bool{"signOut": c.SignOut, "endsAll": c.EndsAll} {
		if isSet {
			update.UpdateExpression = aws.String(*update.UpdateExpression + ", " + attribute + " = :true")
			update.ExpressionAttributeValues[":true"] = items.Bool(true)
		}
	}
	p.Add(nil, types.TransactWriteItem{Update: update})
}

// closeUser changes the role and status of a user, and then the credentials.
func (s *Store) closeUser(ctx context.Context, before, after users.User) (users.User, error) {
	c := users.Closing{ID: rand.Text(), UserID: after.ID, At: after.UpdatedAt, SignOut: after.Status != users.Active}
	p := s.plan()
	p.begin(c)
	if c.SignOut {
		p.Add(nil, passkeysets.EmptySet(s.credentials.Name(), after.ID))
	}
	updated, err := p.update(ctx, before, after)
	if err == nil {
		s.trySweep(ctx, c.UserID)
	}
	return updated, err
}

// move changes the customer of a user, and then ends all credentials but an activation link. People of the old customer
// may have secrets of the user, which must not open the new customer.
func (s *Store) move(ctx context.Context, before, after users.User) (users.User, error) {
	c := users.Closing{ID: rand.Text(), UserID: after.ID, At: after.UpdatedAt, SignOut: true, EndsAll: true}
	p := s.plan()
	p.begin(c)
	p.Add(nil, passkeysets.EmptySet(s.credentials.Name(), after.ID))
	updated, err := p.update(ctx, before, after)
	if err == nil {
		s.trySweep(ctx, c.UserID)
	}
	return updated, s.explainCustomer(ctx, err, after.CustomerID)
}

// closeCredentials removes the passkeys of a user, and then ends the credentials.
func (s *Store) closeCredentials(ctx context.Context, user users.User, ending users.Ending, at time.Time) error {
	c := users.Closing{ID: rand.Text(), UserID: user.ID, At: at, SignOut: true, EndsAll: ending == users.EndAll}
	p := s.plan()
	p.Add(versions.ErrStale, s.People.Unchanged(user.ID, user.Version))
	p.begin(c)
	p.Add(nil, passkeysets.EmptySet(s.credentials.Name(), user.ID))
	p.audit(endingAction(ending), user)
	err := p.run(ctx)
	if err == nil {
		s.trySweep(ctx, c.UserID)
	}
	return err
}

// closeDeleted deletes a user, and then revokes the credentials.
func (s *Store) closeDeleted(ctx context.Context, user users.User, at time.Time) error {
	c := users.Closing{ID: rand.Text(), UserID: user.ID, At: at}
	p, err := s.deletion(user, at)
	if err != nil {
		return err
	}
	p.begin(c)
	if err := p.run(ctx); err != nil {
		return err
	}
	s.trySweep(ctx, c.UserID)
	return nil
}

// trySweep sweeps for a closing that was just stored. The schedule continues it if that fails.
func (s *Store) trySweep(ctx context.Context, userID string) {
	if err := s.FinishClosing(ctx, userID); err != nil {
		logUnswept(ctx, userID, err)
	}
}

// FinishClosing implements users.CredentialEnder. It sweeps for the stored closing, which an earlier request may have
// left, perhaps because it crashed. So the admin who repeats the request need not wait for the schedule. The closing
// may end more than the last request did.
func (s *Store) FinishClosing(ctx context.Context, userID string) error {
	stored, found, err := items.Get[closingItem](ctx, items.In(s.client, s.table), items.Key(closingsPK, userID))
	if err != nil || !found {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.SweepTime)
	defer cancel()
	if err := s.Sweep(ctx, stored.closing()); err != nil {
		logUnswept(ctx, userID, err)
	}
	return nil
}

func logUnswept(ctx context.Context, userID string, err error) {
	slog.WarnContext(ctx, "credentials do not have the state of their user yet", "user", userID, "error", err)
}

// Sweep implements users.ClosingStore.
func (s *Store) Sweep(ctx context.Context, c users.Closing) error {
	isTransient := func(err error) bool { return versions.IsStale(err) || errors.Is(err, errContested) }
	err := retry.Default.Do(ctx, isTransient, func() error { return s.sweepOnce(ctx, c) })
	if err != nil && !errors.Is(err, errReplaced) {
		return fmt.Errorf("sweep the credentials of user %s: %w", c.UserID, err)
	}
	return nil
}

// sweepOnce reads the user and brings all live credentials in line. Errors: versions.ErrStale if the user changes
// meanwhile; errContested if credentials do.
func (s *Store) sweepOnce(ctx context.Context, c users.Closing) error {
	w := sweep{store: s, closing: c}
	var err error
	if w.user, err = s.Get(ctx, c.UserID); errors.Is(err, users.ErrNotFound) {
		w.isDeleted, err = true, nil
	}
	if err != nil {
		return err
	}
	if err := w.closeTally(ctx); err != nil {
		return err
	}
	open, err := s.credentials.ListOpen(ctx, c.UserID, c.At)
	if err != nil {
		return err
	}
	if err := w.writeAll(ctx, open.Live); err != nil {
		return err
	}
	if w.isDeleted || c.EndsAll {
		if err := w.storeEnds(ctx, open.Ended); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// sweep is one pass over the credentials of a user as of one version.
type sweep struct {
	store     *Store
	closing   users.Closing
	user      users.User
	isDeleted bool
}

// plan returns a transaction that fails if the user has changed since.
func (w *sweep) plan() *transactions.Plan {
	plan := &transactions.Plan{}
	if !w.isDeleted {
		plan.Add(versions.ErrStale, w.store.People.Unchanged(w.closing.UserID, w.user.Version))
		return plan
	}
	plan.Add(versions.ErrStale, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &w.store.table, Key: w.store.records.Key(w.closing.UserID),
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}})
	return plan
}

// closeTally stores the user's status and version, so that no credential is issued for an older version. If all
// credentials end, none is issued until the sweep ends, because a credential could create others before it is swept.
// closeTally does not store the end of a deleted user's credentials: lists would then show none to sweep. The sweep
// revokes them one by one.
func (w *sweep) closeTally(ctx context.Context) error {
	isActive := !w.isDeleted && w.user.Status == users.Active && !w.closing.EndsAll
	change := credentialsdynamo.Change{Active: &isActive, Version: w.user.Version}
	plan := w.plan()
	plan.Add(nil, w.store.credentials.Writes.Tally(w.closing.UserID, change))
	key, condition, values := w.isStored()
	plan.Add(errReplaced, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &w.store.table, Key: key, ConditionExpression: condition, ExpressionAttributeValues: values,
	}})
	return plan.Write(ctx, w.store.client)
}

// writeAll changes the credentials in batches. A batch that fails because of other changes does not hold up the rest.
func (w *sweep) writeAll(ctx context.Context, live []credentials.Credential) error {
	var contested error
	for batch := range slices.Chunk(live, sweepBatch) {
		plan, tally := w.plan(), credentialsdynamo.Change{}
		for _, c := range batch {
			plan.Add(errContested, w.writes(c)...)
			if w.endsOne(c) {
				tally.Revoke(c, w.closing.At)
			}
		}
		if !tally.IsEmpty() {
			plan.Add(errContested, w.store.credentials.Writes.Tally(w.closing.UserID, tally))
		}
		err := plan.WriteWith(ctx, attempt, w.store.client)
		switch {
		case errors.Is(err, errContested) || errors.Is(err, transactions.ErrBusy):
			contested = errContested
		case err != nil:
			return err
		}
	}
	return contested
}

// storeEnds revokes credentials that ended together with all others of a customer. The user may have left the customer
// since. The tally does not count them.
func (w *sweep) storeEnds(ctx context.Context, ended []credentials.Credential) error {
	for batch := range slices.Chunk(ended, sweepBatch) {
		plan := w.plan()
		for _, c := range batch {
			plan.Add(errContested, w.store.credentials.Writes.Revoke(c)...)
		}
		if err := plan.WriteWith(ctx, attempt, w.store.client); err != nil {
			return err
		}
	}
	return nil
}

// writes returns the writes that bring one credential in line.
func (w *sweep) writes(c credentials.Credential) []types.TransactWriteItem {
	c.RevokedAt = w.closing.At
	switch {
	case w.isDeleted:
		c.Reason = userDeleted
		return w.store.credentials.Writes.Revoke(c)
	case c.Kind == credentials.Session && w.closing.SignOut, w.endsOne(c):
		c.Reason = credentials.ReasonEnded
		return w.store.credentials.Writes.Revoke(c)
	default:
		return []types.TransactWriteItem{w.store.credentials.Writes.SetOwner(c.ID, credentials.OwnerOf(w.user.Person()))}
	}
}

// endsOne reports whether the closing ends all credentials, and this one with them.
func (w *sweep) endsOne(c credentials.Credential) bool {
	return w.closing.EndsAll && !w.isDeleted && ends(c, users.EndAll, w.user)
}

// errReplaced means that the closing is finished, or that another request has replaced it by one that does at least the
// same.
var errReplaced = errors.New("usersdynamo: a newer closing")

// finish removes the closing, unless it was stored again meanwhile. If all credentials have ended, the user can get new
// ones again.
func (w *sweep) finish(ctx context.Context) error {
	plan := &transactions.Plan{}
	if w.closing.EndsAll && !w.isDeleted {
		isActive := w.user.Status == users.Active
		plan = w.plan()
		plan.Add(nil, w.store.credentials.Writes.Tally(w.closing.UserID, credentialsdynamo.Change{Active: &isActive, Version: w.user.Version}))
	}
	key, condition, values := w.isStored()
	plan.Add(errReplaced, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &w.store.table, Key: key, ConditionExpression: condition, ExpressionAttributeValues: values,
	}})
	return plan.Write(ctx, w.store.client)
}

// isStored returns the key of the closing, and the condition that no other closing has replaced it.
func (w *sweep) isStored() (key items.Map, condition *string, values items.Map) {
	return items.Key(closingsPK, w.closing.UserID), aws.String("id = :id"), items.Map{":id": items.Text(w.closing.ID)}
}

// Closings implements users.ClosingStore.
func (s *Store) Closings(ctx context.Context, at time.Time, limit int) ([]users.Closing, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :closings"), FilterExpression: aws.String("due <= :at"),
		ExpressionAttributeValues: items.Map{":closings": items.Text(closingsPK), ":at": items.Number(at.UnixMilli())},
	})
	var due []users.Closing
	for pages.HasMorePages() && len(due) < limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the unfinished closings: %w", err)
		}
		for _, item := range page.Items[:min(len(page.Items), limit-len(due))] {
			stored, err := items.Decode[closingItem](item)
			if err != nil {
				return nil, err
			}
			due = append(due, stored.closing())
		}
	}
	return due, nil
}
