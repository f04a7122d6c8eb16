package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// Recorder counts lines of the log.
//
// A line counts once because of three things. A part that is counted leaves a marker in the same transaction, which says from when
// to when its lines were logged; the lines themselves were put into the archive before. Whoever counts a part of the same
// stream and day reads the markers that it overlaps, and leaves out the lines of those. And each transaction raises the
// version of the day's item, on the condition that it is as it was before the markers were read: so nobody counts beside
// somebody whose marker he did not see.
type Recorder struct {
	store   *Store
	archive analytics.Archive
}

var _ analytics.Recorder = (*Recorder)(nil)

// NewRecorder returns a Recorder in the store's table.
func NewRecorder(store *Store, archive analytics.Archive) *Recorder { return &Recorder{store, archive} }

// errOvertaken says that another part of the day was counted at the same time.
var errOvertaken = errors.New("the day has changed")

// Record implements analytics.Ledger. It writes six units at most, whatever the size of the part, and reads the archive only
// where the part overlaps others.
func (r *Recorder) Record(ctx context.Context, p analytics.Segment) (analytics.Segment, error) {
	if len(p.Lines) == 0 {
		return p, nil
	}
	var kept analytics.SegmentName
	for n := 1; ; n++ {
		counted, err := r.try(ctx, p, &kept)
		if errors.Is(err, errOvertaken) && n < maxTries {
			err = pause(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return analytics.Segment{}, fmt.Errorf("count lines of %s: %w", p.Day, err)
		}
		return counted, nil
	}
}

// maxTries is more than as many writers at once could need as a function may have.
const maxTries = 200

// longestPause is between two tries. Each time somebody has come through, so that it need not grow.
const longestPause = 20 * time.Millisecond

func pause(ctx context.Context) error {
	timer := time.NewTimer(rand.N(longestPause))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// try counts the part once, unless it is overtaken. kept is what it put into the archive already.
func (r *Recorder) try(ctx context.Context, p analytics.Segment, kept *analytics.SegmentName) (analytics.Segment, error) {
	key := dayKey(partitionOf(p.Log), p.Day)
	day, _, err := items.Get[dayItem](ctx, items.In(r.store.client, r.store.table), key)
	if err != nil {
		return p, r.store.itemError(key, err)
	}
	rest, err := r.uncountedLines(ctx, p, day)
	if err != nil || len(rest.Lines) == 0 {
		return rest, err
	}
	if name := rest.Name(); name != *kept {
		if err := r.archive.Put(ctx, name, rest.Lines); err != nil {
			return rest, err
		}
		*kept = name
	}
	return rest, r.commit(ctx, rest, day)
}

// dayItem is what is read of a day's item before something is added to it. The zero value is a day without anything of the log.
type dayItem struct {
	Version int64 `dynamodbav:"version"`
	Span    int64 `dynamodbav:"span"`
	Parts   int64 `dynamodbav:"parts"`
	requestStatsItem
}

// spanWith is the day's span with one more part.
func (d dayItem) spanWith(p analytics.Segment) int64 {
	return max(d.Span, p.LastLogged().Sub(p.FirstLogged()).Milliseconds())
}

// partitionOf is where the sums of a log are.
func partitionOf(log analytics.Log) string {
	if log == analytics.ModelLog {
		return usage
	}
	return requests
}

// reach is from when on parts may begin that a part overlaps. A day that knows no span may have lost it, together with its item: then
// that is the beginning of all times, although nearly always there is nothing.
func (d dayItem) overlapStart(p analytics.Segment) time.Time {
	if d.Version <= 0 || d.Span <= 0 {
		return time.UnixMilli(minMillis)
	}
	return p.FirstLogged().Add(-time.Duration(d.Span) * time.Millisecond)
}

// fresh returns what no other part has.
func (r *Recorder) uncountedLines(ctx context.Context, p analytics.Segment, day dayItem) (analytics.Segment, error) {
	markers, err := r.markers(ctx, p, day.overlapStart(p), p.LastLogged())
	if err != nil {
		return p, err
	}
	own := p.Name().SortKey()
	for _, item := range markers {
		m, name, err := parseMarker(item, p)
		switch {
		case err != nil:
			return p, r.store.itemError(item, err)
		case len(p.Lines) == 0 || m.SK == own:
			p.Lines = nil
			return p, nil
		case m.To < p.FirstLogged().UnixMilli() || name.FirstLogged.After(p.LastLogged()):
			continue
		}
		counted, err := r.archive.Get(ctx, name)
		if err != nil {
			return p, err
		}
		p = p.Without(counted)
	}
	return p, nil
}

// write counts the part, if the day is still as it was.
func (r *Recorder) commit(ctx context.Context, p analytics.Segment, day dayItem) error {
	sum, err := r.dayUpdate(p, day)
	if err != nil {
		return err
	}
	err = transactions.Write(ctx, r.store.client, []types.TransactWriteItem{sum, {Put: &types.Put{
		TableName: &r.store.table, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		Item: items.Encode(marker{PK: markerPartition(p), SK: p.Name().SortKey(), To: p.LastLogged().UnixMilli(), Lines: len(p.Lines)}),
	}}})
	if _, failed := errors.AsType[*transactions.ConditionFailed](err); failed {
		return errOvertaken
	}
	return err
}

// unchanged is the condition that the day has the version that was read. Pulls and measurements are written to days that the log
// has added nothing to.
func (d dayItem) unchanged() (expression string, values items.Map) {
	if d.Version == 0 {
		return "attribute_not_exists(#version)", items.Map{}
	}
	return "#version = :seen", items.Map{":seen": items.Number(d.Version)}
}

// sum is what adds the part to the day.
func (r *Recorder) dayUpdate(p analytics.Segment, day dayItem) (types.TransactWriteItem, error) {
	if p.Log == analytics.ModelLog {
		return types.TransactWriteItem{Update: r.modelUsageUpdate(p, day)}, nil
	}
	whole, err := day.decode()
	if err != nil {
		return types.TransactWriteItem{}, r.store.itemError(dayKey(requests, p.Day), err)
	}
	whole.Merge(p.RequestStats())
	item := items.Encode(dayItem{day.Version + 1, day.spanWith(p), day.Parts + 1, encodeRequestStats(whole)})
	maps.Copy(item, dayKey(requests, p.Day))
	condition, values := day.unchanged()
	put := &types.Put{
		TableName: &r.store.table, Item: item, ConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#version": version},
	}
	if len(values) > 0 {
		put.ExpressionAttributeValues = values
	}
	return types.TransactWriteItem{Put: put}, nil
}

// sumOfModels leaves alone what others write about the day.
func (r *Recorder) modelUsageUpdate(p analytics.Segment, day dayItem) *types.Update {
	m := p.ModelUsage()
	condition, values := day.unchanged()
	maps.Copy(values, items.Map{
		":version": items.Number(day.Version + 1), ":span": items.Number(day.spanWith(p)), ":unread": items.Number(int64(p.Unreadable())),
		":calls": items.Number(m.Calls), ":in": items.Number(m.InputTokens), ":out": items.Number(m.OutputTokens),
		":cost": items.Number(m.MicroUSD), ":one": items.Number(1),
	})
	return &types.Update{
		TableName: &r.store.table, Key: dayKey(usage, p.Day), ConditionExpression: &condition, ExpressionAttributeValues: values,
		ExpressionAttributeNames: map[string]string{"#version": version, "#span": span},
		UpdateExpression: aws.String("SET #version = :version, #span = :span " +
			"ADD modelCalls :calls, inputTokens :in, outputTokens :out, microUSD :cost, unread :unread, parts :one"),
	}
}
