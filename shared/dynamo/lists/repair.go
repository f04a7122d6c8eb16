package lists

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// contended is the policy of a repair. It starts again at once if another writer has changed the
// same thing.
var contended = retry.Policy{Attempts: 50}

// errPlaceTaken means that the place of a repair has another item than the one that was read.
var errPlaceTaken = errors.New("lists: another thing has the place")

// place is the key of an item.
type place struct{ pk, sk string }

func placeOf(item items.Map) place { return place{text(item["pk"]), text(item["sk"])} }

func (p place) key() items.Map { return items.Key(p.pk, p.sk) }

// derived is an item that some thing must account for.
type derived struct {
	place
	attribute string // the one that names the owner
	owner     string // empty if the item names none
}

// derived reads an item, and returns false if it is not a derived item.
func (r *rebuild) derived(item items.Map) (derived, bool) {
	at := placeOf(item)
	attribute := r.source.Owner(at.pk)
	return derived{at, attribute, text(item[attribute])}, attribute != ""
}

// accountsFor reports whether the item must exist because of the thing.
func (t Thing) accountsFor(d derived) bool {
	if t.ID == "" || d.owner != t.ID {
		return false
	}
	for _, item := range t.Derived {
		if placeOf(item) == d.place {
			return true
		}
	}
	return false
}

// removeStrays removes the derived items that no thing accounts for.
func (r *rebuild) removeStrays(ctx context.Context) error {
	return r.scan(ctx, func(ctx context.Context, page []items.Map) error {
		var found []derived
		for _, item := range page {
			if d, is := r.derived(item); is {
				found = append(found, d)
			}
		}
		owners, err := r.owners(ctx, found)
		if err != nil {
			return err
		}
		for _, d := range found {
			if owners[d.owner].accountsFor(d) {
				continue
			}
			if err := r.removeStray(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// owners reads the things that the items name.
func (r *rebuild) owners(ctx context.Context, found []derived) (map[string]Thing, error) {
	named := make(map[string]Thing, len(found))
	var wanted []items.Map
	for _, d := range found {
		if _, known := named[d.owner]; !known {
			named[d.owner] = Thing{}
			wanted = append(wanted, r.source.Key(d.owner))
		}
	}
	err := items.GetAll(ctx, items.In(r.client, r.table), wanted, func(item items.Map) error {
		thing, err := r.source.Read(item)
		named[thing.ID] = thing
		return err
	})
	return named, err
}

// read returns the current thing with the id, or a zero Thing if there is none.
func (r *rebuild) read(ctx context.Context, id string) (thing Thing, found bool, err error) {
	err = items.GetAll(ctx, items.In(r.client, r.table), []items.Map{r.source.Key(id)}, func(item items.Map) error {
		found = true
		thing, err = r.source.Read(item)
		return err
	})
	return thing, found, err
}

// removeStray removes an item, unless its owner now accounts for it.
func (r *rebuild) removeStray(ctx context.Context, d derived) error {
	err := contended.Do(ctx, versions.IsStale, func() error {
		thing, found, err := r.read(ctx, d.owner)
		if err != nil || thing.accountsFor(d) {
			return err
		}
		err = r.write(ctx, r.check(d.owner, thing, found), r.remove(d))
		if errors.Is(err, errPlaceTaken) { // another writer removed the item or replaced it with the right one
			return nil
		}
		if err == nil {
			r.repairs.Strays++
		}
		return err
	})
	if versions.IsStale(err) {
		return fmt.Errorf("item %s %s: %w", d.pk, d.sk, versions.ErrBusy)
	}
	return err
}

// repairThings adds missing derived items and replaces wrong ones. Strays have been removed before.
func (r *rebuild) repairThings(ctx context.Context) error {
	return r.scan(ctx, func(ctx context.Context, page []items.Map) error {
		var batch []Thing
		for _, item := range page {
			if at := placeOf(item); !r.source.Is(at.pk, at.sk) {
				continue
			}
			thing, err := r.source.Read(item)
			if err != nil {
				return err
			}
			batch = append(batch, thing)
		}
		wrong, err := r.wrong(ctx, batch)
		if err != nil {
			return err
		}
		for _, id := range wrong {
			if err := r.repairThing(ctx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// wrong returns the ids of those things that seem to disagree with their derived items.
func (r *rebuild) wrong(ctx context.Context, batch []Thing) ([]string, error) {
	found, err := r.at(ctx, batch...)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, thing := range batch {
		if len(thing.Derived) == 0 || len(r.missing(thing, found)) > 0 {
			ids = append(ids, thing.ID)
		}
	}
	return ids, nil
}

// at reads the items at the places of the things.
func (r *rebuild) at(ctx context.Context, things ...Thing) (map[place]items.Map, error) {
	found := map[place]items.Map{}
	var wanted []items.Map
	for _, thing := range things {
		for _, item := range thing.Derived {
			at := placeOf(item)
			if _, asked := found[at]; !asked { // disputing things share places
				found[at] = nil
				wanted = append(wanted, at.key())
			}
		}
	}
	err := items.GetAll(ctx, items.In(r.client, r.table), wanted, func(item items.Map) error {
		found[placeOf(item)] = item
		return nil
	})
	return found, err
}

// missing returns those derived items of a thing that were not found in the right form.
func (r *rebuild) missing(thing Thing, found map[place]items.Map) []items.Map {
	var all []items.Map
	for _, item := range thing.Derived {
		if !reflect.DeepEqual(found[placeOf(item)], item) {
			all = append(all, item)
		}
	}
	return all
}

// repairThing compares a thing with its derived items, all in their current state, and repairs them
// in one transaction.
func (r *rebuild) repairThing(ctx context.Context, id string) error {
	err := contended.Do(ctx, versions.IsStale, func() error { return r.tryRepairThing(ctx, id) })
	if versions.IsStale(err) {
		return fmt.Errorf("thing %s: %w", id, versions.ErrBusy)
	}
	return err
}

// tryRepairThing is repairThing without retries. Errors: versions.ErrStale.
func (r *rebuild) tryRepairThing(ctx context.Context, id string) error {
	thing, found, err := r.read(ctx, id)
	if err != nil || !found {
		return err
	}
	if len(thing.Derived) == 0 {
		r.dispute(id, "lacks what it would be listed by, or has something impossible there")
		return nil
	}
	standing, err := r.at(ctx, thing)
	if err != nil {
		return err
	}
	wrong := r.missing(thing, standing)
	if len(wrong) == 0 {
		return nil
	}
	err = r.write(ctx, r.check(id, thing, true), r.put(wrong)...)
	if errors.Is(err, errPlaceTaken) {
		r.dispute(id, "has a number or name that another one holds")
		return nil
	}
	if err == nil {
		r.repairs.Things++
	}
	return err
}

// write commits writes on the condition of the check. Errors: versions.ErrStale, errPlaceTaken.
func (r *rebuild) write(ctx context.Context, check types.TransactWriteItem, writes ...types.TransactWriteItem) error {
	err := transactions.Write(ctx, r.client, append([]types.TransactWriteItem{check}, writes...))
	if at, failed := transactions.FailedAt(err); failed {
		if at == 0 {
			return versions.ErrStale
		}
		return errPlaceTaken
	}
	return err
}

// check returns a condition check that fails if the thing has changed since it was read.
func (r *rebuild) check(id string, thing Thing, found bool) types.TransactWriteItem {
	check := &types.ConditionCheck{TableName: &r.table, Key: r.source.Key(id), ConditionExpression: aws.String(isNew)}
	if found {
		check.ConditionExpression = aws.String("version = :version")
		check.ExpressionAttributeValues = items.Map{":version": items.Number(thing.Version)}
	}
	return types.TransactWriteItem{ConditionCheck: check}
}

// remove returns the write that removes an item if it still has the same owner.
func (r *rebuild) remove(d derived) types.TransactWriteItem {
	condition, names, values := d.owned()
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &r.table, Key: d.key(), ConditionExpression: &condition,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}

// put returns writes of items, which fail if their places have another owner.
func (r *rebuild) put(all []items.Map) []types.TransactWriteItem {
	writes := make([]types.TransactWriteItem, len(all))
	for i, item := range all {
		d, _ := r.derived(item)
		condition, names, values := d.owned()
		writes[i] = types.TransactWriteItem{Put: &types.Put{
			TableName: &r.table, Item: item, ConditionExpression: aws.String(isNew + " OR " + condition),
			ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		}}
	}
	return writes
}

// owned returns the condition that an item exists and still names the owner that was read, if any.
func (d derived) owned() (condition string, names map[string]string, values items.Map) {
	names = map[string]string{"#owner": d.attribute}
	if d.owner == "" {
		return isThere + " AND attribute_not_exists(#owner)", names, nil
	}
	return "#owner = :owner", names, items.Map{":owner": items.Text(d.owner)}
}
