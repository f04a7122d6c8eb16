package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// storedCounts are the stored counters by the name of their item.
type storedCounts struct {
	version itemVersion
	items   map[string]analytics.Counters
	damaged map[string]bool
}

const total = "total"

// compareCounts compares the counters with the lifetimes of users and projects. Every transaction
// that counts increments the version of the total.
func (r *Reconciler) compareCounts(ctx context.Context) (comparison, error) {
	before, err := r.readStoredCounts(ctx)
	if err != nil {
		return comparison{}, err
	}
	changes, err := r.recountChanges(ctx)
	if err != nil {
		return comparison{}, err
	}
	after, err := r.countsVersion(ctx)
	if err != nil {
		return comparison{}, err
	}
	if !isEqual(before.version, after) {
		return comparison{}, errConflict
	}
	recounted := map[string]analytics.Counters{total: analytics.Counters(changes.Sum())}
	for day, change := range changes {
		recounted[day.String()] = analytics.Counters(change)
	}
	return r.diffCounts(before, recounted), nil
}

// recountChanges adds up the changes of all lifetimes.
func (r *Reconciler) recountChanges(ctx context.Context) (daycounts.Changes, error) {
	sum := daycounts.Changes{}
	for _, lifetimes := range r.Histories {
		for life, err := range lifetimes(ctx) {
			if err != nil {
				return nil, err
			}
			for day, change := range life.Changes() {
				sum.Add(day, change)
			}
		}
	}
	return sum, nil
}

func (r *Reconciler) countsVersion(ctx context.Context) (itemVersion, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: daycounts.TotalKey(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return itemVersion{}, fmt.Errorf("read the counts: %w", err)
	}
	return versionOf(out.Item), nil
}

// readStoredCounts reads the version before the items, so a later write changes the version.
func (r *Reconciler) readStoredCounts(ctx context.Context) (stored storedCounts, err error) {
	stored = storedCounts{items: map[string]analytics.Counters{}, damaged: map[string]bool{}}
	if stored.version, err = r.countsVersion(ctx); err != nil {
		return stored, err
	}
	store := r.Recorder.store
	pages := dynamodb.NewQueryPaginator(store.client, &dynamodb.QueryInput{
		TableName: &store.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :counts"),
		ExpressionAttributeValues: items.Map{":counts": items.Text(daycounts.Partition)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return stored, fmt.Errorf("read the counts: %w", err)
		}
		for _, item := range page.Items {
			stored.add(item)
		}
	}
	return stored, nil
}

func (k *storedCounts) add(item items.Map) {
	name := item["sk"].(*types.AttributeValueMemberS).Value // the sort key is always a string
	change, err := daycounts.Counters(item)
	k.items[name], k.damaged[name] = analytics.Counters(change), err != nil
}

func (r *Reconciler) diffCounts(stored storedCounts, recounted map[string]analytics.Counters) comparison {
	var c comparison
	if _, valid := stored.version.number(); !valid {
		stored.damaged[total] = true
	}
	all := maps.Clone(recounted)
	for name := range stored.items {
		all[name] = recounted[name]
	}
	corrected := map[string]analytics.Counters{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found := len(c.Differences)
		c.Compare("counts", name, stored.items[name], recounted[name])
		if stored.damaged[name] {
			c.Differences = append(c.Differences, damagedItemDifference("counts", name))
		}
		if len(c.Differences) > found {
			corrected[name] = recounted[name]
		}
	}
	corrected[total] = recounted[total]
	c.repair = func(ctx context.Context) error { return r.writeCounts(ctx, stored.version, corrected) }
	return c
}

// writeCounts writes the recounted items, in transactions that fail if anybody else counts
// meanwhile. Each transaction includes the total.
func (r *Reconciler) writeCounts(ctx context.Context, seen itemVersion, corrected map[string]analytics.Counters) error {
	sum := corrected[total]
	delete(corrected, total)
	days := slices.Sorted(maps.Keys(corrected))
	for first := true; first || len(days) > 0; first = false {
		n := min(len(days), transactions.MaxItems-1)
		writes := []types.TransactWriteItem{r.putTotal(sum, seen)}
		for _, day := range days[:n] {
			writes = append(writes, r.putDay(day, corrected[day]))
		}
		err := transactions.Write(ctx, r.Recorder.store.client, writes)
		if _, failed := errors.AsType[*transactions.ConditionFailed](err); failed {
			return errConflict
		}
		if err != nil {
			return fmt.Errorf("write the counts: %w", err)
		}
		seen, days = itemVersion{items.Number(seen.next())}, days[n:]
	}
	return nil
}

func (r *Reconciler) putTotal(sum analytics.Counters, seen itemVersion) types.TransactWriteItem {
	condition, values := seen.unchanged()
	item := withCounters(daycounts.TotalKey(), sum)
	item[daycounts.Version] = items.Number(seen.next())
	put := &types.Put{
		TableName: &r.Recorder.store.table, Item: item, ConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#version": daycounts.Version},
	}
	if len(values) > 0 {
		put.ExpressionAttributeValues = values
	}
	return types.TransactWriteItem{Put: put}
}

// putDay writes the item of a day, or deletes it if nothing changed on that day.
func (r *Reconciler) putDay(day string, counters analytics.Counters) types.TransactWriteItem {
	key := items.Key(daycounts.Partition, day)
	if len(counters) == 0 {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &r.Recorder.store.table, Key: key}}
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &r.Recorder.store.table, Item: withCounters(key, counters)}}
}

func withCounters(key items.Map, counters analytics.Counters) items.Map {
	for name, n := range counters {
		key[name] = items.Number(n)
	}
	return key
}
