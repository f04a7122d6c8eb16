package faults

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/harness/callsites"
	"portside/local/faultproxy"
	"portside/local/ses"
	"portside/shared/lambda/awshttp"
	"portside/shared/testkit/awstest"
)

// The headers by which the proxies know the run and the place of a request. The signature does not cover them.
const (
	runHeader   = "Harness-Run"
	placeHeader = "Harness-Place"
)

// engines are the real services behind proxies that do the faults of the runs.
type engines struct {
	tables  *dynamodb.Client // without a proxy
	objects *s3.Client       // without a proxy
	proxied map[string]string
	keys    map[string]aws.CredentialsProvider
	layouts map[string]*dynamodb.DescribeTableOutput
	runs    sync.Map        // by id
	wire    *awshttp.Client // all runs share its connections
}

// tableNames are the tables of template.yaml.
var tableNames = []string{
	"CredentialsTable", "RequestCountsTable", "UsersTable", "AnalyticsTable", "CustomersTable", "ProjectsTable", "PullsTable",
	"ImageVersionsTable", "AuditTable",
}

func startEngines(t *testing.T) *engines {
	t.Helper()
	e := &engines{
		tables: awstest.DynamoDB(t), objects: awstest.S3(t), proxied: map[string]string{},
		wire: awshttp.New(), keys: map[string]aws.CredentialsProvider{}, layouts: map[string]*dynamodb.DescribeTableOutput{},
	}
	secrets := awstest.SecretsManager(t)
	e.proxy(t, "DynamoDB", *e.tables.Options().BaseEndpoint)
	e.proxy(t, "S3", *e.objects.Options().BaseEndpoint)
	e.proxy(t, "SES", e.startMail(t))
	e.proxy(t, "Secrets Manager", *secrets.Options().BaseEndpoint)
	registry, _ := awstest.NewRegistry(t).ECR(t, func() time.Time { return start })
	e.proxy(t, "ECR", *registry.Options().BaseEndpoint)
	e.keys["DynamoDB"], e.keys["S3"] = e.tables.Options().Credentials, e.objects.Options().Credentials
	e.keys["SES"], e.keys["Secrets Manager"] = e.keys["DynamoDB"], e.keys["DynamoDB"]
	e.keys["ECR"] = e.keys["DynamoDB"]
	for _, name := range tableNames {
		layout, err := e.tables.DescribeTable(t.Context(),
			&dynamodb.DescribeTableInput{TableName: aws.String(awstest.Table(t, e.tables, name))})
		if err != nil {
			t.Fatal(err)
		}
		e.layouts[name] = layout
	}
	return e
}

func (e *engines) proxy(t *testing.T, name, service string) {
	t.Helper()
	proxy := faultproxy.New(service, func(r *http.Request) faultproxy.Fault {
		return e.runOf(r).decide(faultproxy.CallOf(r), r.Header.Get(placeHeader))
	})
	proxy.Observe(func(r *http.Request, _ faultproxy.Fault) { e.runOf(r).done(r.Header.Get(placeHeader)) })
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	e.proxied[name] = server.URL
}

func (e *engines) runOf(r *http.Request) *run {
	found, isKnown := e.runs.Load(r.Header.Get(runHeader))
	if !isKnown {
		panic("a request of an unknown run: " + r.URL.String())
	}
	return found.(*run)
}

// startMail starts the local SES. It gives each accepted mail to its run, too.
func (e *engines) startMail(t *testing.T) string {
	t.Helper()
	outbox, err := ses.NewOutbox(filepath.Join(t.TempDir(), "mail"), awstest.RealTime)
	if err != nil {
		t.Fatal(err)
	}
	api := outbox.API()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.runOf(r).letters.Receive(w, r, api)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// config returns the configuration of the clients of one run for a service. The SDK repeats calls as in production, but
// without waits.
func (e *engines) config(r *run, service string) aws.Config {
	return aws.Config{
		Region: "us-east-1", Credentials: e.keys[service], BaseEndpoint: aws.String(e.proxied[service]),
		HTTPClient: callsites.Client{Next: e.wire, Called: func(request *http.Request, place string) {
			request.Header.Set(runHeader, r.id)
			request.Header.Set(placeHeader, place)
		}},
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(o *retry.StandardOptions) {
				o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
				o.RateLimiter = ratelimit.None
			})
		},
	}
}

// newTables creates the tables of one run, and returns their names. The returned function deletes them.
func (e *engines) newTables(ctx context.Context) (names map[string]string, remove func(), err error) {
	names = map[string]string{}
	remove = func() {
		for _, name := range names {
			_, _ = e.tables.DeleteTable(context.WithoutCancel(ctx), &dynamodb.DeleteTableInput{TableName: &name})
		}
	}
	for logical, layout := range e.layouts {
		name := logical + "-" + uuid.NewString()
		if _, err := e.tables.CreateTable(ctx, copyOf(layout, name)); err != nil {
			return nil, remove, err
		}
		names[logical] = name
	}
	return names, remove, nil
}

// newBucket creates a bucket for one run.
func (e *engines) newBucket(ctx context.Context) (string, error) {
	name := "faults-" + strings.ToLower(uuid.NewString())
	_, err := e.objects.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &name})
	return name, err
}
