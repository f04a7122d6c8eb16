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
// same resource.
var contended = retry.Policy{Attempts: 50}

// errPlaceTaken means that the place of a repair has another item than the one that was read.
var errPlaceTaken = errors.New("lists: another resource has the place")

// place is the key of an item.
type place struct{ pk, sk string }

func placeOf(item items.Map) place { return place{text(item["pk"]), text(item["sk"])} }

func (p place) key() items.Map { return items.Key(p.pk, p.sk) }

// derived is an item that exists only because of a resource.
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

// accountsFor reports whether the item must exist because of the resource.
func (t Resource) accountsFor(d derived) bool {
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

// removeStrays removes the derived items that no resource accounts for.
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

// owners reads the resources that the items name.
func (r *rebuild) owners(ctx context.Context, found []derived) (map[string]Resource, error) {
	named := make(map[string]Resource, len(found))
	var wanted []items.Map
	for _, d := range found {
		if _, known := named[d.owner]; !known {
			named[d.owner] = Resource{}
			wanted = append(wanted, r.source.Key(d.owner))
		}
	}
	err := items.GetAll(ctx, items.In(r.client, r.table), wanted, func(item items.Map) error {
		resource, err := r.source.Read(item)
		named[resource.ID] = resource
		return err
	})
	return named, err
}

// readResource returns the current resource with the id, and whether it exists.
func (r *rebuild) readResource(ctx context.Context, id string) (resource Resource, found bool, err error) {
	err = items.GetAll(ctx, items.In(r.client, r.table), []items.Map{r.source.Key(id)}, func(item items.Map) error {
		found = true
		resource, err = r.source.Read(item)
		return err
	})
	return resource, found, err
}

// removeStray removes an item, unless its owner now accounts for it.
func (r *rebuild) removeStray(ctx context.Context, d derived) error {
	err := contended.Do(ctx, versions.IsStale, func() error {
		resource, found, err := r.readResource(ctx, d.owner)
		if err != nil || resource.accountsFor(d) {
			return err
		}
		err = r.write(ctx, r.check(d.owner, resource, found), r.remove(d))
		if errors.Is(err, errPlaceTaken) { // another writer removed the item or replaced it with the right one
			return nil
		}
		if err == nil {
			r.repairs.Strays++
		}
		return err
	})
	if versions.IsStale(err) {
		return fmt.Errorf("remove the stray item %s %s: %w", d.pk, d.sk, versions.ErrBusy)
	}
	return err
}

// repairResources adds missing derived items and replaces wrong ones. Strays have been removed before.
func (r *rebuild) repairResources(ctx context.Context) error {
	return r.scan(ctx, func(ctx context.Context, page []items.Map) error {
		var batch []Resource
		for _, item := range page {
			if at := placeOf(item); !r.source.Is(at.pk, at.sk) {
				continue
			}
			resource, err := r.source.Read(item)
			if err != nil {
				return err
			}
			batch = append(batch, resource)
		}
		wrong, err := r.wrong(ctx, batch)
		if err != nil {
			return err
		}
		for _, id := range wrong {
			if err := r.repairResource(ctx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// wrong returns the ids of those resources that seem to disagree with their derived items.
func (r *rebuild) wrong(ctx context.Context, batch []Resource) ([]string, error) {
	found, err := r.at(ctx, batch...)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, resource := range batch {
		if len(resource.Derived) == 0 || len(r.missing(resource, found)) > 0 {
			ids = append(ids, resource.ID)
		}
	}
	return ids, nil
}

// at reads the items at the places of the resources.
func (r *rebuild) at(ctx context.Context, resources ...Resource) (map[place]items.Map, error) {
	found := map[place]items.Map{}
	var wanted []items.Map
	for _, resource := range resources {
		for _, item := range resource.Derived {
			at := placeOf(item)
			if _, asked := found[at]; !asked { // resources in dispute share places
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

// missing returns those derived items of a resource that were not found in the right form.
func (r *rebuild) missing(resource Resource, found map[place]items.Map) []items.Map {
	var all []items.Map
	for _, item := range resource.Derived {
		if !reflect.DeepEqual(found[placeOf(item)], item) {
			all = append(all, item)
		}
	}
	return all
}

// repairResource compares a resource with its derived items, all in their current state, and repairs them
// in one transaction.
func (r *rebuild) repairResource(ctx context.Context, id string) error {
	err := contended.Do(ctx, versions.IsStale, func() error { return r.tryRepairResource(ctx, id) })
	if versions.IsStale(err) {
		return fmt.Errorf("repair resource %s: %w", id, versions.ErrBusy)
	}
	return err
}

// tryRepairResource is repairResource without retries. Errors: versions.ErrStale.
func (r *rebuild) tryRepairResource(ctx context.Context, id string) error {
	resource, found, err := r.readResource(ctx, id)
	if err != nil || !found {
		return err
	}
	if len(resource.Derived) == 0 {
		r.dispute(id, "lacks an attribute that its list entries need, or the attribute has an invalid value")
		return nil
	}
	derivedItems, err := r.at(ctx, resource)
	if err != nil {
		return err
	}
	wrong := r.missing(resource, derivedItems)
	if len(wrong) == 0 {
		return nil
	}
	err = r.write(ctx, r.check(id, resource, true), r.put(wrong)...)
	if errors.Is(err, errPlaceTaken) {
		r.dispute(id, "has a number or name that belongs to another resource")
		return nil
	}
	if err == nil {
		r.repairs.Resources++
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

// check returns the check that the resource has not changed since it was read.
func (r *rebuild) check(id string, resource Resource, found bool) types.TransactWriteItem {
	check := &types.ConditionCheck{TableName: &r.table, Key: r.source.Key(id), ConditionExpression: aws.String(isNew)}
	if found {
		check.ConditionExpression = aws.String("version = :version")
		check.ExpressionAttributeValues = items.Map{":version": items.Number(resource.Version)}
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
