// Package installation opens the tables and buckets on which a command for operators works: those of a deployed stack, or of a local one.
package installation

import (
	"context"
	"flag"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/uuid"

	"portside/cmd/portside/backup"
	"portside/cmd/portside/operator"
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

// SettingsHelp says which settings the commands read.
const SettingsHelp = `Commands read the names of the tables from USERS_TABLE, CUSTOMERS_TABLE,
PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE, PULLS_TABLE and AUDIT_TABLE, and the names
of the buckets from CHARTS_BUCKET, ANALYTICS_BUCKET and AUDIT_BUCKET (see the outputs of the
deployed stack).
demo-data also needs REQUEST_COUNTS_TABLE.
They use the settings of the AWS SDK (AWS_PROFILE, AWS_REGION, …). With --local DATA,
everything comes from the local stack.
`

// Target is the installation that a command works on, from its flags.
type Target struct {
	Local   string
	Address string
	Suffix  *string // replaces the end of the tables' names; nil keeps them
}

// NewTarget returns the target that the flags select. It adds these flags.
func NewTarget(flags *flag.FlagSet) *Target {
	t := &Target{}
	flags.StringVar(&t.Local, "local", "", "work on the running local stack with this `DATA` folder")
	flags.StringVar(&t.Address, "addr", "", "with --local: fail unless that stack serves `HOST:PORT`")
	flags.Func("table-suffix", "use the tables whose names end with `SUFFIX` instead, such as restored ones", func(suffix string) error {
		t.Suffix = &suffix
		return nil
	})
	return t
}

// Tables are the stores of an installation.
type Tables struct {
	Config      aws.Config
	Client      *dynamodb.Client
	Names       TableNames
	Users       *usersdynamo.Store
	Projects    *projectsdynamo.Store
	Customers   *customersdynamo.Store
	Credentials *credentialsdynamo.Table
	Log         auditlog.Log
	Secrets     *secretsmanager.Client
	Stack       LocalStack // zero without --local
	BaseURL     string     // of the local stack; empty without --local
}

// Open returns the stores of the installation. It fails if the data has another layout, or if a
// restore is not complete.
func (t *Target) Open(ctx context.Context, p operator.Process) (*Tables, error) {
	opened, err := t.Connect(ctx, p)
	if err != nil {
		return nil, err
	}
	err = layout.Check(ctx, opened.Client, opened.Names.Users)
	if err == nil {
		err = backup.CheckComplete(ctx, opened.Client, opened.Names.Users)
	}
	if err != nil {
		return nil, operator.Interrupted(ctx, err)
	}
	return opened, nil
}

// Connect returns the stores of the installation without access to the tables.
func (t *Target) Connect(ctx context.Context, p operator.Process) (*Tables, error) {
	if t.Local != "" {
		stack, err := FindLocalStack(t.Local, t.Address)
		if err != nil {
			return nil, err
		}
		for _, table := range DataTables {
			stack.Tables[table.ID] = t.nameOf(table.ID, stack.Tables[table.ID])
		}
		opened, err := open(ctx, stack.names(), stack.Options()...)
		if err != nil {
			return nil, err
		}
		opened.BaseURL = stack.Portal
		opened.Stack = stack
		return opened, nil
	}
	if t.Address != "" {
		return nil, operator.UsageError("--addr needs --local")
	}
	settings := start.NewSettings(t.lookup(p))
	names := TableNames{
		Users: settings.String("USERS_TABLE"), Customers: settings.String("CUSTOMERS_TABLE"), Projects: settings.String("PROJECTS_TABLE"),
		Credentials: settings.String("CREDENTIALS_TABLE"), Counts: settings.Optional("REQUEST_COUNTS_TABLE"),
		Analytics: settings.String("ANALYTICS_TABLE"), Audit: settings.String("AUDIT_TABLE"),
	}
	if settings.Err() != nil {
		return nil, operator.UsageError("set USERS_TABLE, CUSTOMERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE and AUDIT_TABLE " +
			"to the names of the tables, or pass --local DATA for a local stack")
	}
	return open(ctx, names)
}

// DataTables are the tables that belong together: a backup has all of them, and TableSuffix selects
// all of them.
var DataTables = []struct{ ID, variable string }{
	{"UsersTable", "USERS_TABLE"}, {"CustomersTable", "CUSTOMERS_TABLE"}, {"ProjectsTable", "PROJECTS_TABLE"},
	{"CredentialsTable", "CREDENTIALS_TABLE"}, {"PullsTable", "PULLS_TABLE"}, {"AnalyticsTable", "ANALYTICS_TABLE"},
	{"AuditTable", "AUDIT_TABLE"},
}

// nameOf returns the name of a table with the suffix of --table-suffix. In template.yaml, names are
// the name of the stack, a hyphen, the logical ID and the suffix.
func (t *Target) nameOf(id, name string) string {
	if t.Suffix == nil || name == "" {
		return name
	}
	if i := strings.LastIndex(name, id); i >= 0 {
		name = name[:i+len(id)]
	}
	return name + *t.Suffix
}

// lookup returns a lookup of the settings that applies --table-suffix.
func (t *Target) lookup(p operator.Process) func(string) (string, bool) {
	return func(variable string) (string, bool) {
		value, set := p.Lookup(variable)
		for _, table := range DataTables {
			if table.variable == variable {
				value = t.nameOf(table.ID, value)
			}
		}
		return value, set
	}
}

// TableNames are the names of the tables, and the endpoint of Secrets Manager. An empty endpoint
// means the endpoint in the settings of the SDK.
type TableNames struct{ Users, Customers, Projects, Credentials, Counts, Analytics, Audit, secrets string }

func open(ctx context.Context, names TableNames, options ...func(*config.LoadOptions) error) (*Tables, error) {
	cfg, err := LoadAWSConfig(ctx, options...)
	if err != nil {
		return nil, err
	}
	client := dynamodb.NewFromConfig(cfg)
	auditLog := auditlog.New(names.Audit, time.Now)
	keys := credentialsdynamo.New(client, names.Credentials, names.Counts).Audited(auditLog)
	secrets := secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) {
		if names.secrets != "" {
			o.BaseEndpoint = &names.secrets
		}
	})
	days := daycounts.In(names.Analytics)
	return &Tables{
		Config: cfg, Client: client, Names: names,
		Users: usersdynamo.New(client, names.Users, keys, days), Projects: projectsdynamo.New(client, names.Projects, days).Audited(auditLog),
		Customers: customersdynamo.New(client, names.Customers, keys.Customers, auditLog), Credentials: keys, Secrets: secrets, Log: auditLog,
	}, nil
}

// Record writes the event that the command has changed the tables as a whole.
func (t *Tables) Record(ctx context.Context, action audit.Action) error {
	target := audit.Target{Kind: audit.Table, ID: t.Names.Users}
	return operator.Interrupted(ctx, t.Log.Record(ctx, t.Client, audit.Change{Action: action, Target: target}))
}

func (s LocalStack) names() TableNames {
	return TableNames{
		Users: s.Tables["UsersTable"], Customers: s.Tables["CustomersTable"], Projects: s.Tables["ProjectsTable"],
		Credentials: s.Tables["CredentialsTable"], Counts: s.Tables["RequestCountsTable"], Analytics: s.Tables["AnalyticsTable"],
		Audit:   s.Tables["AuditTable"],
		secrets: s.SecretsManager,
	}
}

// Options returns what the clients of the SDK need to use the local stack.
func (s LocalStack) Options() []func(*config.LoadOptions) error {
	return []func(*config.LoadOptions) error{
		config.WithRegion(s.Region),
		config.WithBaseEndpoint(s.DynamoDB),
		config.WithCredentialsProvider(aws.NewCredentialsCache(
			credentials.NewStaticCredentialsProvider(s.AccessKeyID, s.SecretAccessKey, ""))),
	}
}

// NewID returns the ID of a new user, customer or other resource.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
