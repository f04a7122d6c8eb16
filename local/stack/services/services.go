// Package services has the AWS services that the functions of a stack call: DynamoDB, S3, ECR with its registry, SES
// and Secrets Manager.
package services

import (
	"context"
	"errors"
	"net/http"
	"time"

	"portside/local/build"
	"portside/local/dynamoproxy"
	"portside/local/stack/access"
	"portside/local/stack/console"
	"portside/local/stack/deployment"
	"portside/local/stack/folder"
	"portside/local/stack/lifetime"
)

// Config holds the parameters of New.
type Config struct {
	Folder     folder.Folder
	Lifetime   *lifetime.Lifetime
	Console    *console.Console
	Deployment *deployment.Deployment
	Access     *access.Access
	// Builder builds the S3 server and the registry while the stack runs. If it is nil, they are built already.
	Builder *build.Builder
	// ObjectsURL is where the S3 engine posts changes of objects, and ImagesURL where the registry engine posts
	// notifications.
	ObjectsURL, ImagesURL string
	// DynamoDBDelay is added to each call of DynamoDB.
	DynamoDBDelay time.Duration
	// DynamoDBUnits reports the units of each call of DynamoDB.
	DynamoDBUnits bool
	// RotateStep invokes a function for one step of the rotation of a secret.
	RotateStep func(ctx context.Context, function string, event []byte) error
}

// Services are the services of one stack.
type Services struct {
	database *database
	storage  *storage
	registry *registry
	builds   *builds // nil if the engines are built already
	mail     *mail
	secrets  *secretStore
}

// New returns services that do not run yet.
func New(c Config) *Services {
	s := &Services{
		database: &database{Config: c}, storage: &storage{Config: c}, mail: &mail{Config: c}, secrets: &secretStore{Config: c},
	}
	s.registry = &registry{Config: c, storage: s.storage}
	if c.Builder != nil {
		s.builds = newBuilds(c, s.storage, s.registry)
	}
	return s
}

// Start starts the services concurrently.
func (s *Services) Start(ctx context.Context) error {
	return lifetime.Concurrently(ctx, s.database.start, s.startS3AndRegistry, s.mail.start, s.secrets.start)
}

// startS3AndRegistry starts S3 and then the registry, which stores its images in S3. If they have yet to be built, it
// only reserves their addresses.
func (s *Services) startS3AndRegistry(ctx context.Context) error {
	if s.builds != nil {
		return s.builds.reserve()
	}
	if err := s.storage.start(ctx); err != nil {
		return err
	}
	return s.registry.start(ctx)
}

// Build begins to build the engines, if there is a Builder, and starts each when it is built.
func (s *Services) Build(ctx context.Context) {
	if s.builds != nil {
		s.builds.run(ctx)
	}
}

// Wait waits until the engines that a function may call answer, and returns ErrNotBuilt after a while.
func (s *Services) Wait(ctx context.Context, function string) error {
	if s.builds == nil {
		return nil
	}
	return s.builds.wait(ctx, function)
}

// AddTo adds the addresses of the services, which are known after Start, and the operator's keys.
func (s *Services) AddTo(i *folder.Info) {
	i.DynamoDB, i.S3, i.Registry = s.database.endpoint, s.storage.endpoint, s.registry.endpoint
	i.ECR, i.SES, i.SecretsManager = s.registry.ecr, s.mail.endpoint, s.secrets.endpoint
	i.AccessKeyID, i.SecretAccessKey = deployment.AccessKeyID, deployment.SecretAccessKey
}

// TakeCalls returns the calls of DynamoDB since the last time.
func (s *Services) TakeCalls() dynamoproxy.Calls { return s.database.proxy.TakeCalls() }

// Outbox returns the pages of the sent mails.
func (s *Services) Outbox() http.Handler { return s.mail.outbox.Pages() }

// Rotate rotates a secret, and calls log with one line for each step.
func (s *Services) Rotate(ctx context.Context, secret string, log func(string)) error {
	return s.secrets.store.Rotate(ctx, secret, newVersionToken(), log)
}

// PutJSON writes an object to a bucket, as soon as S3 answers.
func (s *Services) PutJSON(ctx context.Context, bucket, key string, content []byte) error {
	if s.builds != nil {
		if err := s.builds.waitFor(ctx, s.builds.s3); err != nil {
			return err
		}
	}
	return s3Access(s.storage.endpoint).PutJSON(ctx, bucket, key, content)
}

// ErrNotBuilt means that an engine did not answer in time.
var ErrNotBuilt = errors.New("an engine that this function needs is still being built, see the terminal of make run; try again later")
