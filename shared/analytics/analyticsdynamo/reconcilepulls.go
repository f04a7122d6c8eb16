package analyticsdynamo

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// Attributes of a day's item that the pull log maintains.
const (
	charts = "charts"
	images = "images"
	checks = "checks"
)

// storedPulls are the stored counts of a day's pulls. Raw holds the attributes themselves, of any
// type; a repair is conditional on them.
type storedPulls struct {
	raw     items.Map // only the attributes that exist
	damaged bool
	analytics.Pulls
}

// decodeStoredPulls reads the counts from a day's item. A counter that is not a number is damaged
// and counts as 0.
func decodeStoredPulls(item items.Map) storedPulls {
	stored := storedPulls{raw: items.Map{}}
	for name, into := range map[string]*int64{charts: &stored.Charts, images: &stored.Images, checks: &stored.Checks} {
		raw, ok := item[name]
		if !ok {
			continue
		}
		n, isInt := intAttribute(raw)
		stored.raw[name], *into = raw, n
		stored.damaged = stored.damaged || !isInt
	}
	return stored
}

// comparePulls compares the pulls of a day with the pull log. The counts have no version and do not
// need one: they only grow, so equal counts before and after mean that none was added meanwhile.
func (r *Reconciler) comparePulls(ctx context.Context, day calendar.Day) (comparison, error) {
	before, err := r.readStoredPulls(ctx, day)
	if err != nil {
		return comparison{}, err
	}
	counted, err := r.Pulls(ctx, day)
	if err != nil {
		return comparison{}, err
	}
	after, err := r.readStoredPulls(ctx, day)
	if err != nil {
		return comparison{}, err
	}
	if !isEqual(before.raw, after.raw) {
		return comparison{}, errConflict
	}
	c := comparison{repair: func(ctx context.Context) error { return r.writePulls(ctx, day, after, counted) }}
	c.Compare("pulls", day.String(), after.Counters(), counted.Counters())
	if after.damaged {
		c.Differences = append(c.Differences, damagedItemDifference("pulls", day.String()))
	}
	return c, nil
}

func (r *Reconciler) readStoredPulls(ctx context.Context, day calendar.Day) (storedPulls, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: dayKey(usage, day), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return storedPulls{}, fmt.Errorf("read the pulls of %s: %w", day, err)
	}
	return decodeStoredPulls(out.Item), nil
}

func (r *Reconciler) writePulls(ctx context.Context, day calendar.Day, stored storedPulls, counted analytics.Pulls) error {
	values := items.Map{
		":charts": items.Number(counted.Charts), ":images": items.Number(counted.Images), ":checks": items.Number(counted.Checks),
	}
	var conditions []string
	for _, name := range []string{charts, images, checks} {
		raw, ok := stored.raw[name]
		if !ok {
			conditions = append(conditions, "attribute_not_exists("+name+")")
			continue
		}
		conditions = append(conditions, name+" = :stored_"+name)
		values[":stored_"+name] = raw
	}
	condition, expression := strings.Join(conditions, " AND "), "SET charts = :charts, images = :images, checks = :checks"
	_, err := r.Recorder.store.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.Recorder.store.table, Key: dayKey(usage, day), UpdateExpression: &expression, ConditionExpression: &condition,
		ExpressionAttributeValues: values,
	}, items.RetryConflicts)
	return asConflict(err)
}
