package installation

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdkhttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"

	"portside/shared/lambda/awshttp"
)

// LoadAWSConfig returns the configuration that the AWS command line also finds: variables, files, single sign-on and
// roles.
func LoadAWSConfig(ctx context.Context, options ...func(*config.LoadOptions) error) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Config{}, fmt.Errorf("AWS settings: %w", err)
	}
	if client, ok := cfg.HTTPClient.(*sdkhttp.BuildableClient); ok {
		cfg.HTTPClient = awshttp.From(client)
	}
	return cfg, nil
}
