// Package analyticsdynamo keeps in DynamoDB what the dashboard is made of.
//
// The items, each of them sums that are added to:
//
//	counts     <day>, total    users and projects; written by those who change them, see package daily
//	requests   <day>           requests of the day, by hour and latency; packed, see requestsItem
//	usage      <day>           what was used on the day; pulls are written by the pull log, see pullsdynamo
//	batches#<log>#<day>#<stream>   <time>-<digest>   a part of the log that was counted
//
// Lines of the log count once, however they are delivered: see Recorder.
package analyticsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// Store reads and writes the table of analytics.
type Store struct {
	client *dynamodb.Client
	table  string
}

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string) *Store { return &Store{client, table} }

// Partitions of the days.
const (
	requests = "requests"
	usage    = "usage"
)

func dayKey(partition string, day calendar.Day) items.Map { return items.Key(partition, day.String()) }
