// Package auditdynamo reads the table of audit events, whose items package auditlog describes. Reads are eventually
// consistent, as the indexes are.
package auditdynamo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/audit"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/parallel"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
)

// Store implements audit.Store.
type Store struct {
	client *dynamodb.Client
	table  string
}

// New returns a Store on the named table.
func New(client *dynamodb.Client, table string) *Store { return &Store{client: client, table: table} }

var _ audit.Store = (*Store)(nil)

// Page implements audit.Store.
func (s *Store) Page(ctx context.Context, r audit.Range) (audit.Stretch, error) {
	switch low, high := bounds(r); {
	case low >= high:
		return audit.Stretch{}, nil
	case r.By.Target.ID != "":
		return s.ofIndex(ctx, r, partition{"byTarget", "target", auditlog.TargetKey(r.By.Target)})
	case r.By.ActorID != "":
		return s.ofIndex(ctx, r, partition{"byActor", "actor", r.By.ActorID})
	case r.By.CustomerID != "":
		return s.ofIndex(ctx, r, partition{"byCustomer", "customer", r.By.CustomerID})
	default:
		return s.ofDays(ctx, r)
	}
}

// bounds returns the positions that enclose the range. The position of a time is before all events of that time.
func bounds(r audit.Range) (low, high audit.Position) {
	low, high = at(r.From), at(r.To)
	switch {
	case r.After == "":
	case r.OldestFirst:
		low = max(low, r.After)
	default:
		high = min(high, r.After)
	}
	return low, high
}

func at(moment time.Time) audit.Position { return audit.Position(coreaudit.FirstID(moment)) }

// partition is a partition of the table or of an index: an attribute and its value.
type partition struct{ index, attribute, value string }

func (s *Store) ofIndex(ctx context.Context, r audit.Range, p partition) (audit.Stretch, error) {
	found, err := s.query(ctx, r, p)
	found.Queries = 1
	return found, err
}

// ofDays reads one day after the other, until it has as many events as the range wants. Days without many events are
// read together, in growing groups, so that a month without events takes few calls one after the other.
func (s *Store) ofDays(ctx context.Context, r audit.Range) (audit.Stretch, error) {
	var found audit.Stretch
	days, part := daysOf(r), r
	part.Limit = r.Limit/2 + 1 // a part has about a fourth of the events
	for size := 1; len(days) > 0; size *= 2 {
		n := min(size, len(days), r.Queries-found.Queries)
		if n <= 0 || len(found.Events) >= r.Limit {
			found.Next = beginOf(days[0], r.OldestFirst)
			return found, nil
		}
		read := make([]audit.Stretch, n*auditlog.Parts)
		err := parallel.Each(len(read), maxParallel, func(i int) (err error) {
			key := auditlog.Partitions(days[i/auditlog.Parts])[i%auditlog.Parts]
			read[i], err = s.query(ctx, part, partition{"", "pk", key})
			return err
		})
		if err != nil {
			return audit.Stretch{}, err
		}
		found.Queries += n
		for parts := range slices.Chunk(read, auditlog.Parts) {
			day := merge(parts, r.OldestFirst)
			found.Events = append(found.Events, day.Events...)
			if found.Next = day.Next; day.Next != "" {
				return found, nil
			}
		}
		days = days[n:]
	}
	return found, nil
}

// maxParallel is how many calls a request makes at the same time.
const maxParallel = 16

// merge returns the events of the partitions of a day, in one order. If a partition has more events than its query
// returned, merge returns those up to the place that all queries have reached.
func merge(parts []audit.Stretch, oldestFirst bool) audit.Stretch {
	compare := func(a, b audit.Position) int {
		if oldestFirst {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	}
	var day audit.Stretch
	for _, part := range parts {
		day.Events = append(day.Events, part.Events...)
		if part.Next != "" && (day.Next == "" || compare(part.Next, day.Next) < 0) {
			day.Next = part.Next
		}
	}
	position := func(e coreaudit.Event) audit.Position { return audit.Position(e.ID) }
	slices.SortFunc(day.Events, func(a, b coreaudit.Event) int { return compare(position(a), position(b)) })
	if day.Next != "" {
		day.Events = slices.DeleteFunc(day.Events, func(e coreaudit.Event) bool { return compare(position(e), day.Next) > 0 })
	}
	return day
}

const oneDay = 24 * time.Hour

// daysOf returns the beginnings of the days of the range in its order.
func daysOf(r audit.Range) []time.Time {
	low, high := bounds(r)
	first, last := timeOf(low).Truncate(oneDay), timeOf(high).Truncate(oneDay)
	if high == at(last) { // no event of this day is before it
		last = last.Add(-oneDay)
	}
	var days []time.Time
	for day := first; !day.After(last); day = day.Add(oneDay) {
		days = append(days, day)
	}
	if !r.OldestFirst {
		slices.Reverse(days)
	}
	return days
}

// beginOf returns the position before all events of a day, in the order of the range.
func beginOf(day time.Time, oldest bool) audit.Position {
	if oldest {
		return at(day)
	}
	return at(day.Add(oneDay))
}

// timeOf returns the time of a position that IsValid.
func timeOf(p audit.Position) time.Time {
	text, _, _ := strings.Cut(string(p), "-")
	micros, _ := strconv.ParseInt(text, 16, 64)
	return time.UnixMicro(micros).UTC()
}

// query reads the events of a partition that are in the range. BETWEEN includes its bounds, so a query can return the
// event at r.After again. The limit has one extra item for it.
func (s *Store) query(ctx context.Context, r audit.Range, p partition) (audit.Stretch, error) {
	low, high := bounds(r)
	input := &dynamodb.QueryInput{
		TableName: &s.table, ScanIndexForward: &r.OldestFirst, Limit: aws.Int32(int32(r.Limit + 1)), //nolint:gosec // at most a page
		KeyConditionExpression:   aws.String("#partition = :partition AND sk BETWEEN :low AND :high"),
		ExpressionAttributeNames: map[string]string{"#partition": p.attribute, "#event": "event"},
		ProjectionExpression:     aws.String("#event"),
		ExpressionAttributeValues: items.Map{
			":partition": items.Text(p.value), ":low": items.Text(string(low)), ":high": items.Text(string(high)),
		},
	}
	if p.index != "" {
		input.IndexName = &p.index
	}
	out, err := s.client.Query(ctx, input)
	if err != nil {
		return audit.Stretch{}, fmt.Errorf("read the audit log: %w", err)
	}
	found := audit.Stretch{Events: make([]coreaudit.Event, 0, len(out.Items))}
	for _, item := range out.Items {
		event, err := decode(item)
		if err != nil {
			return audit.Stretch{}, err
		}
		if audit.Position(event.ID) != r.After {
			found.Events = append(found.Events, event)
		}
	}
	if last, isThere := out.LastEvaluatedKey["sk"].(*types.AttributeValueMemberS); isThere {
		found.Next = audit.Position(last.Value)
	}
	return found, nil
}

func decode(item items.Map) (coreaudit.Event, error) {
	var event coreaudit.Event
	text, isText := item["event"].(*types.AttributeValueMemberS)
	if !isText {
		return event, errors.New("read the audit log: an item has no event")
	}
	if err := json.Unmarshal([]byte(text.Value), &event); err != nil {
		return event, fmt.Errorf("read the audit log: %w", err)
	}
	return event, nil
}
