package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// TestRequestsAreCounted sends requests of every kind and checks that the analytics table counts
// each once, and that the access log is archived.
func TestRequestsAreCounted(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
	defer stop()
	calls, media := int64(0), int64(0)
	root := p.admin(t)
	send := func(c client, method, target, body string, status int) {
		c.Do(method, target, body).WantStatus(status)
		calls++
	}
	for range 20 {
		send(p.anonymous(t), http.MethodGet, "/v1/health", "", http.StatusOK)
	}
	send(p.anonymous(t), http.MethodGet, "/nowhere", "", http.StatusNotFound)
	send(p.anonymous(t), http.MethodGet, "/v1/users", "", http.StatusUnauthorized)
	send(p.anonymous(t).fromGateway().With("Origin", "https://example.com").With("Access-Control-Request-Method", "GET"),
		http.MethodOptions, "/v1/users", "", http.StatusNoContent)
	send(root.fromGateway(), http.MethodPost, "/v1/users", strings.Repeat("x", 11<<20), http.StatusRequestEntityTooLarge)
	for range 2 {
		send(root, http.MethodPost, "/v1/capabilities/summarize",
			`{"text":"The quick brown fox jumps over the lazy dog. It was quick."}`, http.StatusOK)
		media++
	}
	send(root, http.MethodGet, "/v1/capabilities/jobs/none", "", http.StatusBadRequest)

	want := map[string]int64{"calls": calls, "media": media, "errors": 0, "unread": 0}
	var got map[string]int64
	await(t, "all requests to be counted", func() bool {
		got = p.countedRequests(t)
		return got["calls"] >= calls
	})
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	p.checkArchived(t)
}

// now returns the time of the machine, which is also the stack's.
func now() time.Time { return time.Now() } //nolint:forbidigo // a running stack reads no other clock

// countedRequests returns the sums of yesterday's and today's counts, because the test may run over midnight.
func (p *testStack) countedRequests(t *testing.T) map[string]int64 {
	t.Helper()
	db := dynamodb.New(dynamodb.Options{Region: p.info.Region, BaseEndpoint: &p.info.DynamoDB, Credentials: p.engineKeys()})
	sums := map[string]int64{}
	today := now().UTC()
	for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
		out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{
			TableName: aws.String(p.info.Tables["AnalyticsTable"]), ConsistentRead: aws.Bool(true),
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

// checkArchived checks that the bucket has parts of the access log.
func (p *testStack) checkArchived(t *testing.T) {
	t.Helper()
	out, err := p.s3Client().ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{
		Bucket: aws.String(p.info.Buckets["AnalyticsBucket"]), Prefix: aws.String("requests/"),
	})
	if err != nil || len(out.Contents) == 0 {
		t.Fatalf("the archive has %+v, %v", out, err)
	}
}

// engineKeys returns the credentials of the local engines.
func (p *testStack) engineKeys() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(p.info.AccessKeyID, p.info.SecretAccessKey, "")
}

func (p *testStack) s3Client() *s3.Client {
	return s3.New(s3.Options{
		Region: p.info.Region, BaseEndpoint: &p.info.S3, UsePathStyle: true, Credentials: p.engineKeys(),
	})
}
