package analyticsdynamo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// marker is the item of a part that was counted.
type marker struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	To    int64  `dynamodbav:"to"`
	Lines int    `dynamodbav:"n"`
}

// errNoMarker says that an item stands where markers do, and is none: what it was written for cannot be told.
var errBadMarkerKey = errors.New("its key is not that of a part that was counted")

// markers returns the items of those of a part's stream and day that begin within a stretch of time, both ends included.
func (r *Recorder) markers(ctx context.Context, p analytics.Segment, from, to time.Time) ([]items.Map, error) {
	pages := dynamodb.NewQueryPaginator(r.store.client, &dynamodb.QueryInput{
		TableName: &r.store.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :part AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: items.Map{
			":part": items.Text(markerPartition(p)), ":from": items.Text(analytics.FormatMillis(from)),
			":to": items.Text(analytics.FormatMillis(to.Add(time.Millisecond))), // before all that begin a millisecond later
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

func markerPartition(p analytics.Segment) string {
	return fmt.Sprintf("batches#%s#%s#%s", p.Log, p.Day, p.Stream)
}

// markerOf reads a marker of a part of p's stream and day, and the name of that part. Nothing but its key has to be as it was
// written: a part that ends nobody knows when may overlap any.
func parseMarker(item items.Map, p analytics.Segment) (marker, analytics.SegmentName, error) {
	m := marker{To: math.MaxInt64}
	if key, is := item["sk"].(*types.AttributeValueMemberS); is {
		m.SK = key.Value
	}
	if to, whole := intAttribute(item["to"]); whole {
		m.To = to
	}
	name, err := m.segmentName(p)
	return m, name, err
}

// name is that of the marker's part, which has p's stream and day.
func (m marker) segmentName(p analytics.Segment) (analytics.SegmentName, error) {
	from, digest, whole := strings.Cut(m.SK, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || !whole {
		return analytics.SegmentName{}, errBadMarkerKey
	}
	return analytics.SegmentName{Log: p.Log, Day: p.Day, Stream: p.Stream, FirstLogged: items.Time(at), Digest: digest}, nil
}

// marked returns the parts that were counted, of the streams that parts of one log and day in the archive are of. Strays are items
// among their markers that are none.
func (r *Recorder) countedSegments(ctx context.Context, kept []analytics.SegmentName) (names []analytics.SegmentName, strays []items.Map, err error) {
	seen := map[string]bool{}
	for _, name := range kept {
		if seen[name.Stream] {
			continue
		}
		seen[name.Stream] = true
		of := analytics.Segment{Log: name.Log, Day: name.Day, Stream: name.Stream}
		markers, err := r.markers(ctx, of, time.UnixMilli(minMillis), time.UnixMilli(maxMillis))
		if err != nil {
			return nil, nil, err
		}
		for _, item := range markers {
			_, name, err := parseMarker(item, of)
			if err != nil {
				strays = append(strays, item)
				continue
			}
			names = append(names, name)
		}
	}
	return names, strays, nil
}

// Counted reads the parts of a day that were counted, from the archive: together they are what the day's item has. What is
// counted meanwhile may or may not be among them.
func (r *Recorder) EachCounted(ctx context.Context, log analytics.Log, day analytics.Day, visit func(analytics.Segment) error) error {
	kept, err := r.archive.Names(ctx, log, day)
	if err != nil {
		return err
	}
	names, strays, err := r.countedSegments(ctx, kept)
	if err == nil && len(strays) > 0 {
		err = r.store.itemError(strays[0], errBadMarkerKey)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		part := analytics.Segment{Log: log, Day: day, Stream: name.Stream}
		if part.Lines, err = r.archive.Get(ctx, name); err != nil {
			return err
		}
		if err := visit(part); err != nil {
			return err
		}
	}
	return nil
}

// All times that have a stamp.
const minMillis, maxMillis = 0, 1e13 - 2
