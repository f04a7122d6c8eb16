package items_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/fault"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awshttp"
)

// client sends each request once to the given address.
func client(address string) *dynamodb.Client {
	return items.Client(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(address), RetryMaxAttempts: 1, HTTPClient: awshttp.New(),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
}

func get(ctx context.Context, c *dynamodb.Client) error {
	_, err := c.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("t"), Key: items.Key("a", "b")})
	return err
}

func TestOutagesAreErrUnavailable(t *testing.T) {
	answer := func(status int, body string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	cutOff := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"Item":`))
	}))
	t.Cleanup(cutOff.Close)
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(over) })
	const code = `{"__type":"com.amazonaws.dynamodb.v20120810#`
	for name, c := range map[string]struct {
		address string
		kind    fault.Kind
	}{
		"closed port":      {"http://" + closedPort(t), fault.Unavailable},
		"no response":      {silent.URL, fault.Unavailable},
		"server error":     {answer(500, code+`InternalServerError"}`), fault.Unavailable},
		"throttled":        {answer(400, code+`ProvisionedThroughputExceededException"}`), fault.Unavailable},
		"conflict":         {answer(400, code+`TransactionConflictException"}`), fault.Unavailable},
		"cut off":          {cutOff.URL, fault.Unavailable},
		"invalid request":  {answer(400, code+`ValidationException"}`), fault.Internal},
		"no such table":    {answer(400, code+`ResourceNotFoundException"}`), fault.Internal},
		"failed condition": {answer(400, code+`ConditionalCheckFailedException"}`), fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			limit := time.Minute
			if c.address == silent.URL {
				limit = 500 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			if err := get(ctx, client(c.address)); err == nil || fault.KindOf(err) != c.kind {
				t.Errorf("kind %v of %v, want %v", fault.KindOf(err), err, c.kind)
			}
		})
	}
}

// closedPort returns an address that refuses connections.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func TestRetryConflictsRetriesConflicts(t *testing.T) {
	o := dynamodb.Options{Retryer: retry.NewStandard()}
	conflict := error(&types.TransactionConflictException{})
	if o.Retryer.IsErrorRetryable(conflict) {
		t.Fatal("the SDK retries conflicts without it; delete RetryConflicts")
	}
	items.RetryConflicts(&o)
	if !o.Retryer.IsErrorRetryable(conflict) || o.Retryer.IsErrorRetryable(errors.New("other")) {
		t.Error("RetryConflicts must retry conflicts and nothing else")
	}
}

// TestPassingFailuresAreRepeated has failures that the SDK does not repeat.
func TestPassingFailuresAreRepeated(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch calls.Add(1) {
		case 1:
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"Item":`))
		case 2:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException"}`))
		default:
			_, _ = w.Write([]byte("{}"))
		}
	}))
	t.Cleanup(server.Close)
	c := items.Client(aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
		},
	})
	if err := get(t.Context(), c); err != nil || calls.Load() != 3 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}
