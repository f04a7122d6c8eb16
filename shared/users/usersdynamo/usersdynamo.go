// Package usersdynamo keeps users in a DynamoDB table.
//
// The items, all in one table with the keys pk and sk:
//
//	user#<id>              user       the user, with everything that the full form shows, and its life
//	email#<address>        email      marks the address as taken; names the user
//	list#all               <number>   the list form, in the order of creation; see package lists
//	list#<role>            <number>   the same, of one role
//	rank#users…                       counts over the lists; see package rank
//	admins                 admins     n, the number of active admins, which never falls from 1 to 0; v, its version
//	once#<caller>#<key>    once       an idempotency key with the user that it made; see package oncedynamo
//	unsent                 <user id>  an activation mail that is not sent yet
//	gone#<id>              gone       the life of a deleted user
//
// Every change is one transaction over all items that it touches, so that a process which dies at any moment leaves
// whole users only. Each item is guarded: a user by its version, everything else by existing or not existing. The list
// form is kept in items of its own, and not in an index, because an index is read eventually consistently: a page would
// disagree with its total just after a write.
//
// A user's credentials live in another table and carry the user's role and standing (see shared/credentials). Changing
// these, or deleting the user, writes to every live credential in the same transaction, which is conditional on the tally
// of credentials, so that none slips in between reading and writing.
//
// How many users there are, of which status and role, is counted by the day in the table of analytics, in the same
// transaction, too: only changes of role or status, creations and deletions touch that. See shared/dynamo/daycounts.
package usersdynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/users"
)

// Store keeps users, their keys and their invitations.
type Store struct {
	client      *dynamodb.Client
	table       string
	days        daycounts.Table
	lists       *lists.Lists
	credentials *credentialsdynamo.Table
}

// New returns a Store in the named table, with credentials in theirs, which counts users by the day in a third.
func New(client *dynamodb.Client, table string, credentials *credentialsdynamo.Table, days daycounts.Table) *Store {
	shape := lists.Shape{Name: "users", Label: "role", Labels: labels()}
	return &Store{
		client: client, table: table, days: days, lists: lists.New(client, table, shape), credentials: credentials,
	}
}

var (
	_ users.Store           = (*Store)(nil)
	_ users.KeyStore        = (*Store)(nil)
	_ users.InvitationStore = (*Store)(nil)
	_ users.BulkStore       = (*Store)(nil)
)

// labels are what the lists are counted by. Their order is part of the stored counters: append only.
func labels() []string {
	all := make([]string, 0, len(principal.Roles()))
	for _, r := range principal.Roles() {
		all = append(all, string(r))
	}
	return all
}

// Get implements users.Store with one strongly consistent read.
func (s *Store) Get(ctx context.Context, id string) (users.User, error) {
	stored, err := s.read(ctx, id)
	return stored.user(), err
}

func (s *Store) read(ctx context.Context, id string) (userItem, error) {
	stored, found, err := items.Get[userItem](ctx, items.In(s.client, s.table), userKey(id))
	if err == nil && !found {
		return userItem{}, users.ErrNotFound
	}
	return stored, err
}

// Create implements users.Store.
func (s *Store) Create(ctx context.Context, creation users.Creation) (users.Created, error) {
	user := creation.User
	var err error
	if user.Number, user.CreatedAt, err = s.lists.Allocate(ctx, 1, user.CreatedAt); err != nil {
		return users.Created{}, err
	}
	user.UpdatedAt, user.Version = user.CreatedAt, 1
	p := s.plan()
	p.begin(&user)
	if creation.Once != nil {
		p.once(*creation.Once, user)
	}
	p.createUser(user)
	if creation.Invitation != nil {
		p.invite(user, *creation.Invitation)
	}
	err = p.run(ctx)
	if errors.Is(err, errReused) {
		return s.replay(ctx, *creation.Once, user.CreatedAt)
	}
	return users.Created{User: user}, err
}

// replay returns what the idempotency key made.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (users.Created, error) {
	made, err := idempotencykeys.Made[userItem](ctx, items.In(s.client, s.table), key, at)
	return users.Created{User: made.user(), Replayed: true}, err
}

// Update implements users.Store.
func (s *Store) Update(ctx context.Context, before, after users.User) (users.User, error) {
	after.Number, after.Version = before.Number, before.Version+1
	p := s.plan()
	if before.Role != after.Role || before.Status != after.Status {
		if err := p.standing(ctx, before.LinkID, after); err != nil {
			return users.User{}, err
		}
	}
	if before.Status == users.Pending && after.Status != users.Pending {
		p.endInvitation(after.ID)
		after.LinkID = ""
	}
	if err := p.goOn(before, &after); err != nil {
		return users.User{}, err
	}
	p.changeUser(before, after)
	return after, p.run(ctx)
}

// Delete implements users.Store.
func (s *Store) Delete(ctx context.Context, user users.User, at time.Time) error {
	p := s.plan()
	if err := p.deleteUser(user, at); err != nil {
		return err
	}
	if err := p.revokeAll(ctx, user.ID, at); err != nil {
		return err
	}
	return p.run(ctx)
}
