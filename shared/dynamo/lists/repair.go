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

// contended is the policy of a repair: it starts again at once if another writer has changed the same thing.
var contended = retry.Policy{Attempts: 50}

// errHeld says that a place which a repair was to change does not hold what was read there.
var errPlaceTaken = errors.New("lists: a place is held by another thing")

// place is where an item stands.
type place struct{ pk, sk string }

func placeOf(item items.Map) place { return place{text(item["pk"]), text(item["sk"])} }

func (p place) key() items.Map { return items.Key(p.pk, p.sk) }

// derived is an item that a thing must account for.
type derived struct {
	place
	attribute string // that names the owner
	owner     string // empty: it names none
}

// derived reads an item; false where it is not one that is derived.
func (r *rebuild) derived(item items.Map) (derived, bool) {
	at := placeOf(item)
	attribute := r.source.Owner(at.pk)
	return derived{at, attribute, text(item[attribute])}, attribute != ""
}

// accountsFor reports whether the item is one that must stand there because of the thing.
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

// removeStrays removes the items that nothing accounts for.
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

// read returns the thing with the id as it is now; the zero Thing where there is none.
func (r *rebuild) read(ctx context.Context, id string) (thing Thing, found bool, err error) {
	err = items.GetAll(ctx, items.In(r.client, r.table), []items.Map{r.source.Key(id)}, func(item items.Map) error {
		found = true
		thing, err = r.source.Read(item)
		return err
	})
	return thing, found, err
}

// removeStray removes an item, unless its owner turns out to account for it by now.
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

// mendThings adds what is missing of things and replaces what is wrong. What stands where it should not is gone by now.
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

// wrong returns the ids of those things that seem to disagree with what is derived from them.
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

// at reads what stands at the places of the things.
func (r *rebuild) at(ctx context.Context, things ...Thing) (map[place]items.Map, error) {
	found := map[place]items.Map{}
	var wanted []items.Map
	for _, thing := range things {
		for _, item := range thing.Derived {
			at := placeOf(item)
			if _, asked := found[at]; !asked { // things in dispute have places in common
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

// missing returns those of a thing's derived items that were not found as they should be.
func (r *rebuild) missing(thing Thing, found map[place]items.Map) []items.Map {
	var all []items.Map
	for _, item := range thing.Derived {
		if !reflect.DeepEqual(found[placeOf(item)], item) {
			all = append(all, item)
		}
	}
	return all
}

// mendThing compares a thing with what is derived from it, both as they are now, and mends it in one transaction.
func (r *rebuild) repairThing(ctx context.Context, id string) error {
	err := contended.Do(ctx, versions.IsStale, func() error { return r.tryRepairThing(ctx, id) })
	if versions.IsStale(err) {
		return fmt.Errorf("thing %s: %w", id, versions.ErrBusy)
	}
	return err
}

// tryMendThing is mendThing without retries. Errors: versions.ErrStale.
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

// write commits writes that hold as long as the check does. Errors: versions.ErrStale, errHeld.
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

// check holds the thing to what was read.
func (r *rebuild) check(id string, thing Thing, found bool) types.TransactWriteItem {
	check := &types.ConditionCheck{TableName: &r.table, Key: r.source.Key(id), ConditionExpression: aws.String(isNew)}
	if found {
		check.ConditionExpression = aws.String("version = :version")
		check.ExpressionAttributeValues = items.Map{":version": items.Number(thing.Version)}
	}
	return types.TransactWriteItem{ConditionCheck: check}
}

// remove removes an item if it is still that owner's.
func (r *rebuild) remove(d derived) types.TransactWriteItem {
	condition, names, values := d.owned()
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &r.table, Key: d.key(), ConditionExpression: &condition,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}}
}

// put writes items unless their places are another owner's.
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

// owned is the condition that an item exists and names its owner, or names none where none was read.
func (d derived) owned() (condition string, names map[string]string, values items.Map) {
	names = map[string]string{"#owner": d.attribute}
	if d.owner == "" {
		return isThere + " AND attribute_not_exists(#owner)", names, nil
	}
	return "#owner = :owner", names, items.Map{":owner": items.Text(d.owner)}
}
