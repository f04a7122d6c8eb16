package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/retry"
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

var _ analytics.Ledger = (*Recorder)(nil)

// NewRecorder returns a Recorder in the store's table.
func NewRecorder(store *Store, archive analytics.Archive) *Recorder { return &Recorder{store, archive} }

// errOvertaken says that another part of the day was counted at the same time.
var errOvertaken = errors.New("the day has changed")

// Record implements analytics.Ledger. It writes six units at most, whatever the size of the part, and reads the archive only
// where the part overlaps others.
func (r *Recorder) Record(ctx context.Context, p analytics.Part) (analytics.Part, error) {
	if len(p.Lines) == 0 {
		return p, nil
	}
	var kept analytics.Name
	var counted analytics.Part
	err := contended.Do(ctx, isOvertaken, func() (err error) {
		counted, err = r.try(ctx, p, &kept)
		return err
	})
	if err != nil {
		return analytics.Part{}, fmt.Errorf("count lines of %s: %w", p.Day, err)
	}
	return counted, nil
}

// contended is the policy for writes to the item of a day. Each conflict means that another writer has succeeded, so the
// waits need not grow, and 200 attempts suffice for more writers than a function may have.
var contended = retry.Policy{Attempts: 200, FirstWait: 20 * time.Millisecond, LongestWait: 20 * time.Millisecond}

func isOvertaken(err error) bool { return errors.Is(err, errOvertaken) }

// try counts the part once, unless it is overtaken. kept is what it put into the archive already.
func (r *Recorder) try(ctx context.Context, p analytics.Part, kept *analytics.Name) (analytics.Part, error) {
	key := dayKey(partitionOf(p.Log), p.Day)
	day, _, err := items.Get[dayItem](ctx, items.In(r.store.client, r.store.table), key)
	if err != nil {
		return p, r.store.at(key, err)
	}
	rest, err := r.fresh(ctx, p, day)
	if err != nil || len(rest.Lines) == 0 {
		return rest, err
	}
	if name := rest.Name(); name != *kept {
		if err := r.archive.Put(ctx, name, rest.Lines); err != nil {
			return rest, err
		}
		*kept = name
	}
	return rest, r.write(ctx, rest, day)
}

// dayItem is what is read of a day's item before something is added to it. The zero value is a day without anything of the log.
type dayItem struct {
	Version int64 `dynamodbav:"version"`
	Span    int64 `dynamodbav:"span"`
	Parts   int64 `dynamodbav:"parts"`
	requestsItem
}

// spanWith is the day's span with one more part.
func (d dayItem) spanWith(p analytics.Part) int64 {
	return max(d.Span, p.To().Sub(p.From()).Milliseconds())
}

// partitionOf is where the sums of a log are.
func partitionOf(log analytics.Log) string {
	if log == analytics.ModelLog {
		return usage
	}
	return requests
}

// All times that have a stamp.
const beginning, end = 0, 1e13 - 2

// reach is from when on parts may begin that a part overlaps. A day that knows no span may have lost it, together with its item: then
// that is the beginning of all times, although nearly always there is nothing.
func (d dayItem) reach(p analytics.Part) time.Time {
	if d.Version <= 0 || d.Span <= 0 {
		return time.UnixMilli(beginning)
	}
	return p.From().Add(-time.Duration(d.Span) * time.Millisecond)
}

// fresh returns what no other part has.
func (r *Recorder) fresh(ctx context.Context, p analytics.Part, day dayItem) (analytics.Part, error) {
	markers, err := r.markers(ctx, p, day.reach(p), p.To())
	if err != nil {
		return p, err
	}
	own := p.Name().Position()
	for _, item := range markers {
		m, name, err := markerOf(item, p)
		switch {
		case err != nil:
			return p, r.store.at(item, err)
		case len(p.Lines) == 0 || m.SK == own:
			p.Lines = nil
			return p, nil
		case m.To < p.From().UnixMilli() || name.From.After(p.To()):
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

// errNoMarker says that an item stands where markers do, and is none: what it was written for cannot be told.
var errNoMarker = errors.New("its key is not that of a part that was counted")

// marker is the item of a part that was counted.
type marker struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	To    int64  `dynamodbav:"to"`
	Lines int    `dynamodbav:"n"`
}

// markers returns the items of those of a part's stream and day that begin within a stretch of time, both ends included.
func (r *Recorder) markers(ctx context.Context, p analytics.Part, from, to time.Time) ([]items.Map, error) {
	pages := dynamodb.NewQueryPaginator(r.store.client, &dynamodb.QueryInput{
		TableName: &r.store.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :part AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: items.Map{
			":part": items.Text(batches(p)), ":from": items.Text(analytics.Stamp(from)),
			":to": items.Text(analytics.Stamp(to.Add(time.Millisecond))), // before all that begin a millisecond later
		},
	})
	var found []items.Map
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read what was counted: %w", err)
		}
		found = append(found, page.Items...)
	}
	return found, nil
}

func batches(p analytics.Part) string { return fmt.Sprintf("batches#%s#%s#%s", p.Log, p.Day, p.Stream) }

// markerOf reads a marker of a part of p's stream and day, and the name of that part. Nothing but its key has to be as it was
// written: a part that ends nobody knows when may overlap any.
func markerOf(item items.Map, p analytics.Part) (marker, analytics.Name, error) {
	m := marker{To: math.MaxInt64}
	if key, is := item["sk"].(*types.AttributeValueMemberS); is {
		m.SK = key.Value
	}
	if to, whole := wholeNumber(item["to"]); whole {
		m.To = to
	}
	name, err := m.name(p)
	return m, name, err
}

// name is that of the marker's part, which has p's stream and day.
func (m marker) name(p analytics.Part) (analytics.Name, error) {
	from, digest, whole := strings.Cut(m.SK, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || !whole {
		return analytics.Name{}, errNoMarker
	}
	return analytics.Name{Log: p.Log, Day: p.Day, Stream: p.Stream, From: items.Time(at), Digest: digest}, nil
}

// write counts the part, if the day is still as it was.
func (r *Recorder) write(ctx context.Context, p analytics.Part, day dayItem) error {
	sum, err := r.sum(p, day)
	if err != nil {
		return err
	}
	err = transactions.Write(ctx, r.store.client, []types.TransactWriteItem{sum, {Put: &types.Put{
		TableName: &r.store.table, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		Item: items.Encode(marker{PK: batches(p), SK: p.Name().Position(), To: p.To().UnixMilli(), Lines: len(p.Lines)}),
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
func (r *Recorder) sum(p analytics.Part, day dayItem) (types.TransactWriteItem, error) {
	if p.Log == analytics.ModelLog {
		return types.TransactWriteItem{Update: r.sumOfModels(p, day)}, nil
	}
	whole, err := day.requests()
	if err != nil {
		return types.TransactWriteItem{}, r.store.at(dayKey(requests, p.Day), err)
	}
	whole.Merge(p.Requests())
	item := items.Encode(dayItem{day.Version + 1, day.spanWith(p), day.Parts + 1, packed(whole)})
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
func (r *Recorder) sumOfModels(p analytics.Part, day dayItem) *types.Update {
	m := p.Models()
	condition, values := day.unchanged()
	maps.Copy(values, items.Map{
		":version": items.Number(day.Version + 1), ":span": items.Number(day.spanWith(p)), ":unread": items.Number(int64(p.Unread())),
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

// Counted reads the parts of a day that were counted, from the archive: together they are what the day's item has. What is
// counted meanwhile may or may not be among them.
func (r *Recorder) Counted(ctx context.Context, log analytics.Log, day calendar.Day, visit func(analytics.Part) error) error {
	kept, err := r.archive.Names(ctx, log, day)
	if err != nil {
		return err
	}
	names, strays, err := r.marked(ctx, kept)
	if err == nil && len(strays) > 0 {
		err = r.store.at(strays[0], errNoMarker)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		part := analytics.Part{Log: log, Day: day, Stream: name.Stream}
		if part.Lines, err = r.archive.Get(ctx, name); err != nil {
			return err
		}
		if err := visit(part); err != nil {
			return err
		}
	}
	return nil
}

// marked returns the parts that were counted, of the streams that parts of one log and day in the archive are of. Strays are items
// among their markers that are none.
func (r *Recorder) marked(ctx context.Context, kept []analytics.Name) (names []analytics.Name, strays []items.Map, err error) {
	seen := map[string]bool{}
	for _, name := range kept {
		if seen[name.Stream] {
			continue
		}
		seen[name.Stream] = true
		of := analytics.Part{Log: name.Log, Day: name.Day, Stream: name.Stream}
		markers, err := r.markers(ctx, of, time.UnixMilli(beginning), time.UnixMilli(end))
		if err != nil {
			return nil, nil, err
		}
		for _, item := range markers {
			_, name, err := markerOf(item, of)
			if err != nil {
				strays = append(strays, item)
				continue
			}
			names = append(names, name)
		}
	}
	return names, strays, nil
}
