package awsenv_test

import (
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
)

// setEnvironment replaces all variables of AWS, and keeps the SDK's loader away from the files of this machine.
func setEnvironment(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, value) // restores it after the test
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	for name, value := range variables {
		t.Setenv(name, value)
	}
}

var onLambda = map[string]string{
	"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "session",
}

// configs returns our configuration and the SDK's.
func configs(t *testing.T) (ours, theirs aws.Config) {
	t.Helper()
	settings := start.NewSettings(os.LookupEnv)
	ours = awsenv.Config(settings)
	if err := settings.Err(); err != nil {
		t.Fatal(err)
	}
	theirs, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

func TestConfigIsThatOfTheSDK(t *testing.T) {
	setEnvironment(t, onLambda)
	ours, theirs := configs(t)
	// Sources differ on purpose. The other fields are functions and pointers, or belong to the loader's own providers.
	ignored := cmpopts.IgnoreFields(aws.Config{}, "ConfigSources", "Credentials", "Logger", "HTTPClient",
		"RestrictFilePermissions")
	if diff := cmp.Diff(theirs, ours, ignored, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	want, err := theirs.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := ours.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(aws.Credentials{}, "Source")); diff != "" {
		t.Error(diff)
	}
}

func TestEndpointsAreThoseOfTheSDK(t *testing.T) {
	for name, endpoints := range map[string]map[string]string{
		"none":             {},
		"for all services": {"AWS_ENDPOINT_URL": "http://localhost:1"},
		"for services": {
			"AWS_ENDPOINT_URL_DYNAMODB": "http://localhost:2", "AWS_ENDPOINT_URL_SECRETS_MANAGER": "http://localhost:3",
		},
		"for all services and one": {"AWS_ENDPOINT_URL": "http://localhost:1", "AWS_ENDPOINT_URL_S3": "http://localhost:4"},
	} {
		t.Run(name, func(t *testing.T) {
			setEnvironment(t, onLambda)
			for variable, value := range endpoints {
				t.Setenv(variable, value)
			}
			ours, theirs := configs(t)
			if diff := cmp.Diff(endpointsOf(theirs), endpointsOf(ours)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// endpointsOf returns the endpoints of clients, "" for that of AWS.
func endpointsOf(cfg aws.Config) map[string]string {
	return map[string]string{
		"DynamoDB":        aws.ToString(dynamodb.NewFromConfig(cfg).Options().BaseEndpoint),
		"S3":              aws.ToString(s3.NewFromConfig(cfg).Options().BaseEndpoint),
		"Secrets Manager": aws.ToString(secretsmanager.NewFromConfig(cfg).Options().BaseEndpoint),
	}
}

func TestMissingVariablesAreProblems(t *testing.T) {
	settings := start.NewSettings(func(string) (string, bool) { return "", false })
	awsenv.Config(settings)
	const want = "settings: AWS_REGION is not set, AWS_ACCESS_KEY_ID is not set, AWS_SECRET_ACCESS_KEY is not set; " +
		"template.yaml lists the variables of each function"
	if err := settings.Err(); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
