package main

import (
	"context"
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"

	"portside/local/iam"
)

const (
	actionGet  = string(auth.GetObjectAction)
	actionList = string(auth.ListBucketAction)
	actionPut  = string(auth.PutObjectAction)
)

// roleBackend is a storage backend that makes the checks of S3 which versitygw does not make for sessions of roles: a
// missing object is visible only with s3:ListBucket, a condition on the ETag needs s3:GetObject, and a form needs
// s3:PutObject on its object.
type roleBackend struct {
	backend.Backend
	roles *roles
}

// GetObject implements backend.Backend.
func (b roleBackend) GetObject(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	out, err := b.Backend.GetObject(ctx, in)
	return out, b.hideMissing(ctx, aws.ToString(in.Bucket), err)
}

// HeadObject implements backend.Backend.
func (b roleBackend) HeadObject(ctx context.Context, in *s3.HeadObjectInput) (*s3.HeadObjectOutput, error) {
	out, err := b.Backend.HeadObject(ctx, in)
	return out, b.hideMissing(ctx, aws.ToString(in.Bucket), err)
}

func (b roleBackend) hideMissing(ctx context.Context, bucket string, err error) error {
	if apiErr, ok := errors.AsType[s3err.S3Error](err); !ok || apiErr.BaseError().Code != "NoSuchKey" {
		return err
	}
	if denied := b.check(ctx, actionList, bucket, ""); denied != nil {
		return denied
	}
	return err
}

// PutObject implements backend.Backend.
func (b roleBackend) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	var err error
	switch {
	case isForm(ctx):
		err = b.check(ctx, actionPut, aws.ToString(in.Bucket), aws.ToString(in.Key))
	case aws.ToString(in.IfMatch) != "":
		err = b.check(ctx, actionGet, aws.ToString(in.Bucket), aws.ToString(in.Key))
	}
	if err != nil {
		return s3response.PutObjectOutput{}, err
	}
	return b.Backend.PutObject(ctx, in)
}

// DeleteObject implements backend.Backend.
func (b roleBackend) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput) (*s3.DeleteObjectOutput, error) {
	if aws.ToString(in.IfMatch) != "" {
		if err := b.check(ctx, actionGet, aws.ToString(in.Bucket), aws.ToString(in.Key)); err != nil {
			return nil, err
		}
	}
	return b.Backend.DeleteObject(ctx, in)
}

// check returns the error for a session without a permission. Without a session, it returns nil.
func (b roleBackend) check(ctx context.Context, action, bucket, key string) error {
	account, ok := ctx.Value("account").(auth.Account) // the server's context has it under this key
	if !ok || !account.IsSession {
		return nil
	}
	r := iam.Request{Action: action, Resource: objectARN(bucket, key)}
	session := iam.Session{AccessKeyID: account.Access, SessionToken: account.SessionToken}
	answer, err := b.roles.ask(context.WithoutCancel(ctx), iam.Question{Session: session, Requests: []iam.Request{r}})
	if err != nil || answer.Decisions[0] == iam.Allow {
		return err
	}
	return s3err.GetImplicitDenyAccessErr(answer.Principal, r.Action, r.Resource)
}

func objectARN(bucket, key string) string {
	if key == "" {
		return auth.ResourceArnPrefix + bucket
	}
	return auth.ResourceArnPrefix + bucket + "/" + key
}

func isBucket(arn string) bool { return !strings.Contains(arn, "/") }
