package faultproxy_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"portside/local/faultproxy"
)

// refusing returns the configuration of clients whose requests all get the same fault before a service, and the number
// of requests.
func refusing(t *testing.T, fault faultproxy.Fault) (aws.Config, *atomic.Int64) {
	t.Helper()
	requests := &atomic.Int64{}
	server := httptest.NewServer(faultproxy.New("http://127.0.0.1:1", func(*http.Request) faultproxy.Fault {
		requests.Add(1)
		return fault
	}))
	t.Cleanup(server.Close)
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = 2, time.Millisecond })
		},
	}, requests
}

// refusedCalls are calls with the code of the error that each gets when it is throttled.
var refusedCalls = map[string]func(context.Context, aws.Config) error{
	"DynamoDB PutItem ProvisionedThroughputExceededException": func(ctx context.Context, cfg aws.Config) error {
		return put(ctx, dynamodb.NewFromConfig(cfg), "one")
	},
	"DynamoDB TransactWriteItems ThrottlingException": func(ctx context.Context, cfg aws.Config) error {
		return transact(ctx, dynamodb.NewFromConfig(cfg), "one", "two")
	},
	"S3 GetObject SlowDown": func(ctx context.Context, cfg aws.Config) error {
		_, err := pathStyle(cfg).GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("k")})
		return err
	},
	"S3 PutObject SlowDown": func(ctx context.Context, cfg aws.Config) error {
		_, err := pathStyle(cfg).PutObject(ctx, &s3.PutObjectInput{
			Bucket: aws.String("b"), Key: aws.String("k"), Body: strings.NewReader("text"),
		})
		return err
	},
	"SES SendEmail TooManyRequestsException": sendEmail,
	"Secrets Manager GetSecretValue ThrottlingException": func(ctx context.Context, cfg aws.Config) error {
		_, err := secretsmanager.NewFromConfig(cfg).
			GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String("s")})
		return err
	},
}

func pathStyle(cfg aws.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
}

func transact(ctx context.Context, c *dynamodb.Client, ids ...string) error {
	var items []types.TransactWriteItem
	for _, id := range ids {
		items = append(items, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("notes"), Item: note(id)}})
	}
	_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	return err
}

// TestThrottledCallsAreRepeated throttles a call of each service. The SDK must know the error by its code, and repeat
// the call.
func TestThrottledCallsAreRepeated(t *testing.T) {
	for name, call := range refusedCalls {
		t.Run(name, func(t *testing.T) {
			cfg, requests := refusing(t, faultproxy.Throttle)
			err := call(t.Context(), cfg)
			refused, isAPI := errors.AsType[smithy.APIError](err)
			if !isAPI || !strings.HasSuffix(name, " "+refused.ErrorCode()) || requests.Load() != 2 {
				t.Errorf("%v after %d requests", err, requests.Load())
			}
		})
	}
}

// TestConflictsOfTransactions has one reason for each item, of which the last is in conflict. The SDK does not repeat
// such a call.
func TestConflictsOfTransactions(t *testing.T) {
	cfg, requests := refusing(t, faultproxy.Conflict)
	err := transact(t.Context(), dynamodb.NewFromConfig(cfg), "one", "two")
	canceled, isCanceled := errors.AsType[*types.TransactionCanceledException](err)
	if !isCanceled || len(canceled.CancellationReasons) != 2 || requests.Load() != 1 {
		t.Fatalf("%v after %d requests", err, requests.Load())
	}
	first, last := canceled.CancellationReasons[0], canceled.CancellationReasons[1]
	if aws.ToString(first.Code) != "None" || aws.ToString(last.Code) != "TransactionConflict" ||
		canceled.ErrorMessage() == "" {
		t.Errorf("reasons %v, %v; message %q", aws.ToString(first.Code), aws.ToString(last.Code), canceled.ErrorMessage())
	}
}

func TestConflictsOfWrites(t *testing.T) {
	cfg, _ := refusing(t, faultproxy.Conflict)
	err := put(t.Context(), dynamodb.NewFromConfig(cfg), "one")
	if _, isConflict := errors.AsType[*types.TransactionConflictException](err); !isConflict {
		t.Errorf("DynamoDB: %v", err)
	}
	_, err = pathStyle(cfg).PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String("b"), Key: aws.String("k"), Body: strings.NewReader("text"), IfNoneMatch: aws.String("*"),
	})
	refused, isAPI := errors.AsType[smithy.APIError](err)
	if !isAPI || refused.ErrorCode() != "ConditionalRequestConflict" {
		t.Errorf("S3: %v", err)
	}
}
