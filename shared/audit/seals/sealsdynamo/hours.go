package sealsdynamo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/audit/seals"
	"portside/shared/core/audit"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/items"
)

// Hour implements seals.Events with at least one call for each partition of the day. BETWEEN includes the upper bound,
// so Hour leaves out an item with that ID. The service writes none, but an attacker can. It also leaves out items that
// are in another partition than their IDs say, because an ID could then be there twice, and a seal with it would not be
// readable. The verification finds them in Days.
func (s Table) Hour(ctx context.Context, hour seals.Hour, after string) iter.Seq2[seals.Entry, error] {
	end := audit.FirstID(hour.End())
	found := s.day(ctx, hour.Begin(), isInItsPartition, dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :partition AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: items.Map{
			":from": items.Text(max(audit.FirstID(hour.Begin()), after+"\x00")),
			":to":   items.Text(end),
		},
	})
	return func(yield func(seals.Entry, error) bool) {
		for entry, err := range found {
			if err == nil && entry.ID == end || !yield(entry, err) {
				return
			}
		}
	}
}

// Days implements seals.Events with at least one call for each partition of a day.
func (s Table) Days(ctx context.Context, first, last calendar.Day) iter.Seq2[seals.Entry, error] {
	return func(yield func(seals.Entry, error) bool) {
		for day := first; day <= last; day++ {
			all := dynamodb.QueryInput{KeyConditionExpression: aws.String("pk = :partition"),
				ExpressionAttributeValues: items.Map{}}
			for entry, err := range s.day(ctx, day.Begin(), isAny, all) {
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

func isAny(items.Map) bool { return true }

// isInItsPartition reports whether an item is in the partition that its ID selects.
func isInItsPartition(item items.Map) bool {
	partition := textOf(item["pk"])
	day, isDay := dayOf(partition)
	return isDay && partition == auditlog.Partition(day.Begin(), textOf(item["sk"]))
}

// day yields the items of the partitions of a day that a query finds and that are wanted, in the order of their IDs,
// and stops after an error.
func (s Table) day(
	ctx context.Context, at time.Time, isWanted func(items.Map) bool, query dynamodb.QueryInput,
) iter.Seq2[seals.Entry, error] {
	return func(yield func(seals.Entry, error) bool) {
		var parts []*part
		defer func() {
			for _, p := range parts {
				p.stop()
			}
		}()
		for _, key := range auditlog.Partitions(at) {
			in := query
			in.ExpressionAttributeValues = maps.Clone(query.ExpressionAttributeValues)
			in.ExpressionAttributeValues[":partition"] = items.Text(key)
			p := &part{}
			p.next, p.stop = iter.Pull2(s.query(ctx, isWanted, &in))
			if p.advance() {
				parts = append(parts, p)
			}
		}
		for len(parts) > 0 {
			first := slices.MinFunc(parts, func(a, b *part) int { return cmp.Compare(a.entry.ID, b.entry.ID) }) // errors come first
			if !yield(first.entry, first.err) || first.err != nil {
				return
			}
			if !first.advance() {
				parts = slices.DeleteFunc(parts, func(p *part) bool { return p == first })
			}
		}
	}
}

// part is a partition that is being read, at its next entry.
type part struct {
	next  func() (seals.Entry, error, bool)
	stop  func()
	entry seals.Entry
	err   error
}

func (p *part) advance() (isThere bool) {
	p.entry, p.err, isThere = p.next()
	return isThere
}

// query yields the items that a query of the table finds and that are wanted, and stops after an error.
func (s Table) query(ctx context.Context, isWanted func(items.Map) bool, in *dynamodb.QueryInput) iter.Seq2[seals.Entry, error] {
	in.TableName, in.ConsistentRead = &s.table, aws.Bool(true)
	return func(yield func(seals.Entry, error) bool) {
		pages := dynamodb.NewQueryPaginator(s.client, in)
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(seals.Entry{}, fmt.Errorf("read events: %w", err))
				return
			}
			if !yieldEntries(slices.DeleteFunc(page.Items, func(item items.Map) bool { return !isWanted(item) }), yield) {
				return
			}
		}
	}
}

func yieldEntries(found []items.Map, yield func(seals.Entry, error) bool) bool {
	for _, item := range found {
		if !yield(newEntry(item), nil) {
			return false
		}
	}
	return true
}

// Strays implements seals.Events. It reads the keys of the whole table.
func (s Table) Strays(ctx context.Context, first, last calendar.Day) iter.Seq2[seals.Entry, error] {
	return func(yield func(seals.Entry, error) bool) {
		pages := dynamodb.NewScanPaginator(s.client, &dynamodb.ScanInput{
			TableName: &s.table, ConsistentRead: aws.Bool(true),
			FilterExpression:          aws.String("NOT (pk = :seal AND sk = :newest)"),
			ExpressionAttributeValues: items.Map{":seal": items.Text(newestPK), ":newest": items.Text(newestSK)},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(seals.Entry{}, fmt.Errorf("look for other items: %w", err))
				return
			}
			strays := slices.DeleteFunc(page.Items, func(item items.Map) bool { return isOfDays(item, first, last) })
			if !yieldEntries(strays, yield) {
				return
			}
		}
	}
}

// isOfDays reports whether an item is in the partition of one of the days, which Days reads.
func isOfDays(item items.Map, first, last calendar.Day) bool {
	day, isDay := dayOf(textOf(item["pk"]))
	return isDay && day >= first && day <= last
}

// dayOf returns the day of a partition of events.
func dayOf(partition string) (day calendar.Day, isDay bool) {
	date, isDay := strings.CutPrefix(partition, "day#")
	date, _, _ = strings.Cut(date, "#")
	day, err := calendar.ParseDay(date)
	return day, isDay && err == nil && slices.Contains(auditlog.Partitions(day.Begin()), partition)
}

// newEntry returns an item as an entry. It compares the item with the one that the service writes for the same text, so
// an attribute with another value is a problem, and so is one more attribute.
func newEntry(item items.Map) seals.Entry {
	partition, entry := textOf(item["pk"]), seals.Entry{ID: textOf(item["sk"]), Text: textOf(item["event"])}
	day, isDay := dayOf(partition)
	entry.Day = day
	if !isDay {
		entry.Problem = fmt.Sprintf("the item %q of the partition %q is not an event", entry.ID, partition)
		return entry
	}
	var event audit.Event
	if err := json.Unmarshal([]byte(entry.Text), &event); err != nil {
		entry.Problem = "the text of the event is not JSON of an event"
		return entry
	}
	want := items.Encode(auditlog.NewItem(event, entry.Text))
	entry.Problem = cmp.Or(difference(item, want), wrongTime(event))
	return entry
}

// difference names the first attribute of an item that is not as wanted.
func difference(item, want items.Map) string {
	for _, name := range []string{"pk", "sk", "event", "actor", "customer", "target", "purgeAt"} {
		if !reflect.DeepEqual(item[name], want[name]) {
			return fmt.Sprintf("the attribute %q of the item does not follow from the text of the event", name)
		}
	}
	for name := range item {
		if _, isWanted := want[name]; !isWanted {
			return fmt.Sprintf("the item has the attribute %q, which an event does not have", name)
		}
	}
	return ""
}

func wrongTime(event audit.Event) string {
	if at, isID := audit.TimeOf(event.ID); isID && at.Equal(event.Time) {
		return ""
	}
	return "the ID of the event does not begin with its time"
}

func textOf(value types.AttributeValue) string {
	text, isText := value.(*types.AttributeValueMemberS)
	if !isText {
		return ""
	}
	return text.Value
}
