// Package auditlog writes audit events in the transactions that make the changes.
//
//	day#<date>#<part>    <event id>    an event, on its day in UTC
//
// A day has [Parts] partitions; the last byte of the event ID decides which one an event is in.
//
// The attribute "event" is the event in JSON, which a seal covers. The attributes "actor", "customer" (of the target)
// and "target" (<kind>#<id>) are keys of indexes. "purgeAt" is the time at which DynamoDB may delete the item. All of
// them follow from the event. An event ID begins with the time in microseconds.
//
// A writer may take minutes from the time of an event to its commit, but less than [Settled]. So the events of an hour
// are complete when that time has passed since its end, and a function seals them; see package seals.
package auditlog

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// Settled bounds the delay between the time of an event and its commit. Lambda stops a function after 15 minutes; the
// other 5 allow for clock differences.
const Settled = 20 * time.Minute

// Parts is the number of partitions of a day. A partition takes 1,000 write units a second, and a transaction needs 2
// for an event of up to 1 KB. So a day takes 2,000 events a second, which is as much as a new on-demand table takes.
// Source: DynamoDB Developer Guide, "Read/write capacity mode" and "DynamoDB burst and adaptive capacity".
const Parts = 4

// letters are the letters of an ID. Each is as frequent as any other.
const letters = "abcdefghijklmnopqrstuvwxyz234567"

// Days is how long the table keeps an event at least. Its seal stays longer.
const Days = 400

// Log is the table of audit events. The zero value writes none.
type Log struct {
	table string
	now   func() time.Time
}

// New returns the log in the named table. now is the time of the events.
func New(table string, now func() time.Time) Log { return Log{table: table, now: now} }

// Table returns the name of the table.
func (l Log) Table() string { return l.table }

// Item is the stored form of an event.
type Item struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	Event    string `dynamodbav:"event"`
	Actor    string `dynamodbav:"actor,omitempty"`
	Customer string `dynamodbav:"customer,omitempty"`
	Target   string `dynamodbav:"target"`
	PurgeAt  int64  `dynamodbav:"purgeAt"` // seconds, for DynamoDB's TTL, which may delete days later
}

// Write returns the write of the event about a change that the actor in ctx makes, for the transaction that makes the
// change. It returns none for the zero value. A form that cannot be encoded is a programming error, and panics.
func (l Log) Write(ctx context.Context, change audit.Change) []types.TransactWriteItem {
	if l.table == "" {
		return nil
	}
	item, err := l.item(ctx, change)
	if err != nil {
		panic(err)
	}
	return []types.TransactWriteItem{items.PutNew(l.table, items.Encode(item))}
}

// Record writes an event about a change that was made without a transaction, such as one of all items.
func (l Log) Record(ctx context.Context, client transactions.Client, change audit.Change) error {
	writes := l.Write(ctx, change)
	if len(writes) == 0 {
		return nil
	}
	return transactions.Write(ctx, client, writes)
}

func (l Log) item(ctx context.Context, change audit.Change) (Item, error) {
	before, after, err := change.Describe()
	if err != nil {
		return Item{}, err
	}
	at := l.now().UTC().Truncate(time.Microsecond)
	event := audit.Event{
		ID: newID(at), Time: at, Action: change.Action, Actor: audit.ActorIn(ctx), Target: change.Target,
		CustomerID: change.CustomerID,
		RequestID:  audit.SourceIn(ctx).RequestID, Before: before, After: after,
	}
	text, err := audit.Encode(event)
	if err != nil {
		return Item{}, err
	}
	return NewItem(event, string(text)), nil
}

// NewItem returns the item of an event with its JSON text.
func NewItem(event audit.Event, text string) Item {
	return Item{
		PK: Partition(event.Time, event.ID), SK: event.ID, Event: text, Actor: event.Actor.ID, Customer: event.CustomerID,
		Target: TargetKey(event.Target), PurgeAt: event.Time.AddDate(0, 0, Days).Unix(),
	}
}

// Partition returns the partition key of an event at a time.
func Partition(at time.Time, id string) string {
	part := 0
	if id != "" {
		part = max(0, strings.IndexByte(letters, id[len(id)-1])) % Parts
	}
	return partitionKey(at, part)
}

// Partitions returns the partition keys of the events of a day.
func Partitions(day time.Time) []string {
	keys := make([]string, Parts)
	for part := range keys {
		keys[part] = partitionKey(day, part)
	}
	return keys
}

func partitionKey(day time.Time, part int) string {
	return "day#" + day.UTC().Format(time.DateOnly) + "#" + strconv.Itoa(part)
}

// TargetKey returns the key of the index by target.
func TargetKey(target audit.Target) string { return string(target.Kind) + "#" + target.ID }

// newID returns an ID of an event at a time.
func newID(at time.Time) string { return audit.FirstID(at) + "-" + strings.ToLower(rand.Text()) }
