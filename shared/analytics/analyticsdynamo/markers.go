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
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// marker is the item that marks a segment as counted.
type marker struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	To      int64  `dynamodbav:"to"`      // when the last line was logged, in Unix milliseconds
	Lines   int    `dynamodbav:"n"`       // number of lines
	PurgeAt int64  `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may delete days later
}

// errBadMarkerKey means that the key of an item in a marker partition does not name a segment. Such
// an item may stand for any segment.
var errBadMarkerKey = errors.New("the key does not name a counted segment")

// markers returns the markers of the segments of s's stream and day that begin between from and to,
// both included.
func (r *Recorder) markers(ctx context.Context, s analytics.Segment, from, to time.Time) ([]items.Map, error) {
	pages := dynamodb.NewQueryPaginator(r.store.client, &dynamodb.QueryInput{
		TableName: &r.store.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :part AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: items.Map{
			":part": items.Text(markerPartition(s)), ":from": items.Text(analytics.FormatMillis(from)),
			":to": items.Text(analytics.FormatMillis(to.Add(time.Millisecond))), // sorts before every key of the next millisecond
		},
	})
	var found []items.Map
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the markers of counted segments: %w", err)
		}
		found = append(found, page.Items...)
	}
	return found, nil
}

func markerPartition(s analytics.Segment) string {
	return fmt.Sprintf("batches#%s#%s#%s", s.Log, s.Day, s.Stream)
}

// parseMarker reads a marker of s's stream and day, and the name of its segment. Only the key must
// be valid. A marker without a valid end overlaps every later segment.
func parseMarker(item items.Map, s analytics.Segment) (marker, analytics.SegmentName, error) {
	m := marker{To: math.MaxInt64}
	if key, ok := item["sk"].(*types.AttributeValueMemberS); ok {
		m.SK = key.Value
	}
	if to, ok := intAttribute(item["to"]); ok {
		m.To = to
	}
	name, err := m.segmentName(s)
	return m, name, err
}

// segmentName returns the name of the marker's segment, which has the stream and day of s.
func (m marker) segmentName(s analytics.Segment) (analytics.SegmentName, error) {
	from, digest, found := strings.Cut(m.SK, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || !found {
		return analytics.SegmentName{}, errBadMarkerKey
	}
	return analytics.SegmentName{Log: s.Log, Day: s.Day, Stream: s.Stream, FirstLogged: items.Time(at), Digest: digest}, nil
}

// countedSegments returns the counted segments of all streams that have segments in the archive,
// which must be of one log and day. Strays are items in marker partitions whose key does not name a
// segment.
func (r *Recorder) countedSegments(ctx context.Context, archived []analytics.SegmentName) (
	names []analytics.SegmentName, strays []items.Map, err error,
) {
	seen := map[string]bool{}
	for _, name := range archived {
		if seen[name.Stream] {
			continue
		}
		seen[name.Stream] = true
		stream := analytics.Segment{Log: name.Log, Day: name.Day, Stream: name.Stream}
		markers, err := r.markers(ctx, stream, time.UnixMilli(minMillis), time.UnixMilli(maxMillis))
		if err != nil {
			return nil, nil, err
		}
		for _, item := range markers {
			_, name, err := parseMarker(item, stream)
			if err != nil {
				strays = append(strays, item)
				continue
			}
			names = append(names, name)
		}
	}
	return names, strays, nil
}

// EachCounted reads the counted segments of a day from the archive. Together they add up to the
// day's item. Segments that are counted during the call may be missing.
func (r *Recorder) EachCounted(ctx context.Context, log analytics.Log, day calendar.Day, visit func(analytics.Segment) error) error {
	archived, err := r.archive.Names(ctx, log, day)
	if err != nil {
		return err
	}
	names, strays, err := r.countedSegments(ctx, archived)
	if err == nil && len(strays) > 0 {
		err = r.store.itemError(strays[0], errBadMarkerKey)
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		segment := analytics.Segment{Log: log, Day: day, Stream: name.Stream}
		if segment.Lines, err = r.archive.Get(ctx, name); err != nil {
			return err
		}
		if err := visit(segment); err != nil {
			return err
		}
	}
	return nil
}

const minMillis, maxMillis = 0, 1e13 - 2
