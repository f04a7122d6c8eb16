// Package usersdynamo keeps users in a DynamoDB table.
//
// The items, all in one table with the keys pk and sk:
//
//	user#<id>              user       the user, with all fields of the full form, and its history
//	email#<address>        email      marks the address as taken, and names the user
//	list#all               <number>   the list form, in the order of creation; see package lists
//	list#<role>            <number>   the same, of one role
//	list#…#<status>        <number>   the same, of one status in each of these two lists
//	list#<customer>#…      <number>   the same lists of the users of a customer
//	rank#users…                       counts over the lists; see package rank
//	search#<character>     <term>     what a search finds: the beginnings of the address and of words of the name; see package searchindex
//	admins                 admins     n, the number of active admins, which never falls from 1 to 0; v, its version
//	once#<caller>#<hash>   once       an idempotency key and the user that it created; see package idempotencykeys
//	unsent                 <user id>  an activation mail that was not sent yet
//	closings               <user id>  a change of role or status, or a deletion, that has not reached all credentials; see closing.go
//	gone#<id>              gone       the history of a deleted user
//
// Every change is one transaction over all items that it concerns, so that a process that dies at
// any moment leaves only complete users. Each write has a condition: on the version of a user, on the owner of a
// marker, and for other items on whether they exist. See package records. The list form has separate items instead of
// an index, because an index is eventually consistent: a page would disagree with its total just after a write.
//
// A user's credentials are in another table and carry the user's customer, role and status (see
// shared/credentials). Changing these, or deleting the user, writes to every live credential in the
// same transaction. The transaction is conditional on the tally of credentials, so that no
// credential is issued between the read and the write. If it fails because the user's credentials change
// at that moment, another transaction changes only the user, and the credentials follow in steps; see closing.go.
//
// The same transaction also counts in the analytics table how many users there are, by status and
// role and by day. Only creations, deletions and changes of role or status do that. See
// shared/dynamo/daycounts.
package usersdynamo

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/passkeysets"
	"portside/shared/dynamo/records"
	"portside/shared/mail"
	"portside/shared/users"
)

// Store keeps users. Its fields are the other stores over the same table.
type Store struct {
	// SweepTime is how long a request sweeps the credentials of a user before it leaves the rest to the schedule. New
	// sets five seconds.
	SweepTime time.Duration

	client      *dynamodb.Client
	table       string
	records     *records.Table
	credentials *credentialsdynamo.Table
	turns       mail.Turns

	Keys        Keys
	Invitations Invitations
	Bulk        Bulk
	People      People
}

// Keys keeps API keys of users.
type Keys struct{ store *Store }

// Invitations keeps activation links of users, and whether they were mailed.
type Invitations struct{ store *Store }

// Bulk adds many users at once.
type Bulk struct{ store *Store }

// People finds users for other domains.
type People struct{ store *Store }

// New returns a Store in the named table. keys is the table of credentials, and days the table of day counters.
func New(client *dynamodb.Client, table string, keys *credentialsdynamo.Table, days daycounts.Table) *Store {
	shape := lists.Shape{Name: "users", Label: "role", Labels: labels(), State: "status", States: states()}
	kept := records.New(audit.User, client, table, shape)
	kept.Days, kept.Log = days, keys.Audit
	s := &Store{client: client, table: table, records: kept, credentials: keys, SweepTime: sweepTime}
	s.Keys, s.Invitations, s.Bulk, s.People = Keys{s}, Invitations{s}, Bulk{s}, People{s}
	return s
}

var (
	_ users.Store           = (*Store)(nil)
	_ users.KeyStore        = Keys{}
	_ users.InvitationStore = Invitations{}
	_ users.BulkStore       = Bulk{}
	_ users.ClosingStore    = (*Store)(nil)
)

// labels returns the labels whose items the lists count. Their order is part of the stored counters,
// so labels may only be appended.
func labels() []string {
	all := make([]string, 0, len(principal.Roles()))
	for _, r := range principal.Roles() {
		all = append(all, string(r))
	}
	return all
}

// states returns the states that the lists count. Like labels, states may only be appended.
func states() []string {
	all := make([]string, 0, len(users.Statuses()))
	for _, s := range users.Statuses() {
		all = append(all, string(s))
	}
	return all
}

// Get implements users.Store with one strongly consistent read.
func (s *Store) Get(ctx context.Context, id string) (users.User, error) {
	stored, err := s.read(ctx, id)
	return stored.user(), err
}

func (s *Store) read(ctx context.Context, id string) (userItem, error) {
	stored, found, err := items.Get[userItem](ctx, s.records.Items(), s.records.Key(id))
	if err == nil && !found {
		return userItem{}, users.ErrNotFound
	}
	return stored, err
}

// Create implements users.Store.
func (s *Store) Create(ctx context.Context, creation users.Creation) (users.Created, error) {
	user := creation.User
	var err error
	if user.Number, user.CreatedAt, err = s.records.Lists.Allocate(ctx, 1, user.CreatedAt); err != nil {
		return users.Created{}, err
	}
	user.UpdatedAt, user.Version = user.CreatedAt, 1
	p := s.plan()
	p.recordCreation(&user)
	p.Once(creation.Once, row(user), user.CreatedAt)
	p.createUser(user)
	if creation.Invitation != nil {
		p.invite(user, *creation.Invitation)
	}
	err = p.run(ctx)
	if errors.Is(err, idempotencykeys.ErrInUse) {
		return s.replay(ctx, *creation.Once, user.CreatedAt)
	}
	return users.Created{User: user}, s.explainCustomer(ctx, err, user.CustomerID)
}

// replay returns the user that the idempotency key created.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (users.Created, error) {
	made, err := idempotencykeys.Result[userItem](ctx, s.records.Items(), key, at)
	return users.Created{User: made.user(), Replayed: true}, err
}

// Update implements users.Store.
func (s *Store) Update(ctx context.Context, before, after users.User) (users.User, error) {
	after.Number, after.Version = before.Number, before.Version+1
	if before.CustomerID != after.CustomerID {
		return s.move(ctx, before, after)
	}
	p := s.plan()
	if before.Role == after.Role && before.Status == after.Status {
		return p.update(ctx, before, after)
	}
	if before.Status != users.Pending { // a pending user has no working credentials, which could hold up the change
		p.Policy = attempt
	}
	if err := p.updateCredentials(ctx, before.LinkID, after); err != nil {
		return users.User{}, err
	}
	if p.Len() > credentialItems {
		return s.closeUser(ctx, before, after)
	}
	updated, err := p.update(ctx, before, after)
	if before.Status != users.Pending && isContended(err) {
		return s.closeUser(ctx, before, after)
	}
	return updated, err
}

// update commits the change of the user with the other writes of the plan.
func (p *plan) update(ctx context.Context, before, after users.User) (users.User, error) {
	if before.Status == users.Pending && after.Status != users.Pending {
		p.endInvitation(after.ID)
		after.LinkID = ""
	}
	if err := p.recordChange(before, &after); err != nil {
		return users.User{}, err
	}
	p.changeUser(audit.UserUpdated, before, after)
	return after, p.run(ctx)
}

// End implements users.CredentialEnder.
func (s *Store) End(ctx context.Context, user users.User, ending users.Ending, at time.Time) error {
	p := s.plan()
	p.Add(versions.ErrStale, s.People.Unchanged(user.ID, user.Version))
	p.Policy = attempt
	live, err := p.live(ctx, user.ID, at)
	if err != nil {
		return err
	}
	ended := slices.DeleteFunc(live, func(c credentials.Credential) bool { return !ends(c, ending, user) })
	if !fitsOneTransaction(ended) {
		return s.closeCredentials(ctx, user, ending, at)
	}
	for _, c := range ended {
		p.revoke(c, at, credentials.ReasonEnded)
	}
	p.audit(endingAction(ending), user)
	p.Add(nil, passkeysets.EmptySet(s.credentials.Name(), user.ID))
	if err := p.run(ctx); !isContended(err) {
		return err
	}
	return s.closeCredentials(ctx, user, ending, at)
}

func endingAction(ending users.Ending) audit.Action {
	if ending == users.EndSessions {
		return audit.UserSignedOut
	}
	return audit.UserCredentialsEnded
}

// ends reports whether an ending includes a credential of the user.
func ends(c credentials.Credential, ending users.Ending, user users.User) bool {
	if ending == users.EndSessions {
		return c.Kind == credentials.Session
	}
	return c.ID != user.LinkID
}

// Deletion implements users.Store. It reads the user and the credentials at the same time.
func (s *Store) Deletion(ctx context.Context, id string, at time.Time) (users.Deletion, error) {
	var owned credentialsdynamo.Open
	var failed error
	var reading sync.WaitGroup
	reading.Go(func() { owned, failed = s.credentials.ListOpen(ctx, id, at) })
	user, err := s.Get(ctx, id)
	reading.Wait()
	if errors.Is(err, users.ErrNotFound) && len(owned.Live) > 0 {
		err = errors.Join(err, s.FinishClosing(ctx, id))
	}
	if err := cmp.Or(err, failed); err != nil {
		return users.Deletion{}, err
	}
	return users.Deletion{User: user, Commit: func(ctx context.Context) error {
		err := s.deleteWith(ctx, user, owned, at)
		if needsClosing(err) { // perhaps because only one of the two reads saw a change, such as an activation
			return s.Delete(ctx, user, at)
		}
		return err
	}}, nil
}

// Delete removes a user that was read before and revokes all its credentials. If they change meanwhile, it deletes the
// user first. Errors: versions.ErrStale, users.ErrLastAdmin.
func (s *Store) Delete(ctx context.Context, user users.User, at time.Time) error {
	owned, err := s.credentials.ListOpen(ctx, user.ID, at)
	if err != nil {
		return err
	}
	err = s.deleteWith(ctx, user, owned, at)
	if needsClosing(err) {
		return s.closeDeleted(ctx, user, at)
	}
	return err
}

// deleteWith removes a user and revokes the credentials that were read, in one transaction.
func (s *Store) deleteWith(ctx context.Context, user users.User, owned credentialsdynamo.Open, at time.Time) error {
	p, err := s.deletion(user, at)
	if err != nil {
		return err
	}
	if !fitsOneTransaction(slices.Concat(owned.Live, owned.Ended)) {
		return errManyCredentials
	}
	p.Policy = attempt
	p.revokeAll(user.ID, owned, at)
	return p.run(ctx)
}

// deletion returns the plan that deletes a user, without the credentials except passkeys.
func (s *Store) deletion(user users.User, at time.Time) (*plan, error) {
	p := s.plan()
	err := p.deleteUser(user, at)
	p.Add(nil, passkeysets.DeleteSet(s.credentials.Name(), user.ID))
	return p, err
}
