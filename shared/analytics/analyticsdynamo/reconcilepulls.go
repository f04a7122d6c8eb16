package analyticsdynamo

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/analytics"
	"portside/shared/items"
)

// pullsItem is what the log of pulls adds to a day; nil: nothing yet.
type pullsItem struct {
	Charts *int64 `dynamodbav:"charts"`
	Images *int64 `dynamodbav:"images"`
}

func (i pullsItem) pulls() (p analytics.Pulls) {
	if i.Charts != nil {
		p.Charts = *i.Charts
	}
	if i.Images != nil {
		p.Images = *i.Images
	}
	return p
}

// lookAtPulls compares the pulls of a day with their log. They have no version and need none: pulls are only ever added, so that
// the same numbers before and after mean that none was added meanwhile.
func (r *Reconciler) lookAtPulls(ctx context.Context, day analytics.Day) (look, error) {
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
	if before.pulls() != after.pulls() {
		return look{}, errOvertaken
	}
	l := look{mend: func(ctx context.Context) error { return r.writePulls(ctx, day, after, counted) }}
	l.Compare("pulls", day.String(), after.pulls().Counters(), counted.Counters())
	return l, nil
}

func (r *Reconciler) keptPulls(ctx context.Context, day analytics.Day) (pullsItem, error) {
	kept, _, err := items.Get[pullsItem](ctx, items.In(r.Recorder.store.client, r.Recorder.store.table), dayKey(usage, day))
	if err != nil {
		return kept, fmt.Errorf("read the pulls of %s: %w", day, err)
	}
	return kept, nil
}

func (r *Reconciler) writePulls(ctx context.Context, day analytics.Day, kept pullsItem, counted analytics.Pulls) error {
	values := items.Map{":charts": items.Number(counted.Charts), ":images": items.Number(counted.Images)}
	var conditions []string
	for name, n := range map[string]*int64{"charts": kept.Charts, "images": kept.Images} {
		if n == nil {
			conditions = append(conditions, "attribute_not_exists("+name+")")
			continue
		}
		conditions = append(conditions, name+" = :kept_"+name)
		values[":kept_"+name] = items.Number(*n)
	}
	condition, expression := strings.Join(conditions, " AND "), "SET charts = :charts, images = :images"
	_, err := r.Recorder.store.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &r.Recorder.store.table, Key: dayKey(usage, day), UpdateExpression: &expression, ConditionExpression: &condition,
		ExpressionAttributeValues: values,
	}, items.RetryConflicts)
	return overtaken(err)
}
