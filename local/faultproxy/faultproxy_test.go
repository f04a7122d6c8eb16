package faultproxy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/local/engines"
	"portside/local/faultproxy"
	"portside/local/template"
	"portside/testclient"
)

// startEngine returns the URL of a DynamoDB engine with the table "notes".
func startEngine(t *testing.T) string {
	t.Helper()
	binary, err := filepath.Abs(filepath.Join("..", "..", ".local", "bin", "dynoxide"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := engines.StartDynamoDB(t.Context(), engines.DynamoDB{Binary: binary})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	notes := template.Table{
		Name: "notes", Attributes: []template.Attribute{{Name: "id", Type: "S"}}, Keys: []template.Key{{Name: "id", Type: "HASH"}},
	}
	if err := engines.CreateTables(t.Context(), p.Endpoint, []template.Table{notes}); err != nil {
		t.Fatal(err)
	}
	return p.Endpoint
}

// client returns a client with so many attempts for each call.
func client(t *testing.T, handler http.Handler, attempts int) *dynamodb.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, RetryMaxAttempts: attempts, HTTPClient: testclient.SDKClient{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
}

func put(ctx context.Context, c *dynamodb.Client, id string) error {
	_, err := c.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("notes"), Item: note(id),
		ConditionExpression: aws.String("attribute_not_exists(id)"),
	})
	return err
}

// TestFaultsStoreOrNot writes an item with each fault and looks whether it is stored.
func TestFaultsStoreOrNot(t *testing.T) {
	var fault atomic.Int64
	c := client(t, faultproxy.New(startEngine(t), func(*http.Request) faultproxy.Fault { return faultproxy.Fault(fault.Load()) }), 1)
	fails := map[faultproxy.Fault]bool{
		faultproxy.Refuse: true, faultproxy.Lose: true, faultproxy.CutOff: true, faultproxy.Overload: true,
		faultproxy.Throttle: true, faultproxy.Conflict: true,
	}
	isStored := map[faultproxy.Fault]bool{
		faultproxy.None: true, faultproxy.Lose: true, faultproxy.CutOff: true, faultproxy.Delay: true,
		faultproxy.Partial: true, faultproxy.EmptyPage: true, faultproxy.Stale: true, // mean nothing for a write
	}
	for _, f := range append(faultproxy.All(), faultproxy.None) {
		fault.Store(int64(f))
		if err := put(t.Context(), c, f.String()); (err != nil) != fails[f] {
			t.Errorf("%s: %v", f, err)
		}
		fault.Store(int64(faultproxy.None))
		if got := stored(t, c, f.String()); got != isStored[f] {
			t.Errorf("%s: stored %v, want %v", f, got, isStored[f])
		}
	}
}

func stored(t *testing.T, c *dynamodb.Client, id string) bool {
	t.Helper()
	out, err := c.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: aws.String("notes"), Key: note(id), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Item) > 0
}

func note(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
}

// TestRetryAfterLostResponseFails shows what the SDK makes of a lost response: its second attempt finds the item of its
// first.
func TestRetryAfterLostResponseFails(t *testing.T) {
	var requests atomic.Int64
	c := client(t, faultproxy.New(startEngine(t), func(*http.Request) faultproxy.Fault {
		if requests.Add(1) == 1 {
			return faultproxy.Lose
		}
		return faultproxy.None
	}), 3)
	err := put(t.Context(), c, "once")
	if _, isCheck := errors.AsType[*types.ConditionalCheckFailedException](err); !isCheck || requests.Load() != 2 {
		t.Errorf("%v after %d requests", err, requests.Load())
	}
}
