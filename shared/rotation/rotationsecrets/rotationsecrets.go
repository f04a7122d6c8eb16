// Package rotationsecrets keeps rotated secrets in AWS Secrets Manager. Its errors never contain a
// secret's value, because the SDK's errors do not.
package rotationsecrets

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"portside/shared/rotation"
)

// Vault is the Secrets Manager of one account and region.
type Vault struct {
	client *secretsmanager.Client
}

// New returns a Vault.
func New(client *secretsmanager.Client) *Vault {
	return &Vault{client: client}
}

var _ rotation.Vault = (*Vault)(nil)

// Describe implements rotation.Vault.
func (v *Vault) Describe(ctx context.Context, secretID string) (rotation.Secret, error) {
	out, err := v.client.DescribeSecret(ctx, &secretsmanager.DescribeSecretInput{SecretId: &secretID})
	if err != nil {
		return rotation.Secret{}, fmt.Errorf("describe the secret %s: %w", secretID, err)
	}
	return rotation.Secret{RotationOn: aws.ToBool(out.RotationEnabled), Stages: out.VersionIdsToStages}, nil
}

// Versions implements rotation.Vault.
func (v *Vault) Versions(ctx context.Context, secretID string) ([]string, error) {
	pages := secretsmanager.NewListSecretVersionIdsPaginator(v.client, &secretsmanager.ListSecretVersionIdsInput{
		SecretId: &secretID, IncludeDeprecated: aws.Bool(true),
	})
	var all []string
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list the versions of %s: %w", secretID, err)
		}
		for _, version := range page.Versions {
			all = append(all, aws.ToString(version.VersionId))
		}
	}
	return all, nil
}

// Value implements rotation.Vault.
func (v *Vault) Value(ctx context.Context, secretID, version string) (string, error) {
	out, err := v.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &secretID, VersionId: &version})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return "", rotation.ErrNoValue
	}
	if err != nil {
		return "", fmt.Errorf("read version %s of %s: %w", version, secretID, err)
	}
	return aws.ToString(out.SecretString), nil
}

// Put implements rotation.Vault.
func (v *Vault) Put(ctx context.Context, secretID, version, text string) error {
	_, err := v.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: &secretID, ClientRequestToken: &version, SecretString: &text, VersionStages: []string{rotation.Pending},
	})
	if _, taken := errors.AsType[*types.ResourceExistsException](err); taken {
		return rotation.ErrHasValue
	}
	if err != nil {
		return fmt.Errorf("write version %s of %s: %w", version, secretID, err)
	}
	return nil
}

// MoveCurrent implements rotation.Vault. Secrets Manager stages the version that loses AWSCURRENT
// as AWSPREVIOUS.
func (v *Vault) MoveCurrent(ctx context.Context, secretID, from, to string) error {
	input := &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: &secretID, VersionStage: aws.String(rotation.Current), MoveToVersionId: &to,
	}
	if from != "" {
		input.RemoveFromVersionId = &from
	}
	if _, err := v.client.UpdateSecretVersionStage(ctx, input); err != nil {
		return fmt.Errorf("make version %s of %s the current one: %w", to, secretID, err)
	}
	return nil
}
