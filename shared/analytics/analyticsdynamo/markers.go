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

	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// marker is the item that marks a segment as counted. It has the lines of a small segment; those of a large one are in
// the archive.
type marker struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	To      int64  `dynamodbav:"to"`             // when the last line was logged, in Unix milliseconds
	Lines   int    `dynamodbav:"n"`              // number of lines
	PurgeAt int64  `dynamodbav:"purgeAt"`        // seconds, for DynamoDB's TTL, which may delete days later
	Data    []byte `dynamodbav:"data,omitempty"` // the encoded lines; empty if they are in the archive
}

// maxInMarker is the longest data that a marker has. The item then has at most a kilobyte, and DynamoDB bills it with
// the lines as without. A call to the archive would cost four times the write of the marker.
const maxInMarker = 850

// errBadMarkerKey means that the key of an item in a marker partition does not name a segment. Such
// an item may stand for any segment.
var errBadMarkerKey = errors.New("the key does not name a counted segment")

// markers returns the markers of the segments of s's stream and day that begin between from and to,
// both included.
func (r *Recorder) markers(ctx context.Context, s logs.Segment, from, to time.Time) (found []items.Map, err error) {
	err = r.query(ctx, &dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :part AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: items.Map{
			":part": items.Text(markerPartition(s.Log, s.Day)), ":from": items.Text(s.Stream + "#" + logs.FormatMillis(from)),
			":to": items.Text(s.Stream + "#" + logs.FormatMillis(to.Add(time.Millisecond))), // sorts before every key of the next millisecond
		},
	}, func(item items.Map) { found = append(found, item) })
	return found, err
}

// query calls visit with each marker that it finds.
func (r *Recorder) query(ctx context.Context, input *dynamodb.QueryInput, visit func(items.Map)) error {
	input.TableName, input.ConsistentRead = &r.store.table, aws.Bool(true)
	for pages := dynamodb.NewQueryPaginator(r.store.client, input); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read the markers of counted segments: %w", err)
		}
		for _, item := range page.Items {
			visit(item)
		}
	}
	return nil
}

func markerPartition(log logs.Log, day calendar.Day) string {
	return fmt.Sprintf("batches#%s#%s", log, day)
}

func markerSortKey(name logs.SegmentName) string { return name.Stream + "#" + name.SortKey() }

// counted is a counted segment: its name, when its last line was logged, and its lines if the marker has them.
type counted struct {
	logs.SegmentName
	to   int64
	data []byte
}

// parseMarker reads a marker of a log and a day. Only the key must be valid. A marker without a valid end overlaps
// every later segment.
func parseMarker(item items.Map, log logs.Log, day calendar.Day) (counted, error) {
	c := counted{to: math.MaxInt64}
	if to, ok := intAttribute(item["to"]); ok {
		c.to = to
	}
	switch data := item["data"].(type) {
	case nil: // in the archive
	case *types.AttributeValueMemberB:
		c.data = data.Value
	default:
		c.data = []byte("damaged") // which no decoder takes for lines
	}
	key, _ := item["sk"].(*types.AttributeValueMemberS) // the sort key is always a string
	stream, position, _ := strings.Cut(key.Value, "#")
	from, digest, found := strings.Cut(position, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	if err != nil || !found {
		return c, errBadMarkerKey
	}
	c.SegmentName = logs.SegmentName{Log: log, Day: day, Stream: stream, FirstLogged: items.Time(at), Digest: digest}
	return c, nil
}

// lines returns the lines of a counted segment. Errors: logs.ErrMissing, logs.ErrDamaged.
func (r *Recorder) lines(ctx context.Context, c counted) ([]logs.Line, error) {
	data := c.data
	if len(data) == 0 {
		var err error
		if data, err = r.archive.Get(ctx, c.SegmentName); err != nil {
			return nil, err
		}
	}
	lines, err := logs.DecodeLines(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.SegmentName, err)
	}
	return lines, nil
}

// countedSegments returns the counted segments of a day, by stream and time. Strays are items in the partition of the
// markers whose key does not name a segment.
func (r *Recorder) countedSegments(ctx context.Context, log logs.Log, day calendar.Day) (
	all []counted, strays []items.Map, err error,
) {
	err = r.query(ctx, &dynamodb.QueryInput{
		KeyConditionExpression:    aws.String("pk = :part"),
		ExpressionAttributeValues: items.Map{":part": items.Text(markerPartition(log, day))},
	}, func(item items.Map) {
		if segment, err := parseMarker(item, log, day); err != nil {
			strays = append(strays, item)
		} else {
			all = append(all, segment)
		}
	})
	return all, strays, err
}

// minMillis is the earliest time that a key can have, in Unix milliseconds.
const minMillis = 0
