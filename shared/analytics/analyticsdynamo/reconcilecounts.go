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

// keptCounts are the counters as they are kept, by the name of the item.
type keptCounts struct {
	version seen
	items   map[string]analytics.Counters
	damaged map[string]bool
}

const total = "total"

// lookAtCounts compares the counters with the lives of what they count. Every transaction that counts raises the version of the sum.
func (r *Reconciler) lookAtCounts(ctx context.Context) (look, error) {
	before, err := r.keptCounts(ctx)
	if err != nil {
		return look{}, err
	}
	changes, err := r.lived(ctx)
	if err != nil {
		return look{}, err
	}
	after, err := r.countsVersion(ctx)
	if err != nil {
		return look{}, err
	}
	if !same(before.version, after) {
		return look{}, errOvertaken
	}
	counted := map[string]analytics.Counters{total: analytics.Counters(changes.Sum())}
	for day, change := range changes {
		counted[day.String()] = analytics.Counters(change)
	}
	return r.compareCounts(before, counted), nil
}

// lived adds up all lives.
func (r *Reconciler) lived(ctx context.Context) (daycounts.Changes, error) {
	sum := daycounts.Changes{}
	for _, lives := range r.Lives {
		for life, err := range lives(ctx) {
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

func (r *Reconciler) countsVersion(ctx context.Context) (seen, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: daycounts.TotalKey(), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return seen{}, fmt.Errorf("read the counts: %w", err)
	}
	return versionOf(out.Item), nil
}

// keptCounts reads the version first: what is written afterwards shows in the next.
func (r *Reconciler) keptCounts(ctx context.Context) (kept keptCounts, err error) {
	kept = keptCounts{items: map[string]analytics.Counters{}, damaged: map[string]bool{}}
	if kept.version, err = r.countsVersion(ctx); err != nil {
		return kept, err
	}
	store := r.Recorder.store
	pages := dynamodb.NewQueryPaginator(store.client, &dynamodb.QueryInput{
		TableName: &store.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :counts"),
		ExpressionAttributeValues: items.Map{":counts": items.Text(daycounts.Partition)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return kept, fmt.Errorf("read the counts: %w", err)
		}
		for _, item := range page.Items {
			kept.take(item)
		}
	}
	return kept, nil
}

func (k *keptCounts) take(item items.Map) {
	name := item["sk"].(*types.AttributeValueMemberS).Value // a key of the table
	change, err := daycounts.Counters(item)
	k.items[name], k.damaged[name] = analytics.Counters(change), err != nil
}

func (r *Reconciler) compareCounts(kept keptCounts, counted map[string]analytics.Counters) look {
	var l look
	if _, sound := kept.version.number(); !sound {
		kept.damaged[total] = true
	}
	all := maps.Clone(counted)
	for name := range kept.items {
		all[name] = counted[name]
	}
	right := map[string]analytics.Counters{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found := len(l.Differences)
		l.Compare("counts", name, kept.items[name], counted[name])
		if kept.damaged[name] {
			l.Differences = append(l.Differences, damagedItem("counts", name))
		}
		if len(l.Differences) > found {
			right[name] = counted[name]
		}
	}
	right[total] = counted[total]
	l.mend = func(ctx context.Context) error { return r.writeCounts(ctx, kept.version, right) }
	return l
}

// writeCounts puts items right, in transactions that each hold only while nobody else has counted. The sum is in all of them.
func (r *Reconciler) writeCounts(ctx context.Context, as seen, right map[string]analytics.Counters) error {
	sum := right[total]
	delete(right, total)
	days := slices.Sorted(maps.Keys(right))
	for first := true; first || len(days) > 0; first = false {
		n := min(len(days), transactions.MaxItems-1)
		writes := []types.TransactWriteItem{r.sumOfCounts(sum, as)}
		for _, day := range days[:n] {
			writes = append(writes, r.countsOf(day, right[day]))
		}
		err := transactions.Write(ctx, r.Recorder.store.client, writes)
		if _, failed := errors.AsType[*transactions.ConditionFailed](err); failed {
			return errOvertaken
		}
		if err != nil {
			return fmt.Errorf("write the counts: %w", err)
		}
		as, days = seen{items.Number(as.next())}, days[n:]
	}
	return nil
}

func (r *Reconciler) sumOfCounts(sum analytics.Counters, as seen) types.TransactWriteItem {
	condition, values := as.unchanged()
	item := encoded(daycounts.TotalKey(), sum)
	item[daycounts.Version] = items.Number(as.next())
	put := &types.Put{
		TableName: &r.Recorder.store.table, Item: item, ConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#version": daycounts.Version},
	}
	if len(values) > 0 {
		put.ExpressionAttributeValues = values
	}
	return types.TransactWriteItem{Put: put}
}

// countsOf writes a day, or takes one away that nothing has happened on.
func (r *Reconciler) countsOf(day string, counters analytics.Counters) types.TransactWriteItem {
	key := items.Key(daycounts.Partition, day)
	if len(counters) == 0 {
		return types.TransactWriteItem{Delete: &types.Delete{TableName: &r.Recorder.store.table, Key: key}}
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &r.Recorder.store.table, Item: encoded(key, counters)}}
}

func encoded(key items.Map, counters analytics.Counters) items.Map {
	for name, n := range counters {
		key[name] = items.Number(n)
	}
	return key
}
