package services

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"portside/local/engines"
	"portside/local/stack/deployment"
)

// storage is S3.
type storage struct {
	Config
	endpoint string // at which all callers reach the engine
}

func (s *storage) start(ctx context.Context) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	p, err := engines.StartS3(ctx, c)
	if err != nil {
		return err
	}
	s.Lifetime.Supervise("S3", p)
	if s.endpoint, err = s.Access.S3Address(p.Endpoint); err != nil {
		return err
	}
	return s.createBuckets(ctx, p)
}

func (s *storage) createBuckets(ctx context.Context, p *engines.Process) error {
	return engines.CreateBuckets(ctx, s3Access(p.Endpoint), s.Deployment.Template().Buckets)
}

func (s *storage) settings() (engines.S3, error) {
	binary, err := s.binary(s3Engine)
	if err != nil {
		return engines.S3{}, err
	}
	log, err := s.Folder.CreateLog("s3", s.Lifetime)
	return engines.S3{
		Binary:    binary,
		Dir:       filepath.Join(s.Folder.Path, "s3"),
		AccessKey: deployment.AccessKeyID,
		SecretKey: deployment.SecretAccessKey,
		EventsURL: s.ObjectsURL, AuthorizeURL: s.Access.URL(),
		Log: log,
	}, err
}

// s3Access returns the stack's own access to the S3 server.
func s3Access(endpoint string) engines.S3Access {
	return engines.S3Access{Endpoint: endpoint, AccessKey: deployment.AccessKeyID, SecretKey: deployment.SecretAccessKey}
}

// binary returns the path of an engine that make builds. It may be missing only if a Builder builds it.
func (c *Config) binary(name string) (string, error) {
	path := filepath.Join(c.Folder.Repo, ".local", "bin", name)
	if _, err := os.Stat(path); err != nil && c.Builder == nil {
		return "", fmt.Errorf(".local/bin/%s is missing: run `make engines`", name)
	}
	return path, nil
}
