package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/analytics"
	"portside/shared/analytics/analyticsdynamo"
	"portside/shared/analytics/analyticss3"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
)

// now is in the afternoon of a Saturday.
var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

// board is the analytics function on real engines, with a clock that the test holds.
type board struct {
	testing.TB
	client    *dynamodb.Client
	analytics string
	keys      *credentialsdynamo.Table
	clock     *webtest.Clock
	lines     int // of the log so far
}

func newBoard(tb testing.TB) *board {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return &board{
		TB: tb, client: client, analytics: awstest.Table(tb, client, "AnalyticsTable"),
		keys: credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable")), clock: webtest.NewClock(now),
	}
}

// handler returns the function's handler as main makes it.
func (b *board) handler() http.Handler {
	service := analytics.NewService(analyticsdynamo.New(b.client, b.analytics), analytics.Gigabytes(100), b.clock.Now)
	return routes(&handlers{service}, credentials.NewAuthenticator(b.keys, 0, b.clock.Now)).Handler()
}

// key makes an API key of somebody in a role.
func (b *board) key(role principal.Role) string {
	b.Helper()
	secret, id := credentials.Mint(credentials.APIKey), uuid.NewString()
	key := credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "test", CreatedAt: b.clock.Now(),
		Owner: credentials.Owner{ID: id, Role: role, Active: true},
	}
	writes := append(b.keys.Issue(key), b.keys.Tally(id, credentialsdynamo.Change{Issued: 1}))
	if err := transactions.Write(b.Context(), b.client, writes); err != nil {
		b.Fatal(err)
	}
	return secret.Reveal()
}

// as talks to the function in a role.
func (b *board) as(role principal.Role) webtest.Client {
	b.Helper()
	return webtest.New(b, b.handler()).With("X-API-Key", b.key(role))
}

// count changes counters, as users and projects do.
func (b *board) count(day string, change daycounts.Change) {
	b.Helper()
	if err := transactions.Write(b.Context(), b.client, daycounts.In(b.analytics).Writes(daycounts.Changes{daycounts.Day(day): change})); err != nil {
		b.Fatal(err)
	}
}

// request is a line of the access log.
type request struct {
	at        time.Time
	route     string // with its method before it; empty: GET /v1/users
	status    int
	latencyMs int64
	times     int // 0: once
}

// log has requests counted as the log delivers them.
func (b *board) log(requests ...request) {
	b.Helper()
	batch := analytics.Batch{Log: analytics.AccessLog, Group: "ApiAccessLogs", Stream: "stream"}
	for _, r := range requests {
		for range max(r.times, 1) {
			batch.Entries = append(batch.Entries, b.entry(r))
		}
	}
	parts, lost := batch.Parts()
	if lost > 0 {
		b.Fatalf("%d lines are lost", lost)
	}
	archive := analyticss3.NewParts(awstest.S3(b), awstest.Bucket(b))
	for _, part := range parts {
		if _, err := analyticsdynamo.NewRecorder(analyticsdynamo.New(b.client, b.analytics), archive).Record(b.Context(), part); err != nil {
			b.Fatal(err)
		}
	}
}

func (b *board) entry(r request) analytics.Entry {
	b.Helper()
	method, route := http.MethodGet, "ANY /v1/users"
	if r.route != "" {
		method, route = http.MethodPost, r.route
	}
	_, path, _ := strings.Cut(strings.Replace(route, "{proxy+}", "compare/media", 1), " ")
	text, err := json.Marshal(map[string]string{
		"time": strconv.FormatInt(r.at.UnixMilli(), 10), "method": method, "route": route, "path": path, "status": strconv.Itoa(r.status),
		"latencyMs": strconv.FormatInt(r.latencyMs, 10),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.lines++
	return analytics.Entry{ID: fmt.Sprintf("%056d", b.lines), Logged: r.at.Add(time.Second), Message: string(text)}
}

// use adds to what was used on a day.
func (b *board) use(day string, used map[string]int64) {
	b.Helper()
	for name, n := range used {
		_, err := b.client.UpdateItem(b.Context(), &dynamodb.UpdateItemInput{
			TableName: &b.analytics, Key: items.Key("usage", day), UpdateExpression: aws.String("ADD #name :n"),
			ExpressionAttributeNames: map[string]string{"#name": name}, ExpressionAttributeValues: items.Map{":n": items.Number(n)},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// measure keeps how much is stored.
func (b *board) measure(at time.Time, size analytics.Storage) {
	b.Helper()
	if err := analyticsdynamo.New(b.client, b.analytics).SetStorage(b.Context(), at, size); err != nil {
		b.Fatal(err)
	}
}

// story is what happened at a small vendor's, as docs/analytics.md tells it.
func (b *board) story() {
	b.Helper()
	b.count("2026-10-05", daycounts.Change{
		"users": 40, "users:active": 38, "users:pending": 2, "role:admin": 1, "role:manager": 4, "role:user": 30, "role:viewer": 5,
		"projects": 6, "project:active": 4, "project:draft": 2, "created": 6,
	})
	b.count("2026-11-03", daycounts.Change{"users": 3, "users:active": 1, "users:pending": 2, "role:user": 3})
	b.count("2026-11-20", daycounts.Change{
		"users": -1, "users:active": -1, "role:viewer": -1,
		"projects": 1, "project:draft": 1, "created": 2, "project:active": -1, "project:archived": 1, "archived": 1,
	})
	ten, eleven := now.Truncate(24*time.Hour).Add(-14*time.Hour), now.Truncate(24*time.Hour).Add(-13*time.Hour) // on Friday
	b.log(
		request{at: ten, status: 200, latencyMs: 20, times: 90}, request{at: ten, status: 404, latencyMs: 5, times: 6},
		request{at: ten, route: "ANY /v1/capabilities/{proxy+}", status: 200, latencyMs: 1500, times: 4},
		request{at: eleven, status: 200, latencyMs: 21, times: 95}, request{at: eleven, status: 503, latencyMs: 300, times: 5},
	)
	b.log(request{at: now.Add(-time.Hour), status: 200, latencyMs: 20, times: 10})
	b.use("2026-11-20", map[string]int64{
		"charts": 12, "images": 31, "modelCalls": 5, "inputTokens": 8200, "outputTokens": 640, "microUSD": 26_900,
	})
	b.measure(now.AddDate(0, 0, -1), analytics.Storage{Charts: 2_500_000_000, Media: 40_000_000})
}
