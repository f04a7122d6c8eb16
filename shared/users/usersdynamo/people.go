package usersdynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/users"
)

// Person returns a user as other domains see one, or users.ErrNotFound.
func (s People) Person(ctx context.Context, id string) (principal.Person, error) {
	user, err := s.store.Get(ctx, id)
	return s.store.personInCustomer(ctx, user, err)
}

// PersonByEmail is Person for an address, which must be normal (see users.NewUser.Normal).
func (s People) PersonByEmail(ctx context.Context, address string) (principal.Person, error) {
	user, err := s.store.ByEmail(ctx, address)
	return s.store.personInCustomer(ctx, user, err)
}

// personInCustomer returns a user as a person, with the state of the customer. It takes the error of the read of the
// user.
func (s *Store) personInCustomer(ctx context.Context, u users.User, err error) (principal.Person, error) {
	person := u.Person()
	if err != nil || u.CustomerID == "" {
		return person, err
	}
	state, exists, err := s.credentials.Customers.Get(ctx, u.CustomerID)
	person.CustomerSuspended, person.Generation = !exists || state.Suspended, state.Generation
	return person, err
}

// Holders returns up to most active users of the vendor's staff whose role includes the permission: those with the
// highest roles first, then the oldest. They come from lists, so they have no version. The lists also have the users of
// customers, so Holders reads at most maxHolderPages of a role.
func (s People) Holders(ctx context.Context, permission principal.Permission, most int) ([]principal.Person, error) {
	var found []principal.Person
	for _, role := range principal.Roles() {
		if !role.Permits(permission) {
			continue
		}
		query := users.Query{Role: role, Limit: users.MaxLimit}
		for pages := 0; pages < maxHolderPages && len(found) < most; pages++ {
			page, err := s.store.List(ctx, query)
			if err != nil {
				return nil, err
			}
			found = append(found, activeStaff(page.Users)...)
			if query.After = page.Next; page.Next == "" {
				break
			}
		}
	}
	return found[:min(most, len(found))], nil
}

// maxHolderPages bounds how long Holders looks for staff among the users of customers. The staff is usually older.
const maxHolderPages = 20

func activeStaff(all []users.User) []principal.Person {
	var found []principal.Person
	for _, u := range all {
		if u.Status == users.Active && u.CustomerID == "" {
			found = append(found, u.Person())
		}
	}
	return found
}

// Unchanged returns the check that a user still has this version, and so the same role and status.
// Stores of other domains use it when they issue a credential for a user other than the caller.
func (s People) Unchanged(userID string, version int64) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &s.store.table, Key: s.store.records.Key(userID), ConditionExpression: aws.String("version = :version"),
		ExpressionAttributeValues: items.Map{":version": items.Number(version)},
	}}
}

// SignedIn returns the write that records the time of a sign-in. It fails unless the user is active and still has this
// version. It does not change the version, so that frequent sign-ins do not conflict with an admin's
// changes.
func (s People) SignedIn(userID string, version int64, at time.Time) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.store.table, Key: s.store.records.Key(userID), UpdateExpression: aws.String("SET lastLogin = :at"),
		ConditionExpression:      aws.String("version = :version AND #status = :active"),
		ExpressionAttributeNames: map[string]string{"#status": "status"},
		ExpressionAttributeValues: items.Map{
			":at": items.Number(items.Millis(at)), ":version": items.Number(version),
			":active": items.Text(string(users.Active)),
		},
	}}
}

// Persons returns the users with the distinct ids, in no particular order. It reads all of them at
// once. Users who do not exist are missing.
func (s People) Persons(ctx context.Context, ids []string) ([]principal.Person, error) {
	var found []principal.Person
	err := s.store.readAll(ctx, ids, func(stored userItem) { found = append(found, stored.user().Person()) })
	return found, err
}

// Existing returns the distinct ids that belong to a user, in no particular order. It
// reads all of them at once.
func (s People) Existing(ctx context.Context, ids []string) ([]string, error) {
	var found []string
	err := s.store.readAll(ctx, ids, func(stored userItem) { found = append(found, stored.ID) })
	return found, err
}

// Members returns up to most users of a customer, in the order of creation. The first has the number from or a later
// one. It needs one strongly consistent Query.
func (s People) Members(ctx context.Context, customerID string, from int64, most int) ([]principal.Member, error) {
	found, err := lists.From[listItem](ctx, s.store.records.Lists.In(customerID), from, most)
	members := make([]principal.Member, len(found))
	for i, user := range found {
		members[i] = principal.Member{ID: user.Entry.ID, Number: user.Number}
	}
	return members, err
}

// CustomerExists reports whether a customer has the id.
func (s People) CustomerExists(ctx context.Context, id string) (bool, error) {
	return s.store.credentials.Customers.CustomerExists(ctx, id)
}

// readAll calls visit for each of the distinct ids that belongs to a user.
func (s *Store) readAll(ctx context.Context, ids []string, visit func(userItem)) error {
	return s.records.ReadAll(ctx, ids, func(item items.Map) error {
		stored, err := items.Decode[userItem](item)
		if err == nil {
			visit(stored)
		}
		return err
	})
}
