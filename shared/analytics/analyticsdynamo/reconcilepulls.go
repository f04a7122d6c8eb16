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

// Attributes of a day to which the log of pulls adds.
const (
	charts = "charts"
	images = "images"
)

// keptPulls are a day's pulls as they are kept. Raw are the attributes themselves, of whatever type: what is written holds only
// while they are the same.
type keptPulls struct {
	raw     items.Map // without what nothing was added to yet
	damaged bool
	analytics.Pulls
}

// readPulls reads a day's item. A counter that is no number is damaged, and counts for nothing.
func readPulls(item items.Map) keptPulls {
	kept := keptPulls{raw: items.Map{}}
	for name, into := range map[string]*int64{charts: &kept.Charts, images: &kept.Images} {
		raw, is := item[name]
		if !is {
			continue
		}
		n, whole := wholeNumber(raw)
		kept.raw[name], *into = raw, n
		kept.damaged = kept.damaged || !whole
	}
	return kept
}

// lookAtPulls compares the pulls of a day with their log. They have no version and need none: pulls are only ever added, so that
// the same numbers before and after mean that none was added meanwhile.
func (r *Reconciler) lookAtPulls(ctx context.Context, day calendar.Day) (look, error) {
	before, err := r.keptPulls(ctx, day)
	if err != nil {
		return look{}, err
	}
	counted, err := r.Pulls(ctx, day)
	if err != nil {
		return look{}, err
	}
	after, err := r.keptPulls(ctx, day)
	if err != nil {
		return look{}, err
	}
	if !same(before.raw, after.raw) {
		return look{}, errOvertaken
	}
	l := look{mend: func(ctx context.Context) error { return r.writePulls(ctx, day, after, counted) }}
	l.Compare("pulls", day.String(), after.Counters(), counted.Counters())
	if after.damaged {
		l.Differences = append(l.Differences, damagedItem("pulls", day.String()))
	}
	return l, nil
}

func (r *Reconciler) keptPulls(ctx context.Context, day calendar.Day) (keptPulls, error) {
	store := r.Recorder.store
	out, err := store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &store.table, Key: dayKey(usage, day), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return keptPulls{}, fmt.Errorf("read the pulls of %s: %w", day, err)
	}
	return readPulls(out.Item), nil
}

func (r *Reconciler) writePulls(ctx context.Context, day calendar.Day, kept keptPulls, counted analytics.Pulls) error {
	values := items.Map{":charts": items.Number(counted.Charts), ":images": items.Number(counted.Images)}
	var conditions []string
	for _, name := range []string{charts, images} {
		raw, is := kept.raw[name]
		if !is {
			conditions = append(conditions, "attribute_not_exists("+name+")")
			continue
		}
		conditions = append(conditions, name+" = :kept_"+name)
		values[":kept_"+name] = raw
	}
	condition, expression := strings.Join(conditions, " AND "), "SET charts = :charts, images = :images"
	_, err := r.Recorder.store.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.Recorder.store.table, Key: dayKey(usage, day), UpdateExpression: &expression, ConditionExpression: &condition,
		ExpressionAttributeValues: values,
	}, items.RetryConflicts)
	return overtaken(err)
}
