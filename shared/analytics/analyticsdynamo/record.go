package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics/logs"
	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// Recorder counts lines of the log.
//
// Three rules make each line count once:
//
//   - The transaction that counts the lines of a segment also writes a marker, which says when the
//     first and the last line were logged. The marker has the lines, or the archive has had them before.
//   - Before a segment is counted, the Recorder reads the markers of the same stream and day that
//     overlap it, and removes the lines of those segments.
//   - Each transaction increments the version of the day's item, on the condition that the version is
//     still the one from before the markers were read. So two writers cannot miss each other's markers.
type Recorder struct {
	store   *Store
	archive logs.Archive
}

var _ logs.Recorder = (*Recorder)(nil)

// NewRecorder returns a Recorder in the store's table.
func NewRecorder(store *Store, archive logs.Archive) *Recorder { return &Recorder{store, archive} }

// errConflict means that another writer changed the day's item after it was read.
var errConflict = errors.New("the day has changed")

// Record implements logs.Recorder. It uses at most six write units for a segment of any size.
// It writes only large segments to the archive, and reads it only if the segment overlaps one of them.
func (r *Recorder) Record(ctx context.Context, s logs.Segment) (logs.Segment, error) {
	if len(s.Lines) == 0 {
		return s, nil
	}
	var kept encoded
	var rest logs.Segment
	err := contended.Do(ctx, isConflict, func() (err error) {
		rest, err = r.try(ctx, s, &kept)
		return err
	})
	if err != nil {
		return logs.Segment{}, fmt.Errorf("count lines of %s: %w", s.Day, err)
	}
	return rest, nil
}

// contended is the policy for writes to the item of a day. Each conflict means that another writer
// has succeeded. So the waits need not grow, and 200 attempts are more than are needed when every
// instance that Lambda may run at once writes the same day.
var contended = retry.Policy{Attempts: 200, FirstWait: 20 * time.Millisecond, LongestWait: 20 * time.Millisecond}

func isConflict(err error) bool { return errors.Is(err, errConflict) }

// encoded is a segment whose lines the next marker keeps.
type encoded struct {
	name logs.SegmentName
	data []byte // the lines; empty if they are in the archive
}

// encode encodes the lines of a segment, and puts those of a large one into the archive.
func (r *Recorder) encode(ctx context.Context, s logs.Segment) (encoded, error) {
	e := encoded{name: s.Name()}
	data, err := logs.EncodeLines(s.Lines)
	if err != nil || len(data) <= maxInMarker {
		e.data = data
		return e, err
	}
	return e, r.archive.Put(ctx, e.name, data)
}

// try makes one attempt to count the segment. The parameter kept is what an earlier attempt has encoded.
func (r *Recorder) try(ctx context.Context, s logs.Segment, kept *encoded) (logs.Segment, error) {
	key := dayKey(partitionOf(s.Log), s.Day)
	day, _, err := items.Get[dayItem](ctx, items.In(r.store.client, r.store.table), key)
	if err != nil {
		return s, r.store.itemError(key, err)
	}
	rest, err := r.uncountedLines(ctx, s, day)
	if err != nil || len(rest.Lines) == 0 {
		return rest, err
	}
	if rest.Name() != kept.name {
		if *kept, err = r.encode(ctx, rest); err != nil {
			return rest, err
		}
	}
	return rest, r.commit(ctx, rest, kept.data, day)
}

// dayItem holds the attributes of a day's item that are read before a segment is added. The zero
// value is a day without any counted line.
type dayItem struct {
	Version int64 `dynamodbav:"version"`
	Span    int64 `dynamodbav:"span"`
	Parts   int64 `dynamodbav:"parts"`
	requestStatsItem
}

// spanWith returns the day's span after adding a segment: the time between the first and the last
// line of the day's longest segment, in milliseconds.
func (d dayItem) spanWith(s logs.Segment) int64 {
	return max(d.Span, s.LastLogged().Sub(s.FirstLogged()).Milliseconds())
}

// partitionOf returns the partition with the sums of a log.
func partitionOf(log logs.Log) string {
	if log == logs.ModelLog {
		return usage
	}
	return requests
}

// overlapStart returns the earliest time at which a segment that overlaps s can begin. If the item
// has no span, the item may have been lost, so the result is the earliest possible time.
func (d dayItem) overlapStart(s logs.Segment) time.Time {
	if d.Version <= 0 || d.Span <= 0 {
		return time.UnixMilli(minMillis)
	}
	return s.FirstLogged().Add(-time.Duration(d.Span) * time.Millisecond)
}

// uncountedLines returns the segment without the lines of segments that were counted before.
func (r *Recorder) uncountedLines(ctx context.Context, s logs.Segment, day dayItem) (logs.Segment, error) {
	markers, err := r.markers(ctx, s, day.overlapStart(s), s.LastLogged())
	if err != nil {
		return s, err
	}
	own := s.Name()
	for _, item := range markers {
		other, err := parseMarker(item, s.Log, s.Day)
		switch {
		case err != nil:
			return s, r.store.itemError(item, err)
		case len(s.Lines) == 0 || other.SegmentName == own:
			s.Lines = nil
			return s, nil
		case other.to < s.FirstLogged().UnixMilli() || other.FirstLogged.After(s.LastLogged()):
			continue
		}
		lines, err := r.lines(ctx, other)
		if err != nil {
			return s, err
		}
		s = s.Without(lines)
	}
	return s, nil
}

// commit counts the segment if the day's item still has the version that was read. The marker keeps the data.
func (r *Recorder) commit(ctx context.Context, s logs.Segment, data []byte, day dayItem) error {
	sum, err := r.dayUpdate(s, day)
	if err != nil {
		return err
	}
	err = transactions.Write(ctx, r.store.client, []types.TransactWriteItem{sum, items.PutNew(r.store.table, items.Encode(marker{
		PK: markerPartition(s.Log, s.Day), SK: markerSortKey(s.Name()), To: s.LastLogged().UnixMilli(), Lines: len(s.Lines),
		PurgeAt: s.PurgeAt().Unix(), Data: data,
	}))})
	if _, failed := errors.AsType[*transactions.ConditionFailed](err); failed {
		return errConflict
	}
	return err
}

// unchanged returns the condition that the day's item still has the version that was read. An item
// that has only pulls and storage measurements has no version.
func (d dayItem) unchanged() (expression string, values items.Map) {
	if d.Version == 0 {
		return "attribute_not_exists(#version)", items.Map{}
	}
	return "#version = :seen", items.Map{":seen": items.Number(d.Version)}
}

// dayUpdate returns the write that adds the segment to its day.
func (r *Recorder) dayUpdate(s logs.Segment, day dayItem) (types.TransactWriteItem, error) {
	if s.Log == logs.ModelLog {
		return types.TransactWriteItem{Update: r.modelUsageUpdate(s, day)}, nil
	}
	whole, err := day.decode()
	if err != nil {
		return types.TransactWriteItem{}, r.store.itemError(dayKey(requests, s.Day), err)
	}
	whole.Merge(s.RequestStats())
	item := items.Encode(dayItem{day.Version + 1, day.spanWith(s), day.Parts + 1, encodeRequestStats(whole)})
	maps.Copy(item, dayKey(requests, s.Day))
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

// modelUsageUpdate adds the model calls and leaves the attributes of other writers unchanged.
func (r *Recorder) modelUsageUpdate(s logs.Segment, day dayItem) *types.Update {
	m := s.ModelUsage()
	condition, values := day.unchanged()
	maps.Copy(values, items.Map{
		":version": items.Number(day.Version + 1), ":span": items.Number(day.spanWith(s)), ":unread": items.Number(int64(s.Unreadable())),
		":calls": items.Number(m.Calls), ":in": items.Number(m.InputTokens), ":out": items.Number(m.OutputTokens),
		":cost": items.Number(m.MicroUSD), ":one": items.Number(1),
	})
	return &types.Update{
		TableName: &r.store.table, Key: dayKey(usage, s.Day), ConditionExpression: &condition, ExpressionAttributeValues: values,
		ExpressionAttributeNames: map[string]string{"#version": version, "#span": span},
		UpdateExpression: aws.String("SET #version = :version, #span = :span " +
			"ADD modelCalls :calls, inputTokens :in, outputTokens :out, microUSD :cost, unread :unread, parts :one"),
	}
}
