// Package office composes the services of Portside as the main.go files of the functions do, in one process on real
// engines: DynamoDB in memory with the tables of template.yaml, and the outbox of the local SES. A test sets the clock
// and can change every call of AWS.
package office

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/harness/invariants"
	"portside/local/engines"
	"portside/local/ses"
	"portside/local/template"
	"portside/shared/dynamo/items"
	"portside/shared/lambda/awshttp"
)

// stopGrace is how long the engine may take to end.
const stopGrace = 2 * time.Second

// maxBackoff is the longest wait of the AWS SDK before it repeats a call.
const maxBackoff = time.Millisecond

// Client sends the calls of AWS.
type Client interface {
	Do(request *http.Request) (*http.Response, error)
}

// Options are the settings of an office.
type Options struct {
	// Root is the folder of this repository.
	Root string
	// Mails is the folder of the outbox.
	Mails string
	// Now is the first time of the clock.
	Now time.Time
	// Through returns the client that the services use, given the client of the engines. Nil keeps the client of the
	// engines.
	Through func(engines Client) Client
	// DynamoDB maps the endpoint of the engine to the endpoint that the services use. Nil keeps the endpoint of the
	// engine.
	DynamoDB func(endpoint string) string
	// Attempts is how often the AWS SDK tries a call; 0 means three times.
	Attempts int
}

// Tables are the names of the tables.
type Tables struct{ Users, Credentials, RequestCounts, Customers, Projects, Pulls, Analytics, Audit string }

// Checked are the tables that package invariants checks.
func (t Tables) Checked() invariants.Tables {
	return invariants.Tables{
		Users: t.Users, Credentials: t.Credentials, Customers: t.Customers, Projects: t.Projects, Pulls: t.Pulls,
		Analytics: t.Analytics,
		Audit:     t.Audit,
	}
}

// Office is a running set of services and engines.
type Office struct {
	Services

	Clock  *Clock
	Tables Tables
	// Direct is a client of DynamoDB that Options.Through does not change. Tests read tables with it.
	Direct *dynamodb.Client

	engine *engines.Process
}

// Open starts an office with empty tables.
func Open(ctx context.Context, o Options) (*Office, error) {
	clock := NewClock(o.Now)
	outbox, err := ses.NewOutbox(o.Mails, clock.Now)
	if err != nil {
		return nil, fmt.Errorf("open the outbox: %w", err)
	}
	engine, err := engines.StartDynamoDB(ctx, engines.DynamoDB{Binary: filepath.Join(o.Root, ".local", "bin", "dynoxide")})
	if err != nil {
		return nil, fmt.Errorf("start DynamoDB: %w", err)
	}
	office := &Office{Clock: clock, engine: engine}
	if err := office.createTables(ctx, o.Root); err != nil {
		office.Close()
		return nil, err
	}
	direct := router{engines: awshttp.New(), mails: outbox.API()}
	office.Direct = items.Client(o.Config(direct, engine.Endpoint))
	cfg := o.Config(o.through(direct), o.endpoint(engine.Endpoint))
	office.Services = NewServices(cfg, office.Tables, clock.Now) //nolint:contextcheck // the clients only resolve endpoints
	return office, nil
}

// Close stops the engine.
func (o *Office) Close() { o.engine.Stop(stopGrace) }

func (o *Office) createTables(ctx context.Context, root string) error {
	stack, err := template.Load(filepath.Join(root, "template.yaml"), template.Options{Parameters: map[string]string{
		"ImageRepositories": "acme/*", "CorsAllowOrigins": "https://portal.example.com",
	}})
	if err != nil {
		return fmt.Errorf("read the template: %w", err)
	}
	if err := engines.CreateTables(ctx, o.engine.Endpoint, stack.Tables); err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	names := map[string]string{}
	for _, table := range stack.Tables {
		names[table.ID] = table.Name
	}
	o.Tables = Tables{
		Users: names["UsersTable"], Credentials: names["CredentialsTable"], RequestCounts: names["RequestCountsTable"],
		Customers: names["CustomersTable"], Projects: names["ProjectsTable"], Pulls: names["PullsTable"],
		Analytics: names["AnalyticsTable"],
		Audit:     names["AuditTable"],
	}
	t := o.Tables
	if slices.Contains([]string{t.Users, t.Credentials, t.Customers, t.Projects, t.Pulls, t.Analytics, t.Audit}, "") {
		return errors.New("the template lacks a table that the services use")
	}
	return nil
}

func (o Options) through(direct Client) Client {
	if o.Through == nil {
		return direct
	}
	return o.Through(direct)
}

func (o Options) endpoint(engine string) string {
	if o.DynamoDB == nil {
		return engine
	}
	return o.DynamoDB(engine)
}

// Config is the configuration of awsenv.Config with short waits.
func (o Options) Config(client Client, endpoint string) aws.Config {
	return aws.Config{
		Region: "us-east-1", HTTPClient: client, BaseEndpoint: aws.String(endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		DefaultsMode: aws.DefaultsModeLegacy,
		Retryer: func() aws.Retryer {
			return retry.NewStandard(func(s *retry.StandardOptions) {
				s.MaxAttempts, s.MaxBackoff, s.RateLimiter = max(o.Attempts, 0), maxBackoff, ratelimit.None
				if o.Attempts == 0 {
					s.MaxAttempts = retry.DefaultMaxAttempts
				}
			})
		},
	}
}
