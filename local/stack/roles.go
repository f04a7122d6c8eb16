package stack

import (
	"context"
	"maps"
	"net/http"

	"portside/local/iam"
	"portside/local/template"
	"portside/local/usage"
)

// createAuthorizer creates the authorizer of all engines before the first engine starts.
func (s *Stack) createAuthorizer(context.Context) error {
	s.authorizer = iam.NewAuthorizer(accountID, s.logError)
	s.authorizer.Observe(func(role, action string) { s.used.Add(usage.Use{Caller: role, Kind: action, Amount: 1}) })
	s.authorizer.SetRoles(s.template.Load().Roles)
	endpoint, err := s.startServer("IAM", s.authorizer)
	s.authorizeURL = endpoint
	return err
}

// guardDynamoDB limits the calls of functions to those that their roles allow.
func (s *Stack) guardDynamoDB(engine http.Handler) http.Handler {
	return iam.DynamoDB{
		Authorizer: s.authorizer,
		TableARN:   func(table string) string { return arn("dynamodb", "table/"+table) },
		PartitionKey: func(table, index string) string {
			return partitionKey(s.template.Load().Tables, table, index)
		},
	}.Guard(engine)
}

func partitionKey(tables []template.Table, name, index string) string {
	for _, table := range tables {
		if table.Name != name {
			continue
		}
		if index == "" {
			return table.Keys[0].Name
		}
		for _, i := range append(table.Global, table.Local...) {
			if i.Name == index {
				return i.Keys[0].Name
			}
		}
	}
	return ""
}

func arn(service, resource string) string {
	return "arn:aws:" + service + ":" + region + ":" + accountID + ":" + resource
}

// functionEnvironment returns the template's variables of a function and the temporary credentials of its role.
func (s *Stack) functionEnvironment(f template.Function) map[string]string {
	session, variables := iam.NewSession(f.Role), maps.Clone(f.Environment)
	variables["AWS_ACCESS_KEY_ID"] = session.AccessKeyID
	variables["AWS_SECRET_ACCESS_KEY"] = s.info.SecretAccessKey
	variables["AWS_SESSION_TOKEN"] = session.SessionToken
	return variables
}
