package operations

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/e2e/e2etest"
)

// TestRequestsAreCounted sends requests of every kind and checks that the analytics table counts
// each once, and that the access log is archived.
func TestRequestsAreCounted(t *testing.T) {
	p := e2etest.Start(t) // whose counts have no other requests
	calls, media := int64(0), int64(0)
	root := p.Admin(t)
	send := func(c e2etest.Client, method, target, body string, status int) {
		c.Do(method, target, body).WantStatus(status)
		calls++
	}
	for range 20 {
		send(p.Anonymous(t), http.MethodGet, "/v1/health", "", http.StatusOK)
	}
	send(p.Anonymous(t), http.MethodGet, "/nowhere", "", http.StatusNotFound)
	send(p.Anonymous(t), http.MethodGet, "/v1/users", "", http.StatusUnauthorized)
	send(p.Anonymous(t).FromGateway().With("Origin", "https://example.com").With("Access-Control-Request-Method", "GET"),
		http.MethodOptions, "/v1/users", "", http.StatusNoContent)
	send(root.FromGateway(), http.MethodPost, "/v1/users", strings.Repeat("x", 11<<20), http.StatusRequestEntityTooLarge)
	for range 2 {
		send(root, http.MethodPost, "/v1/capabilities/summarize",
			`{"text":"The quick brown fox jumps over the lazy dog. It was quick."}`, http.StatusOK)
		media++
	}
	send(root, http.MethodGet, "/v1/capabilities/jobs/none", "", http.StatusBadRequest)

	want := map[string]int64{"calls": calls, "media": media, "errors": 0, "unread": 0}
	var got map[string]int64
	e2etest.Await(t, "all requests to be counted", func() bool {
		got = countedRequests(t, p)
		return got["calls"] >= calls
	})
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	if marked := markedLines(t, p); marked != got["calls"] {
		t.Errorf("the markers have %d lines, want %d", marked, got["calls"])
	}
}

// countedRequests returns the sums of yesterday's and today's counts, because the test may run over midnight.
func countedRequests(t *testing.T, p *e2etest.Stack) map[string]int64 {
	t.Helper()
	sums := map[string]int64{}
	today := e2etest.Now().UTC()
	for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
		out, err := p.Operator.DynamoDB().GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: aws.String(p.Info.Tables["AnalyticsTable"]), ConsistentRead: aws.Bool(true),
			Key: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: "requests"},
				"sk": &types.AttributeValueMemberS{Value: day.Format(time.DateOnly)},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range out.Item {
			if number, is := value.(*types.AttributeValueMemberN); is {
				n, _ := strconv.ParseInt(number.Value, 10, 64)
				sums[name] += n
			}
		}
	}
	return sums
}

// markedLines returns how many lines the markers of yesterday and today have.
func markedLines(t *testing.T, p *e2etest.Stack) (lines int64) {
	t.Helper()
	today := e2etest.Now().UTC()
	for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
		out, err := p.Operator.DynamoDB().Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String(p.Info.Tables["AnalyticsTable"]), ConsistentRead: aws.Bool(true),
			KeyConditionExpression: aws.String("pk = :day"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":day": &types.AttributeValueMemberS{Value: "batches#requests#" + day.Format(time.DateOnly)},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, marker := range out.Items {
			if number, is := marker["n"].(*types.AttributeValueMemberN); is {
				n, _ := strconv.ParseInt(number.Value, 10, 64)
				lines += n
			}
		}
	}
	return lines
}
