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
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users/usersdynamo"
)

// now is a Saturday afternoon.
var now = time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC)

// testService is the analytics function on real engines, with a clock that the test controls.
type testService struct {
	testing.TB
	client    *dynamodb.Client
	analytics string
	people    *usersdynamo.Store
	keys      *credentialsdynamo.Table
	clock     *webtest.Clock
	pullLog   *pullsdynamo.Store
	lines     int // log lines written so far
}

func newTestService(tb testing.TB) *testService {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	table := awstest.Table(tb, client, "AnalyticsTable")
	keys := credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable"), awstest.Table(tb, client, "RequestCountsTable"))
	return &testService{
		TB: tb, client: client, analytics: table,
		pullLog: pullsdynamo.New(client, awstest.Table(tb, client, "PullsTable"), table), keys: keys,
		people: usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), keys, daycounts.In(table)),
		clock:  webtest.NewClock(now),
	}
}

// handler returns the function's handler, made as in main.
func (s *testService) handler() http.Handler {
	store := analyticsdynamo.New(s.client, s.analytics)
	service := analytics.NewService(store, analytics.Gigabytes(100), s.clock.Now)
	auth := credentials.NewAuthenticator(s.keys.Requests, 0, s.clock.Now)
	visibility := credentials.NewVisibility(s.keys, s.clock.Now)
	return routes(&handlers{service, analytics.NewRankings(store, s.clock.Now), visibility, s.people.People}, auth).Handler()
}

// key creates an API key of a new user with a role.
func (s *testService) key(role principal.Role) string {
	s.Helper()
	return s.issue(credentials.APIKey, credentials.Owner{ID: uuid.NewString(), Role: role, Active: true})
}

// issue creates a credential and returns its secret.
func (s *testService) issue(kind credentials.Kind, owner credentials.Owner, scopes ...string) string {
	s.Helper()
	secret := credentials.Mint(kind)
	issued := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Name: "test", CreatedAt: s.clock.Now(), Owner: owner,
		Scopes: scopes,
	}
	if kind != credentials.APIKey {
		issued.ExpiresAt = s.clock.Now().AddDate(0, 0, 90)
	}
	writes := append(s.keys.Writes.Issue(issued), s.keys.Writes.Tally(owner.ID, credentialsdynamo.Change{Issued: 1}))
	if err := transactions.Write(s.Context(), s.client, writes); err != nil {
		s.Fatal(err)
	}
	return secret.Reveal()
}

// as returns a client with an API key of a role.
func (s *testService) as(role principal.Role) webtest.Client {
	s.Helper()
	return webtest.New(s, s.handler()).With("X-API-Key", s.key(role))
}

// count changes counters as users and projects do.
func (s *testService) count(day string, change daycounts.Change) {
	s.Helper()
	parsed, err := calendar.ParseDay(day)
	if err != nil {
		s.Fatal(err)
	}
	changes := daycounts.Changes{parsed: change}
	if err := transactions.Write(s.Context(), s.client, daycounts.In(s.analytics).Writes(changes)); err != nil {
		s.Fatal(err)
	}
}

// request is a line of the access log, repeated times times.
type request struct {
	at        time.Time
	route     string // with its method; empty means GET /v1/users
	status    int
	latencyMs int64
	times     int // 0 means once
}

// log counts requests as if CloudWatch Logs had delivered their lines.
func (s *testService) log(requests ...request) {
	s.Helper()
	batch := logs.Batch{Log: logs.AccessLog, Group: "ApiAccessLogs", Stream: "stream"}
	for _, r := range requests {
		for range max(r.times, 1) {
			batch.Events = append(batch.Events, s.entry(r))
		}
	}
	segments, lost := batch.Segments()
	if lost > 0 {
		s.Fatalf("%d log lines were lost", lost)
	}
	archive := analyticss3.NewArchive(awstest.S3(s), awstest.Bucket(s))
	for _, segment := range segments {
		if _, err := analyticsdynamo.NewRecorder(analyticsdynamo.New(s.client, s.analytics), archive).Record(s.Context(), segment); err != nil {
			s.Fatal(err)
		}
	}
}

func (s *testService) entry(r request) loglines.Event {
	s.Helper()
	method, route := http.MethodGet, "ANY /v1/users"
	if r.route != "" {
		method, route = http.MethodPost, r.route
	}
	_, path, _ := strings.Cut(strings.Replace(route, "{proxy+}", "compare/media", 1), " ")
	text, err := json.Marshal(map[string]string{
		"time": strconv.FormatInt(r.at.UnixMilli(), 10), "method": method, "route": route, "path": path,
		"status":    strconv.Itoa(r.status),
		"latencyMs": strconv.FormatInt(r.latencyMs, 10),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.lines++
	return loglines.Event{ID: fmt.Sprintf("%056d", s.lines), LoggedAt: r.at.Add(time.Second), Message: string(text)}
}

// use adds to the usage of a day.
func (s *testService) use(day string, used map[string]int64) {
	s.Helper()
	for name, n := range used {
		_, err := s.client.UpdateItem(s.Context(), &dynamodb.UpdateItemInput{
			TableName: &s.analytics, Key: items.Key("usage", day), UpdateExpression: aws.String("ADD #name :n"),
			ExpressionAttributeNames:  map[string]string{"#name": name},
			ExpressionAttributeValues: items.Map{":n": items.Number(n)},
		})
		if err != nil {
			s.Fatal(err)
		}
	}
}

// measure stores a storage measurement.
func (s *testService) measure(at time.Time, size analytics.StorageBytes) {
	s.Helper()
	if err := analyticsdynamo.New(s.client, s.analytics).SaveStorage(s.Context(), at, size); err != nil {
		s.Fatal(err)
	}
}

// Two users.
const (
	ada = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	ben = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"
)

// pull records pulls on Friday, one in each minute.
func (s *testService) pull(p pulls.Pull, times int) {
	s.Helper()
	p.CredentialID = p.OwnerID
	var all []pulls.Pull
	for minute := range times {
		p.At = now.AddDate(0, 0, -1).Add(time.Duration(minute) * time.Minute)
		all = append(all, p)
	}
	if _, err := s.pullLog.Record(s.Context(), all); err != nil {
		s.Fatal(err)
	}
	if _, err := s.pullLog.CountPending(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// story writes the data that the examples of docs/analytics.md are about.
func (s *testService) story() {
	s.Helper()
	s.count("2026-10-05", daycounts.Change{
		"users": 40, "users:active": 38, "users:pending": 2, "role:admin": 1, "role:manager": 4, "role:user": 30,
		"role:viewer": 5,
		"projects":    6, "project:active": 4, "project:draft": 2, "created": 6,
	})
	s.count("2026-11-03", daycounts.Change{"users": 3, "users:active": 1, "users:pending": 2, "role:user": 3})
	s.count("2026-11-20", daycounts.Change{
		"users": -1, "users:active": -1, "role:viewer": -1,
		"projects": 1, "project:draft": 1, "created": 2, "project:active": -1, "project:archived": 1, "archived": 1,
	})
	ten, eleven := now.Truncate(24*time.Hour).Add(-14*time.Hour), now.Truncate(24*time.Hour).Add(-13*time.Hour) // on Friday
	s.log(
		request{at: ten, status: 200, latencyMs: 20, times: 90}, request{at: ten, status: 404, latencyMs: 5, times: 6},
		request{at: ten, route: "ANY /v1/capabilities/{proxy+}", status: 200, latencyMs: 1500, times: 4},
		request{at: eleven, status: 200, latencyMs: 21, times: 95},
		request{at: eleven, status: 503, latencyMs: 300, times: 5},
	)
	s.log(request{at: now.Add(-time.Hour), status: 200, latencyMs: 20, times: 10})
	s.pull(pulls.Pull{Kind: pulls.Chart, Repository: "product", Reference: "1.4.0", OwnerID: ada}, 12)
	s.pull(pulls.Pull{Kind: pulls.Image, Repository: "acme/api", Reference: "1.4.0", OwnerID: ada}, 9)
	s.pull(pulls.Pull{Kind: pulls.Image, Repository: "acme/api", Reference: "1.4.0", OwnerID: ben}, 15)
	s.pull(pulls.Pull{Kind: pulls.Image, Repository: "acme/web", Reference: "2.0.1", OwnerID: ben}, 7)
	s.pull(pulls.Pull{Kind: pulls.Image, Repository: "acme/web", Reference: "2.0", OwnerID: ben, IsCheck: true}, 75)
	s.use("2026-11-20", map[string]int64{
		"modelCalls": 5, "inputTokens": 8200, "outputTokens": 640, "microUSD": 26_900,
	})
	s.measure(now.AddDate(0, 0, -1), analytics.StorageBytes{Charts: 2_500_000_000, Media: 40_000_000})
}
