// Package awstest starts the local engines for tests, which use them instead of mocks: DynamoDB with the tables of
// template.yaml, S3, a container registry and Secrets Manager. It also measures the capacity that a DynamoDB client
// consumes, and injects errors that the engine never returns.
//
// A test binary starts one DynamoDB engine on first use, in memory and on a free loopback port. The engine ends with
// the binary, even if the binary is killed. All tests share the engine, so each creates tables with unique names by
// calling Table. No data is kept between runs.
package awstest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/lambda/awshttp"
)

// sharedEngine returns the address of the DynamoDB engine of this test binary, or the error of its start.
var sharedEngine = sync.OnceValues(startEngine)

// toEngines sends the requests of all clients of a test binary. With a connection pool for each client, idle
// connections would accumulate until the S3 engine, which accepts 1,024, refuses new ones.
var toEngines = awshttp.New()

// DynamoDB returns a new client of the DynamoDB engine. It retries quickly, so that tests do not wait for the backoff
// of production.
func DynamoDB(tb testing.TB) *dynamodb.Client {
	tb.Helper()
	address, err := sharedEngine()
	if err != nil {
		tb.Fatal(err)
	}
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + address),
		HTTPClient:   toEngines,
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
}

// projectRoot returns the nearest directory with template.yaml, starting at the test's directory and going up.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "template.yaml")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("awstest: no template.yaml here or in a parent directory: run the tests inside the project")
		}
		dir = parent
	}
}
