package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"portside/cmd/portside/backup"
	"portside/shared/core/audit"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/layout"
	"portside/shared/lambda/start"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

const settingsHelp = `Commands read the names of the tables from USERS_TABLE, CUSTOMERS_TABLE,
PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE, PULLS_TABLE and AUDIT_TABLE, and the names
of the buckets from CHARTS_BUCKET, ANALYTICS_BUCKET and AUDIT_BUCKET (see the outputs of the
deployed stack).
demo-data also needs REQUEST_COUNTS_TABLE.
They use the settings of the AWS SDK (AWS_PROFILE, AWS_REGION, …). With --local DATA,
everything comes from the local stack.
`

// target is the installation that a command works on, from its flags.
type target struct {
	local   string
	address string
	suffix  *string // replaces the end of the tables' names; nil keeps them
}

func newTarget(flags *flag.FlagSet) *target {
	t := &target{}
	flags.StringVar(&t.local, "local", "", "work on the running local stack with this `DATA` folder")
	flags.StringVar(&t.address, "addr", "", "with --local: fail unless that stack serves `HOST:PORT`")
	flags.Func("table-suffix", "use the tables whose names end with `SUFFIX` instead, such as restored ones", func(suffix string) error {
		t.suffix = &suffix
		return nil
	})
	return t
}

// tables are the stores of an installation.
type tables struct {
	config      aws.Config
	client      *dynamodb.Client
	names       tableNames
	users       *usersdynamo.Store
	projects    *projectsdynamo.Store
	customers   *customersdynamo.Store
	credentials *credentialsdynamo.Table
	log         auditlog.Log
	secrets     *secretsmanager.Client
	stack       localStack // zero without --local
	baseURL     string     // of the local stack; empty without --local
}

// open returns the stores of the installation. It fails if the data has another layout, or if a
// restore is not complete.
func (t *target) open(ctx context.Context, p process) (*tables, error) {
	opened, err := t.connect(ctx, p)
	if err != nil {
		return nil, err
	}
	err = layout.Check(ctx, opened.client, opened.names.users)
	if err == nil {
		err = backup.CheckComplete(ctx, opened.client, opened.names.users)
	}
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	return opened, nil
}

// connect returns the stores of the installation without access to the tables.
func (t *target) connect(ctx context.Context, p process) (*tables, error) {
	if t.local != "" {
		stack, err := findLocalStack(t.local, t.address)
		if err != nil {
			return nil, err
		}
		for _, table := range dataTables {
			stack.Tables[table.id] = t.nameOf(table.id, stack.Tables[table.id])
		}
		opened, err := open(ctx, stack.names(), stack.options()...)
		if err != nil {
			return nil, err
		}
		opened.baseURL = stack.Portal
		opened.stack = stack
		return opened, nil
	}
	if t.address != "" {
		return nil, usageError("--addr needs --local")
	}
	settings := start.NewSettings(t.lookup(p))
	names := tableNames{
		users: settings.String("USERS_TABLE"), customers: settings.String("CUSTOMERS_TABLE"), projects: settings.String("PROJECTS_TABLE"),
		credentials: settings.String("CREDENTIALS_TABLE"), counts: settings.Optional("REQUEST_COUNTS_TABLE"),
		analytics: settings.String("ANALYTICS_TABLE"), audit: settings.String("AUDIT_TABLE"),
	}
	if settings.Err() != nil {
		return nil, usageError("set USERS_TABLE, CUSTOMERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE and AUDIT_TABLE to the " +
			"names of the tables, or pass --local DATA for a local stack")
	}
	return open(ctx, names)
}

// dataTables are the tables that belong together: a backup has all of them, and TableSuffix selects
// all of them.
var dataTables = []struct{ id, variable string }{
	{"UsersTable", "USERS_TABLE"}, {"CustomersTable", "CUSTOMERS_TABLE"}, {"ProjectsTable", "PROJECTS_TABLE"},
	{"CredentialsTable", "CREDENTIALS_TABLE"}, {"PullsTable", "PULLS_TABLE"}, {"AnalyticsTable", "ANALYTICS_TABLE"},
	{"AuditTable", "AUDIT_TABLE"},
}

// nameOf returns the name of a table with the suffix of --table-suffix. In template.yaml, names are
// the name of the stack, a hyphen, the logical ID and the suffix.
func (t *target) nameOf(id, name string) string {
	if t.suffix == nil || name == "" {
		return name
	}
	if i := strings.LastIndex(name, id); i >= 0 {
		name = name[:i+len(id)]
	}
	return name + *t.suffix
}

// lookup returns a lookup of the settings that applies --table-suffix.
func (t *target) lookup(p process) func(string) (string, bool) {
	return func(variable string) (string, bool) {
		value, set := p.lookup(variable)
		for _, table := range dataTables {
			if table.variable == variable {
				value = t.nameOf(table.id, value)
			}
		}
		return value, set
	}
}

// tableNames are the names of the tables, and the endpoint of Secrets Manager. An empty endpoint
// means the endpoint in the settings of the SDK.
type tableNames struct{ users, customers, projects, credentials, counts, analytics, audit, secrets string }

func open(ctx context.Context, names tableNames, options ...func(*config.LoadOptions) error) (*tables, error) {
	cfg, err := loadAWSConfig(ctx, options...)
	if err != nil {
		return nil, err
	}
	client := dynamodb.NewFromConfig(cfg)
	auditLog := auditlog.New(names.audit, time.Now)
	keys := credentialsdynamo.New(client, names.credentials, names.counts).Audited(auditLog)
	secrets := secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) {
		if names.secrets != "" {
			o.BaseEndpoint = &names.secrets
		}
	})
	days := daycounts.In(names.analytics)
	return &tables{
		config: cfg, client: client, names: names,
		users: usersdynamo.New(client, names.users, keys, days), projects: projectsdynamo.New(client, names.projects, days).Audited(auditLog),
		customers: customersdynamo.New(client, names.customers, keys.Customers, auditLog), credentials: keys, secrets: secrets, log: auditLog,
	}, nil
}

// record writes the event that the command has changed the tables as a whole.
func (t *tables) record(ctx context.Context, action audit.Action) error {
	target := audit.Target{Kind: audit.Table, ID: t.names.users}
	return interrupted(ctx, t.log.Record(ctx, t.client, audit.Change{Action: action, Target: target}))
}

func (s localStack) names() tableNames {
	return tableNames{
		users: s.Tables["UsersTable"], customers: s.Tables["CustomersTable"], projects: s.Tables["ProjectsTable"],
		credentials: s.Tables["CredentialsTable"], counts: s.Tables["RequestCountsTable"], analytics: s.Tables["AnalyticsTable"],
		audit:   s.Tables["AuditTable"],
		secrets: s.SecretsManager,
	}
}

func (s localStack) options() []func(*config.LoadOptions) error {
	return []func(*config.LoadOptions) error{
		config.WithRegion(s.Region),
		config.WithBaseEndpoint(s.DynamoDB),
		config.WithCredentialsProvider(aws.NewCredentialsCache(
			credentials.NewStaticCredentialsProvider(s.AccessKeyID, s.SecretAccessKey, ""))),
	}
}

// explain adds to an SDK error what the operator can do about it.
func explain(err error) string {
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return "the table does not exist: check USERS_TABLE, CUSTOMERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE, " +
			"PULLS_TABLE, AUDIT_TABLE, --table-suffix and AWS_REGION: " + err.Error()
	}
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "NoSuchBucket" {
		return "the bucket does not exist: check CHARTS_BUCKET, ANALYTICS_BUCKET, AUDIT_BUCKET or --bucket, and AWS_REGION: " + err.Error()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		service := "DynamoDB"
		if operation, ok := errors.AsType[*smithy.OperationError](err); ok {
			service = operation.ServiceID
		}
		return fmt.Sprintf("%s refused the connection: check AWS_ENDPOINT_URL_%s, and whether the local stack still runs: %v",
			service, strings.ToUpper(strings.ReplaceAll(service, " ", "_")), err)
	}
	return err.Error()
}
