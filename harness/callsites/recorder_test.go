package callsites_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/harness/callsites"
	"portside/shared/analytics/analyticss3"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
	"portside/shared/mail/mailses"
)

// refusing answers each request with an error that the SDK does not repeat.
type refusing struct{}

func (refusing) Do(*http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	answer.WriteHeader(http.StatusForbidden)
	return answer.Result(), nil
}

// TestPlacesOfRunningCalls calls production code in each way in which it calls AWS: by a function with a generic
// client, by an interface inside of a function value, by a list of pages, and by a signed request.
func TestPlacesOfRunningCalls(t *testing.T) {
	var places []string
	cfg := aws.Config{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient: callsites.Client{Next: refusing{}, Called: func(_ *http.Request, place string) { places = append(places, place) }},
	}
	table := items.Client(cfg)
	key := map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "one"}}
	_, _, readErr := items.Get[struct{}](t.Context(), items.In(table, "notes"), key)
	get := types.TransactGetItem{Get: &types.Get{TableName: aws.String("notes"), Key: key}}
	_, transactErr := transactions.Read(t.Context(), table, []types.TransactGetItem{get})
	_, listErr := analyticss3.NewBucketSizer(s3.NewFromConfig(cfg), "bucket").Part(t.Context(), "")
	mailErr := mailses.New(cfg, "from@example.com").Send(t.Context(), mail.Message{})
	_, ownErr := table.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("notes"), Key: key})
	if readErr == nil || transactErr == nil || listErr == nil || mailErr == nil || ownErr == nil {
		t.Error("a call succeeded")
	}
	want := []string{
		"shared/dynamo/items/items.go:Table.GetRaw GetItem",
		"shared/dynamo/transactions/read.go:Read TransactGetItems",
		"shared/analytics/analyticss3/bucketsizer.go:BucketSizer.Part ListObjectVersions",
		"shared/mail/mailses/mailses.go:Mailer.Send signed request",
		callsites.Unknown,
	}
	if !slices.Equal(places, want) {
		t.Errorf("got %v, want %v", places, want)
	}
}
