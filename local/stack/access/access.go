// Package access lets only those calls of the stack's AWS pass that the roles in the template allow. Tests can kill
// functions at their calls.
package access

import (
	"maps"
	"net/http"

	"portside/local/crashpoint"
	"portside/local/iam"
	"portside/local/stack/deployment"
	"portside/local/stack/lifetime"
	"portside/local/template"
	"portside/local/usage"
)

// Config holds the parameters of Start.
type Config struct {
	Lifetime   *lifetime.Lifetime
	Deployment *deployment.Deployment
	LogError   func(text string)
	Used       *usage.Counter
	// Crash decides which calls of AWS kill their function. Nil kills none.
	Crash crashpoint.Hook
	// Kill kills the processes of a function that work on invocations.
	Kill func(function string)
}

// Access guards the engines.
type Access struct {
	config     Config
	authorizer *iam.Authorizer
	url        string
}

// Start starts the authorizer of all engines. It must run before the first engine starts.
func Start(c Config) (*Access, error) {
	a := &Access{config: c, authorizer: iam.NewAuthorizer(deployment.AccountID, c.LogError)}
	a.authorizer.Observe(func(role, action string) { c.Used.Add(usage.Use{Caller: role, Kind: action, Amount: 1}) })
	a.SetRoles(c.Deployment.Template().Roles)
	var err error
	a.url, err = c.Lifetime.Serve("IAM", a.authorizer)
	return a, err
}

// URL is where the S3 engine and the registry ask the authorizer.
func (a *Access) URL() string { return a.url }

// SetRoles replaces the roles.
func (a *Access) SetRoles(roles []iam.Role) { a.authorizer.SetRoles(roles) }

// Variables returns the template's variables of a function and the temporary credentials of its role.
func (*Access) Variables(f template.Function) map[string]string {
	session, variables := iam.NewSession(f.Role), maps.Clone(f.Environment)
	variables["AWS_ACCESS_KEY_ID"] = session.AccessKeyID
	variables["AWS_SECRET_ACCESS_KEY"] = deployment.SecretAccessKey
	variables["AWS_SESSION_TOKEN"] = session.SessionToken
	return variables
}

// GuardDynamoDB limits the calls of functions to those that their roles allow, and kills functions at the calls that
// Config.Crash names.
func (a *Access) GuardDynamoDB(engine http.Handler) http.Handler {
	return a.crashPoints().Wrap(iam.DynamoDB{
		Authorizer:   a.authorizer,
		TableARN:     func(table string) string { return deployment.ARN("dynamodb", "table/"+table) },
		PartitionKey: a.config.Deployment.PartitionKey,
	}.Guard(engine))
}

// GuardSES is GuardDynamoDB for SES.
func (a *Access) GuardSES(api http.Handler) http.Handler {
	return a.crashPoints().Wrap(iam.SES(a.authorizer, deployment.ARN).Guard(api))
}

// GuardSecretsManager is GuardDynamoDB for Secrets Manager.
func (a *Access) GuardSecretsManager(api http.Handler) http.Handler {
	return a.crashPoints().Wrap(iam.SecretsManager(a.authorizer, deployment.ARN).Guard(api))
}

// GuardECR is GuardDynamoDB for ECR, but kills no functions.
func (a *Access) GuardECR(api http.Handler) http.Handler { return iam.ECR(a.authorizer).Guard(api) }

// S3Address returns the address at which callers reach the S3 engine. If calls can kill functions, it is the address of
// a proxy. The engine itself asks the authorizer.
func (a *Access) S3Address(engine string) (string, error) {
	if a.config.Crash == nil {
		return engine, nil
	}
	proxy, err := crashpoint.Proxy(engine)
	if err != nil {
		return "", err
	}
	return a.config.Lifetime.Serve("S3", a.crashPoints().Wrap(proxy))
}

// crashPoints returns the guard that kills functions at their calls of AWS.
func (a *Access) crashPoints() crashpoint.Guard {
	return crashpoint.Guard{Hook: a.config.Crash, FunctionOf: a.config.Deployment.FunctionOf, Kill: a.config.Kill}
}
