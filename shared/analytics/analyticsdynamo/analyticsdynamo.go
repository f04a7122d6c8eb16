// Package analyticsdynamo stores the numbers of the dashboard in DynamoDB.
//
// The items; the sums in them only grow. Only markers end, see logs.KeptDays: the dashboard has periods of any past.
//
//	counts     <day>, total    users and projects; written by their own packages, see daycounts
//	requests   <day>           requests of the day by hour and latency, see requestStatsItem
//	usage      <day>           usage of the day; pulls are written by pullsdynamo
//	pulls#…    <month>         pulls of an artifact or a user; written by pullsdynamo, see there
//	top#…      <name>          places in rankings; written by pullsdynamo, see there
//	walks      storage         progress of the measurement of the storage, see walkitem
//	batches#<log>#<day>   <stream>#<time>-<digest>   marker of a counted segment of the log, with its lines if they are few
//
// Each line of the log counts once, however often it is delivered; see Recorder.
package analyticsdynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
)

// Store reads and writes the analytics table.
type Store struct {
	client *dynamodb.Client
	table  string
}

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string) *Store { return &Store{client, table} }

// Partitions of the items that exist once for each day.
const (
	requests = "requests"
	usage    = "usage"
)

func dayKey(partition string, day calendar.Day) items.Map { return items.Key(partition, day.String()) }
