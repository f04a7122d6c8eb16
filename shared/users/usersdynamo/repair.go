package usersdynamo

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/items"
	"portside/shared/rank"
	"portside/shared/users"
)

// repairAttempts is how often one repair is tried while other writers change the same user.
const repairAttempts = 50

// errHeld says that a place which a repair was to change does not hold what was read there.
var errHeld = errors.New("usersdynamo: a place is held by another user")

// derived is an item that a user must account for.
type derived struct {
	PK   string `dynamodbav:"pk"`
	SK   string `dynamodbav:"sk"`
	ID   string `dynamodbav:"id"`   // whose, in a list
	User string `dynamodbav:"user"` // whose, in an e-mail marker
}

func (d derived) isMarker() bool { return strings.HasPrefix(d.PK, "email#") }
func (d derived) isListed() bool { return strings.HasPrefix(d.PK, "list#") }

// ownership is the attribute that names the owner, and the owner.
func (d derived) ownership() (attribute, id string) {
	if d.isMarker() {
		return "user", d.User
	}
	return "id", d.ID
}

// belongsTo reports whether the user accounts for the item.
func (d derived) belongsTo(u users.User) bool {
	if _, owner := d.ownership(); owner != u.ID || !sound(u) {
		return false
	}
	for _, shape := range derivedFrom(u) {
		if at := keyOf(shape); at.PK == d.PK && at.SK == d.SK {
			return true
		}
	}
	return false
}

// sound reports whether the user can be in the lists.
func sound(u users.User) bool {
	return u.ID != "" && u.Email != "" && u.Role.Known() && u.Number >= 0 && u.Number < rank.Capacity
}

// derivedFrom returns everything that must stand in the table because of the user.
func derivedFrom(u users.User) []items.Map {
	return []items.Map{
		items.Encode(newEmailItem(u)), items.Encode(newListItem(allUsers, u)), items.Encode(newListItem(string(u.Role), u)),
	}
}

// removeStrays removes the items that no user accounts for.
func (r *rebuild) removeStrays(ctx context.Context) error {
	return r.scan(ctx, func(ctx context.Context, page []items.Map) error {
		var found []derived
		for _, item := range page {
			if d := keyOf(item); d.isMarker() || d.isListed() {
				found = append(found, d)
			}
		}
		owners, err := r.owners(ctx, found)
		if err != nil {
			return err
		}
		for _, d := range found {
			if _, owner := d.ownership(); d.belongsTo(owners[owner]) {
				continue
			}
			if err := r.removeStray(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// owners reads the users whom the items name.
func (r *rebuild) owners(ctx context.Context, found []derived) (map[string]users.User, error) {
	named := make(map[string]users.User, len(found))
	var wanted []items.Map
	for _, d := range found {
		_, id := d.ownership()
		if _, known := named[id]; !known {
			named[id] = users.User{}
			wanted = append(wanted, userKey(id))
		}
	}
	err := items.GetAll(ctx, items.In(r.client, r.table), wanted, func(item items.Map) error {
		stored, err := items.Decode[userItem](item)
		if err != nil {
			return err
		}
		named[stored.ID] = stored.user()
		return nil
	})
	return named, err
}

// removeStray removes an item, unless its user turns out to account for it by now.
func (r *rebuild) removeStray(ctx context.Context, d derived) error {
	_, owner := d.ownership()
	for range repairAttempts {
		stored, err := r.read(ctx, owner)
		if err != nil && !errors.Is(err, users.ErrNotFound) {
			return err
		}
		if d.belongsTo(stored.user()) {
			return nil
		}
		p := r.plan()
		p.add(users.ErrStale, p.checkUser(owner, stored))
		p.add(errHeld, p.removeOwned(d))
		switch err := p.run(ctx); {
		case errors.Is(err, users.ErrStale):
			continue
		case errors.Is(err, errHeld): // a writer took it away or put the right one in its place
			return nil
		case err != nil:
			return err
		}
		r.repairs.Strays++
		return nil
	}
	return fmt.Errorf("item %s %s: %w", d.PK, d.SK, users.ErrBusy)
}

// mendUsers adds what is missing of users and replaces what is wrong. What stands where it should not is gone by now.
func (r *rebuild) mendUsers(ctx context.Context) error {
	return r.scan(ctx, func(ctx context.Context, page []items.Map) error {
		var batch []userItem
		for _, item := range page {
			if d := keyOf(item); d.SK != "user" || !strings.HasPrefix(d.PK, "user#") {
				continue
			}
			stored, err := items.Decode[userItem](item)
			if err != nil {
				return err
			}
			batch = append(batch, stored)
		}
		wrong, err := r.wrong(ctx, batch)
		if err != nil {
			return err
		}
		for _, id := range wrong {
			if err := r.mendUser(ctx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// wrong returns the ids of those users who seem to disagree with what is derived from them.
func (r *rebuild) wrong(ctx context.Context, batch []userItem) ([]string, error) {
	var wanted []items.Map
	asked := map[derived]bool{}
	for _, stored := range batch {
		for _, key := range places(stored.user()) {
			if place := placeOf(key); !asked[place] { // users in dispute have places in common
				asked[place] = true
				wanted = append(wanted, key)
			}
		}
	}
	found, err := r.readPlaces(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, stored := range batch {
		if u := stored.user(); !sound(u) || len(r.repair(u, found)) > 0 {
			ids = append(ids, u.ID)
		}
	}
	return ids, nil
}

// mendUser compares a user with what is derived from it, both as they are now, and mends it in one transaction.
func (r *rebuild) mendUser(ctx context.Context, id string) error {
	for range repairAttempts {
		stored, err := r.read(ctx, id)
		if errors.Is(err, users.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		user := stored.user()
		if !sound(user) {
			r.dispute(id, "has no address, an unknown role or an impossible number, and cannot be listed")
			return nil
		}
		found, err := r.readPlaces(ctx, places(user))
		if err != nil {
			return err
		}
		writes := r.repair(user, found)
		if len(writes) == 0 {
			return nil
		}
		p := r.plan()
		p.add(users.ErrStale, p.checkUser(id, stored))
		p.add(errHeld, writes...)
		switch err := p.run(ctx); {
		case errors.Is(err, users.ErrStale):
			continue
		case errors.Is(err, errHeld):
			r.dispute(id, "has an e-mail address or a number that another user has, too")
			return nil
		case err != nil:
			return err
		}
		r.repairs.Users++
		return nil
	}
	return fmt.Errorf("user %s: %w", id, users.ErrBusy)
}

// places are the keys of everything derived from the user.
func places(u users.User) []items.Map {
	var keys []items.Map
	for _, item := range derivedFrom(u) {
		keys = append(keys, items.Map{"pk": item["pk"], "sk": item["sk"]})
	}
	return keys
}

func (r *rebuild) readPlaces(ctx context.Context, keys []items.Map) (map[derived]items.Map, error) {
	found := make(map[derived]items.Map, len(keys))
	err := items.GetAll(ctx, items.In(r.client, r.table), keys, func(item items.Map) error {
		found[placeOf(item)] = item
		return nil
	})
	return found, err
}

// repair returns the writes that make what was found at the user's places what it should be.
func (r *rebuild) repair(u users.User, found map[derived]items.Map) []types.TransactWriteItem {
	p := r.plan()
	var writes []types.TransactWriteItem
	for _, item := range derivedFrom(u) {
		if !reflect.DeepEqual(found[placeOf(item)], item) {
			writes = append(writes, p.putOwned(item))
		}
	}
	return writes
}

// checkUser holds the user to what was read; the zero item stands for no user.
func (p *plan) checkUser(id string, stored userItem) types.TransactWriteItem {
	check := &types.ConditionCheck{
		TableName: &p.store.table, Key: userKey(id), ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	if stored.PK != "" {
		check.ConditionExpression = aws.String("version = :version")
		check.ExpressionAttributeValues = items.Map{":version": items.Number(stored.Version)}
	}
	return types.TransactWriteItem{ConditionCheck: check}
}

// removeOwned removes an item if it is still that owner's.
func (p *plan) removeOwned(d derived) types.TransactWriteItem {
	condition, names, values := owned(d)
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.store.table, Key: items.Key(d.PK, d.SK), ConditionExpression: &condition,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}

// putOwned writes an item unless its place is another owner's.
func (p *plan) putOwned(item items.Map) types.TransactWriteItem {
	condition, names, values := owned(keyOf(item))
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &p.store.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk) OR " + condition),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}

// owned is the condition that an item exists and names its owner, or names none where none was read.
func owned(d derived) (condition string, names map[string]string, values items.Map) {
	attribute, id := d.ownership()
	names = map[string]string{"#owner": attribute}
	if id == "" {
		return "attribute_exists(pk) AND attribute_not_exists(#owner)", names, nil
	}
	return "#owner = :owner", names, items.Map{":owner": items.Text(id)}
}

// keyOf reads an item's keys and owner. What is damaged reads as empty, and belongs to nobody.
func keyOf(item items.Map) derived {
	return derived{PK: textOf(item["pk"]), SK: textOf(item["sk"]), ID: textOf(item["id"]), User: textOf(item["user"])}
}

// placeOf reads an item's keys alone.
func placeOf(item items.Map) derived {
	return derived{PK: textOf(item["pk"]), SK: textOf(item["sk"])}
}

func textOf(value types.AttributeValue) string {
	if member, isText := value.(*types.AttributeValueMemberS); isText {
		return member.Value
	}
	return ""
}
