package faultproxy_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

// sendEmail is the call of SES. The types of SES and DynamoDB are packages with the same name, so it has its own file.
func sendEmail(ctx context.Context, cfg aws.Config) error {
	_, err := sesv2.NewFromConfig(cfg).SendEmail(ctx, &sesv2.SendEmailInput{Content: &types.EmailContent{}})
	return err
}
