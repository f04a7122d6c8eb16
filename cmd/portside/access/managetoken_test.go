package access

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"portside/cmd/portside/installation"
	"portside/shared/rotation"
	"portside/shared/testkit/awstest"
)

// withSecrets adds a Secrets Manager to the stack.
func (o *testStack) withSecrets() *secretsmanager.Client {
	o.T.Helper()
	client := awstest.SecretsManager(o.T)
	o.WriteStack(installation.LocalStack{
		API: "http://127.0.0.1:3999", Portal: "http://localhost:3999",
		DynamoDB: aws.ToString(o.Client.Options().BaseEndpoint), Region: "us-east-1",
		SecretsManager: aws.ToString(client.Options().BaseEndpoint), AccessKeyID: "test", SecretAccessKey: "test",
		Tables: o.TableNames(),
	})
	return client
}

func TestManageTokenCreatesRotatedSecret(t *testing.T) {
	o := newTestStack(t)
	client := o.withSecrets()
	o.Expect(o.Run("bootstrap", "--email", "ada@example.com", "--name", "Ada"), 0, "")
	manage := []string{
		"manage-token", "--secret", "portside/acme", "--owner", "Ada@example.com",
		"--scope", "read:helm-charts", "--scope", "read:docker-images:acme/*", "--days", "90",
	}
	o.Expect(o.Run(manage...), 0, "no schedule replaces it on this machine: run `make rotate SECRET=portside/acme DATA="+o.Dir+"`")
	value, err := client.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String("portside/acme")})
	if err != nil {
		t.Fatal(err)
	}
	terms, err := rotation.ParseValue(aws.ToString(value.SecretString))
	if err != nil || len(terms.Scopes) != 2 || terms.Days != 90 || terms.Name != "portside/acme" || terms.Token != "" {
		t.Errorf("got the value %v, %v", terms, err)
	}
	found, err := client.DescribeSecret(t.Context(), &secretsmanager.DescribeSecretInput{SecretId: aws.String("portside/acme")})
	if err != nil || !aws.ToBool(found.RotationEnabled) || aws.ToInt64(found.RotationRules.AutomaticallyAfterDays) != 60 ||
		!strings.HasSuffix(aws.ToString(found.RotationLambdaARN), "RotateTokensFunction") || len(found.VersionIdsToStages) != 2 {
		t.Errorf("got the secret %+v, %v", found, err)
	}
	o.Expect(o.Run(manage...), 0, "nothing to do")
	o.Expect(o.Run(append(manage, "--scope", "read:docker-images")...), 1, "describes a different token")
}

func TestManageTokenRejectsInvalidUsage(t *testing.T) {
	o := newTestStack(t)
	client := o.withSecrets()
	o.Expect(o.Run("bootstrap", "--email", "ada@example.com", "--name", "Ada"), 0, "")
	with := func(secret, owner string, more ...string) []string {
		return append([]string{"manage-token", "--secret", secret, "--owner", owner}, more...)
	}
	const scope = "--scope=read:helm-charts"
	o.Expect(o.Run(with("acme", "ada@example.com", scope)...), 2, "--secret STACK/NAME")
	o.Expect(o.Run(with("portside/acme", "ada@example.com")...), 2, "must name at least one scope")
	o.Expect(o.Run(with("portside/acme", "ada@example.com", scope, "--days", "366")...), 2, "1 to 365")
	o.Expect(o.Run(with("portside/acme", "ada@example.com", scope, "--every", "90")...), 2, "--every")
	for _, every := range []string{"0", "-1", "x"} {
		o.Expect(o.Run(with("portside/acme", "ada@example.com", scope, "--every", every)...), 2, "at least 1")
	}
	o.Expect(o.Run(with("portside/acme", "nobody@example.com", scope)...), 1, "no user has the address")
	_, err := client.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String("portside/other"), SecretString: aws.String("hunter2"),
	})
	if err != nil {
		t.Fatal(err)
	}
	got := o.Expect(o.Run(with("portside/other", "ada@example.com", scope)...), 1, "does not describe a token")
	if strings.Contains(got.Stderr, "hunter2") {
		t.Error("the error contains the value of the secret")
	}
}

func TestSecretsBelongToOneStack(t *testing.T) {
	for _, test := range []struct {
		secret, table string
		accepted      bool
	}{
		{"portside/acme", "portside-UsersTable", true},
		{"portside/acme", "portside-UsersTable-r1", true},
		{"portside/acme", "portside-staging-UsersTable", false},
		{"portside-staging/acme", "portside-UsersTable", false},
		{"other/acme", "people", true}, // the name of the stack is unknown
	} {
		t.Run(test.secret+" with the table "+test.table, func(t *testing.T) {
			if err := (managedToken{secret: test.secret}).checkStack(test.table); (err == nil) != test.accepted {
				t.Error(err)
			}
		})
	}
}

func TestManageTokenAnnouncesSchedule(t *testing.T) {
	const want = "Secrets Manager now creates the token of the secret portside/acme, and replaces it every 60 days"
	if got := (managedToken{secret: "portside/acme", every: 60}).announcement(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
