// Package awstest gives tests the real local engines instead of mocks: DynamoDB with the tables that
// template.yaml defines, a meter for the capacity that a client consumes, and faults that the engine
// itself never produces.
//
// A test binary starts one engine, on first use, in memory and on a free loopback port, and the engine
// ends with the binary however that ends. Tests share it, so each makes tables of its own with Table;
// that keeps them apart and lets them run in parallel. The engine starts in milliseconds, which is why
// nothing is kept from one run to the next.
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
)

// sharedEngine is the one engine of this test binary: its address, or why it could not start.
var sharedEngine = sync.OnceValues(startEngine)

// DynamoDB returns a client of this test binary's engine. Each call returns a client of its own, which
// retries quickly, so that no test waits out a production backoff.
func DynamoDB(tb testing.TB) *dynamodb.Client {
	tb.Helper()
	address, err := sharedEngine()
	if err != nil {
		tb.Fatal(err)
	}
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String("http://" + address),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxBackoff = 5 * time.Millisecond
			o.RateLimiter = ratelimit.None
		}),
	})
}

// projectRoot returns the nearest directory, from the test's own upwards, that holds template.yaml.
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
