// Package awsenv builds the AWS configuration of a function from the environment variables that Lambda sets.
//
// The SDK's own loader also supports files, single sign-on, roles and the metadata service of EC2. Lambda has none of
// them, but their packages make every start about a millisecond longer. This package supports:
//
//   - AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Lambda sets them for each execution environment,
//     which never outlives its credentials.
//   - AWS_ENDPOINT_URL_<SERVICE> and AWS_ENDPOINT_URL, which the local stack and VPC endpoints use.
//
// All other settings have the SDK's defaults; the tests compare them with the SDK's loader.
package awsenv

import (
	"context"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"portside/shared/lambda/awshttp"
	"portside/shared/lambda/start"
)

// minCompressBytes is the SDK's default for the smallest request body that it compresses, where a service supports
// that.
const minCompressBytes = 10240

// Config returns the configuration for clients of AWS services. A missing region or key is a problem of the settings.
func Config(settings *start.Settings) aws.Config {
	cfg := aws.Config{
		Region:       settings.String("AWS_REGION"),
		DefaultsMode: aws.DefaultsModeLegacy,
		Credentials: credentials.NewStaticCredentialsProvider(
			settings.String("AWS_ACCESS_KEY_ID"), settings.String("AWS_SECRET_ACCESS_KEY"),
			settings.Optional("AWS_SESSION_TOKEN")),
		HTTPClient:                  awshttp.New(), // shared by all clients, and with it the connections
		Logger:                      logging.NewStandardLogger(os.Stderr),
		ConfigSources:               []any{endpoints{settings}},
		RequestMinCompressSizeBytes: minCompressBytes,
		AccountIDEndpointMode:       aws.AccountIDEndpointModePreferred,
		RequestChecksumCalculation:  aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation:  aws.ResponseChecksumValidationWhenSupported,
	}
	if endpoint := settings.Optional("AWS_ENDPOINT_URL"); endpoint != "" {
		cfg.BaseEndpoint = aws.String(endpoint)
	}
	return cfg
}

// endpoints finds the endpoint of a service. The SDK's clients look for a source with this method.
type endpoints struct{ settings *start.Settings }

// GetServiceBaseEndpoint returns the endpoint of the service with the ID, such as "SESv2", if a variable sets one for
// it.
func (e endpoints) GetServiceBaseEndpoint(_ context.Context,
	serviceID string) (endpoint string, found bool, err error) {
	endpoint = e.settings.Optional("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(serviceID, " ", "_")))
	return endpoint, endpoint != "", nil
}
