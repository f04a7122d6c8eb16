// Package audittest keeps the audit log of a test, and reads it.
package audittest

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/dynamo/auditlog"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// Log returns a log in a new table, whose events have the real time.
func Log(tb testing.TB, client *dynamodb.Client) auditlog.Log {
	tb.Helper()
	return auditlog.New(awstest.Table(tb, client, "AuditTable"), awstest.RealTime)
}

// Events returns all events of a log in their order.
func Events(tb testing.TB, client *dynamodb.Client, log auditlog.Log) []audit.Event {
	tb.Helper()
	var all []audit.Event
	for _, item := range liststest.Scan(tb, client, log.Table()) {
		var event audit.Event
		if err := json.Unmarshal([]byte(liststest.Text(item, "event")), &event); err != nil {
			tb.Fatalf("audittest: decode an event: %v", err)
		}
		all = append(all, event)
	}
	slices.SortFunc(all, func(a, b audit.Event) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Actions returns the actions of all events of a log in their order.
func Actions(tb testing.TB, client *dynamodb.Client, log auditlog.Log) []audit.Action {
	tb.Helper()
	events := Events(tb, client, log)
	actions := make([]audit.Action, len(events))
	for i, event := range events {
		actions[i] = event.Action
	}
	return actions
}
