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
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/users"
)

// A user who creates and deletes credentials all the time must not hold up an admin who suspends, demotes or deletes the user. The one
// transaction over the user and all credentials gets a few attempts. If it meets other changes of the credentials, a second transaction
// closes the user: it changes the user, which no request for a credential writes, and stores a closing. Then the sweep brings the
// credentials in line. It first changes the tally, after which nothing is issued by the old role and status, and then the credentials in
// small batches. Each of its transactions is conditional on the user's version, so that an older sweep cannot undo a newer change. The
// request sweeps for up to sweepTime. A schedule continues a closing that the request has left, also after a crash.

// attempt is the policy of a transaction that has an alternative.
var attempt = retry.Policy{Attempts: 3, FirstWait: 10 * time.Millisecond, LongestWait: 20 * time.Millisecond}

const (
	// sweepTime is how long a request sweeps before it leaves the rest to the schedule.
	sweepTime = 5 * time.Second
	// sweepBatch is how many credentials one transaction of a sweep changes. Each has up to 10 items, of the 100 of a transaction.
	sweepBatch = 8

	// revokedItems is how many items of credentials the one transaction of a deletion may have, which leaves 20 to the user.
	revokedItems = 80

	userDeleted = "user deleted"
)

// errContested means that credentials have changed while they were swept.
var errContested = errors.New("usersdynamo: credentials changed during the sweep")

// isContended reports whether a transaction failed because of other changes of the user's credentials.
func isContended(err error) bool {
	return errors.Is(err, errCredentialsChanged) || errors.Is(err, transactions.ErrBusy)
}

// closingItem is the stored form of users.Closing. SignOut stays until the closing is finished, even if the user becomes active again.
type closingItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	ID      string `dynamodbav:"id"`
	At      int64  `dynamodbav:"at"`
	Due     int64  `dynamodbav:"due"`
	SignOut bool   `dynamodbav:"signOut"`
}

const closingsPK = "closings"

func (i closingItem) closing() users.Closing {
	return users.Closing{ID: i.ID, UserID: i.SK, At: items.Time(i.At), SignOut: i.SignOut}
}

// fitsOneTransaction reports whether all credentials can be revoked in the transaction that deletes their user.
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
		TableName: &p.store.table, Key: items.Key(closingsPK, c.UserID), UpdateExpression: aws.String("SET id = :id, #at = :at, due = :due"),
		ExpressionAttributeNames: map[string]string{"#at": "at"},
		ExpressionAttributeValues: items.Map{
			":id": items.Text(c.ID), ":at": items.Number(items.Millis(c.At)), ":due": items.Number(items.Millis(c.At.Add(mail.SendAfter))),
		},
	}
	if c.SignOut {
		update.UpdateExpression = aws.String("SET id = :id, #at = :at, due = :due, signOut = :true")
		update.ExpressionAttributeValues[":true"] = items.Bool(true)
	}
	p.Add(nil, types.TransactWriteItem{Update: update})
}

// closeUser changes the role and status of a user, and then the credentials.
func (s *Store) closeUser(ctx context.Context, before, after users.User) (users.User, error) {
	c := users.Closing{ID: rand.Text(), UserID: after.ID, At: after.UpdatedAt, SignOut: after.Status != users.Active}
	p := s.plan()
	p.begin(c)
	if c.SignOut {
		p.Add(nil, s.credentials.ClearPasskeys(after.ID))
	}
	updated, err := p.update(ctx, before, after)
	if err == nil {
		s.trySweep(ctx, c)
	}
	return updated, err
}

// closeSessions removes the passkeys of a user, and then ends the sessions.
func (s *Store) closeSessions(ctx context.Context, user users.User, at time.Time) error {
	c := users.Closing{ID: rand.Text(), UserID: user.ID, At: at, SignOut: true}
	p := s.plan()
	p.Add(versions.ErrStale, s.Unchanged(user.ID, user.Version))
	p.begin(c)
	p.Add(nil, s.credentials.ClearPasskeys(user.ID))
	err := p.run(ctx)
	if err == nil {
		s.trySweep(ctx, c)
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
	s.trySweep(ctx, c)
	return nil
}

// trySweep sweeps for a closing that was just stored. The schedule continues it if that fails.
func (s *Store) trySweep(ctx context.Context, c users.Closing) {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	if err := s.Sweep(ctx, c); err != nil {
		slog.WarnContext(ctx, "credentials do not have the state of their user yet", "user", c.UserID, "error", err)
	}
}

// finishClosing sweeps for a closing that an earlier request has left, perhaps because it crashed. So the admin who repeats the request
// need not wait for the schedule.
func (s *Store) finishClosing(ctx context.Context, id string) error {
	stored, found, err := items.Get[closingItem](ctx, items.In(s.client, s.table), items.Key(closingsPK, id))
	if err != nil || !found {
		return err
	}
	s.trySweep(ctx, stored.closing())
	return nil
}

// Sweep implements users.ClosingStore.
func (s *Store) Sweep(ctx context.Context, c users.Closing) error {
	isTransient := func(err error) bool { return versions.IsStale(err) || errors.Is(err, errContested) }
	if err := retry.Default.Do(ctx, isTransient, func() error { return s.sweepOnce(ctx, c) }); err != nil {
		return fmt.Errorf("sweep the credentials of user %s: %w", c.UserID, err)
	}
	return s.finish(ctx, c)
}

// sweepOnce reads the user and brings all live credentials in line. Errors: versions.ErrStale if the user changes meanwhile; errContested
// if credentials do.
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
	live, _, err := s.credentials.ListLive(ctx, c.UserID, c.At)
	if err != nil {
		return err
	}
	return w.writeAll(ctx, live)
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
		plan.Add(versions.ErrStale, w.store.Unchanged(w.closing.UserID, w.user.Version))
		return plan
	}
	plan.Add(versions.ErrStale, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &w.store.table, Key: userKey(w.closing.UserID), ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}})
	return plan
}

// closeTally stores the user's status and version, so that nothing is issued by an older one. It does not store the end of a deleted
// user's credentials, because lists then show none to sweep. The sweep revokes each in the list, too.
func (w *sweep) closeTally(ctx context.Context) error {
	isActive := !w.isDeleted && w.user.Status == users.Active
	change := credentialsdynamo.Change{Active: &isActive, Version: w.user.Version}
	plan := w.plan()
	plan.Add(nil, w.store.credentials.Tally(w.closing.UserID, change))
	return plan.Write(ctx, w.store.client)
}

// writeAll changes the credentials in batches. A batch that fails because of other changes does not hold up the rest.
func (w *sweep) writeAll(ctx context.Context, live []credentials.Credential) error {
	contested := false
	for batch := range slices.Chunk(live, sweepBatch) {
		plan := w.plan()
		for _, c := range batch {
			plan.Add(errContested, w.writes(c)...)
		}
		err := plan.WriteWith(ctx, attempt, w.store.client)
		if contested = contested || err != nil; err != nil && !errors.Is(err, errContested) && !errors.Is(err, transactions.ErrBusy) {
			return err
		}
	}
	if contested {
		return errContested
	}
	return nil
}

// writes returns the writes that bring one credential in line.
func (w *sweep) writes(c credentials.Credential) []types.TransactWriteItem {
	c.RevokedAt = w.closing.At
	switch {
	case w.isDeleted:
		c.Reason = userDeleted
		return w.store.credentials.Revoke(c)
	case c.Kind == credentials.Session && w.closing.SignOut:
		c.Reason = "ended by an administrator"
		return w.store.credentials.Revoke(c)
	default:
		return []types.TransactWriteItem{w.store.credentials.SetOwner(c.ID, credentials.Owner{
			ID: w.user.ID, Role: w.user.Role, Active: w.user.Status == users.Active,
		})}
	}
}

// finish removes a closing, unless it was stored again meanwhile.
func (s *Store) finish(ctx context.Context, c users.Closing) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: items.Key(closingsPK, c.UserID), ConditionExpression: aws.String("id = :id"),
		ExpressionAttributeValues: items.Map{":id": items.Text(c.ID)},
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) {
		return fmt.Errorf("finish the closing of user %s: %w", c.UserID, err)
	}
	return nil
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
