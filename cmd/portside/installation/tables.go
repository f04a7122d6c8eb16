// Package installation opens the tables and buckets on which a command for operators works: those of a deployed stack,
// or of a local one.
package installation

import (
	"context"
	"flag"
	"regexp"
	"slices"
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
	"portside/shared/dynamo/lists"
	"portside/shared/lambda/start"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

// SettingsHelp says which settings the commands read.
var SettingsHelp = `Commands read the names of the tables from these settings:
` + settingsOf(DataTables, "\n") + `
They read the names of the buckets from CHARTS_BUCKET, ANALYTICS_BUCKET and AUDIT_BUCKET (see
the outputs of the deployed stack). demo-data also needs REQUEST_COUNTS_TABLE.
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

// Connect is Open without its checks, so it does not read the tables.
func (t *Target) Connect(ctx context.Context, p operator.Process) (*Tables, error) {
	if t.Local != "" {
		stack, err := FindLocalStack(t.Local, t.Address)
		if err != nil {
			return nil, err
		}
		for _, id := range DataTables {
			stack.Tables[id] = t.nameOf(id, stack.Tables[id])
		}
		return open(ctx, NamesOf(func(id string) string { return stack.Tables[id] }), stack)
	}
	if t.Address != "" {
		return nil, operator.UsageError("--addr needs --local")
	}
	settings := start.NewSettings(t.lookup(p))
	var missing []string
	names := NamesOf(func(id string) string {
		name := settings.Optional(SettingOf(id))
		if name == "" && slices.Contains(DataTables, id) {
			missing = append(missing, id)
		}
		return name
	})
	if missing != nil {
		return nil, MissingTables(missing...)
	}
	return open(ctx, names, LocalStack{})
}

// DataTables are the logical IDs of the tables that belong together: a backup has all of them, and TableSuffix selects
// all of them.
var DataTables = []string{
	"UsersTable", "CustomersTable", "ProjectsTable", "CredentialsTable", "PullsTable", "AnalyticsTable", "AuditTable",
}

// wordEnd matches where an underscore separates words of a setting.
var wordEnd = regexp.MustCompile(`([a-z])([A-Z])`)

// SettingOf returns the setting with the name of a table, such as USERS_TABLE for UsersTable.
func SettingOf(id string) string { return strings.ToUpper(wordEnd.ReplaceAllString(id, "${1}_${2}")) }

// MissingTables returns the error of a command that lacks the names of tables.
func MissingTables(ids ...string) error {
	names := "name of the table"
	if len(ids) > 1 {
		names = "names of the tables"
	}
	return operator.UsageError("set " + settingsOf(ids, ", ") + " to the " + names + ", or pass --local DATA for a local stack")
}

func settingsOf(ids []string, separator string) string {
	settings := make([]string, len(ids))
	for i, id := range ids {
		settings[i] = SettingOf(id)
	}
	return strings.Join(settings, separator)
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
		for _, id := range DataTables {
			if SettingOf(id) == variable {
				value = t.nameOf(id, value)
			}
		}
		return value, set
	}
}

// TableNames are the names of the tables.
type TableNames struct{ Users, Customers, Projects, Credentials, Counts, Analytics, Audit string }

// NamesOf returns the names of the tables. nameOf returns the name of the table with a logical ID.
func NamesOf(nameOf func(id string) string) TableNames {
	return TableNames{
		Users: nameOf("UsersTable"), Customers: nameOf("CustomersTable"), Projects: nameOf("ProjectsTable"),
		Credentials: nameOf("CredentialsTable"), Counts: nameOf("RequestCountsTable"), Analytics: nameOf("AnalyticsTable"),
		Audit: nameOf("AuditTable"),
	}
}

// open returns the stores in the named tables of a local stack, or of AWS if the stack is zero.
func open(ctx context.Context, names TableNames, stack LocalStack) (*Tables, error) {
	cfg, err := LoadAWSConfig(ctx, stack.Options()...)
	if err != nil {
		return nil, err
	}
	opened := NewTables(dynamodb.NewFromConfig(cfg), names, auditlog.New(names.Audit, time.Now))
	opened.Config, opened.Stack, opened.BaseURL = cfg, stack, stack.Portal
	opened.Secrets = secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) {
		if stack.SecretsManager != "" {
			o.BaseEndpoint = &stack.SecretsManager
		}
	})
	return opened, nil
}

// NewTables returns the stores in the named tables, without the settings and the secrets of an installation.
func NewTables(client *dynamodb.Client, names TableNames, auditLog auditlog.Log) *Tables {
	keys := credentialsdynamo.New(client, names.Credentials, names.Counts).Audited(auditLog)
	days := daycounts.In(names.Analytics)
	return &Tables{
		Client: client, Names: names,
		Users: usersdynamo.New(client, names.Users, keys, days), Projects: projectsdynamo.New(client, names.Projects, days).Audited(auditLog),
		Customers: customersdynamo.New(client, names.Customers, keys.Customers, auditLog), Credentials: keys, Log: auditLog,
	}
}

// ResourceKind is a kind of resource whose lists, markers and counts can be repaired.
type ResourceKind struct {
	Plural  string // such as projects
	Rebuild func(context.Context, func(lists.Progress)) (lists.Repairs, error)
	// RebuildCustomer repairs the counts of a customer. It is nil if the resources never belong to customers.
	RebuildCustomer func(ctx context.Context, id string) (wrong bool, err error)
}

// ResourceKinds returns all kinds but users, whose repair also counts the active admins.
func (t *Tables) ResourceKinds() []ResourceKind {
	return []ResourceKind{
		{"customers", t.Customers.Rebuild, nil},
		{"projects", t.Projects.Rebuild, t.Projects.RebuildCustomer},
	}
}

// Record writes an audit event about a command that changes the tables as a whole.
func (t *Tables) Record(ctx context.Context, action audit.Action) error {
	target := audit.Target{Kind: audit.Table, ID: t.Names.Users}
	return operator.Interrupted(ctx, t.Log.Record(ctx, t.Client, audit.Change{Action: action, Target: target}))
}

// Options returns what the clients of the SDK need to use the local stack, and nothing for the zero stack.
func (s LocalStack) Options() []func(*config.LoadOptions) error {
	if s.DynamoDB == "" {
		return nil
	}
	return []func(*config.LoadOptions) error{
		config.WithRegion(s.Region),
		config.WithBaseEndpoint(s.DynamoDB),
		config.WithCredentialsProvider(aws.NewCredentialsCache(
			credentials.NewStaticCredentialsProvider(s.AccessKeyID, s.SecretAccessKey, ""))),
	}
}

// NewID returns the ID of a new user, customer or other resource.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
