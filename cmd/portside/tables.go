package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"

	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/lambda/start"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/users/usersdynamo"
)

const settingsHelp = `Commands find their tables by USERS_TABLE, PROJECTS_TABLE,
CREDENTIALS_TABLE, ANALYTICS_TABLE and PULLS_TABLE, the buckets by CHARTS_BUCKET and
ANALYTICS_BUCKET (see the outputs of the deployed stack), and AWS by the settings of the
AWS SDK (AWS_PROFILE, AWS_REGION, …), or all of it by --local DATA.
`

// target says by flags which tables a command works on.
type target struct {
	local   string
	address string
}

func newTarget(flags *flag.FlagSet) *target {
	t := &target{}
	flags.StringVar(&t.local, "local", "", "work on the running local stack with this `DATA` folder")
	flags.StringVar(&t.address, "addr", "", "with --local: fail unless that stack serves `HOST:PORT`")
	return t
}

// tables are the stores of an installation.
type tables struct {
	config      aws.Config
	client      *dynamodb.Client
	names       tableNames
	users       *usersdynamo.Store
	projects    *projectsdynamo.Store
	credentials *credentialsdynamo.Table
	secrets     *secretsmanager.Client
	stack       localStack // zero unless --local is given
	baseURL     string     // of the local stack; otherwise empty
}

func (t *target) open(ctx context.Context, p process) (*tables, error) {
	if t.local != "" {
		stack, err := findLocalStack(t.local, t.address)
		if err != nil {
			return nil, err
		}
		opened, err := open(ctx, stack.names(), stack.options()...)
		if err != nil {
			return nil, err
		}
		opened.baseURL = stack.API
		opened.stack = stack
		return opened, nil
	}
	if t.address != "" {
		return nil, usageError("--addr needs --local")
	}
	settings := start.NewSettings(p.lookup)
	names := tableNames{
		users: settings.String("USERS_TABLE"), projects: settings.String("PROJECTS_TABLE"),
		credentials: settings.String("CREDENTIALS_TABLE"), analytics: settings.String("ANALYTICS_TABLE"),
	}
	if settings.Err() != nil {
		return nil, usageError("set USERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE and ANALYTICS_TABLE to the tables' names, " +
			"or give --local DATA for a local stack")
	}
	return open(ctx, names)
}

// tableNames are the names of the tables, and where Secrets Manager is; empty: where the SDK's settings say.
type tableNames struct{ users, projects, credentials, analytics, secrets string }

func open(ctx context.Context, names tableNames, options ...func(*config.LoadOptions) error) (*tables, error) {
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("AWS settings: %w", err)
	}
	client := dynamodb.NewFromConfig(cfg)
	keys := credentialsdynamo.New(client, names.credentials)
	secrets := secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) {
		if names.secrets != "" {
			o.BaseEndpoint = &names.secrets
		}
	})
	days := daycounts.In(names.analytics)
	return &tables{
		config: cfg, client: client, names: names,
		users: usersdynamo.New(client, names.users, keys, days), projects: projectsdynamo.New(client, names.projects, days),
		credentials: keys, secrets: secrets,
	}, nil
}

func (s localStack) names() tableNames {
	return tableNames{
		users: s.Tables["UsersTable"], projects: s.Tables["ProjectsTable"],
		credentials: s.Tables["CredentialsTable"], analytics: s.Tables["AnalyticsTable"],
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

// explain puts what an operator can do about an error before what the SDK says of it.
func explain(err error) string {
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return "there is no such table: check USERS_TABLE, PROJECTS_TABLE, CREDENTIALS_TABLE, ANALYTICS_TABLE, PULLS_TABLE " +
			"and AWS_REGION: " + err.Error()
	}
	if api, is := errors.AsType[smithy.APIError](err); is && api.ErrorCode() == "NoSuchBucket" {
		return "there is no such bucket: check CHARTS_BUCKET, ANALYTICS_BUCKET or --bucket, and AWS_REGION: " + err.Error()
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		service := "DynamoDB"
		if operation, is := errors.AsType[*smithy.OperationError](err); is {
			service = operation.ServiceID
		}
		return fmt.Sprintf("%s does not answer: check AWS_ENDPOINT_URL_%s, or that the local stack still runs: %v",
			service, strings.ToUpper(strings.ReplaceAll(service, " ", "_")), err)
	}
	return err.Error()
}
