package services

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"time"

	"portside/local/secrets"
	"portside/local/stack/deployment"
)

// secretStore is Secrets Manager.
type secretStore struct {
	Config
	store    *secrets.Store
	endpoint string
}

func (s *secretStore) start(ctx context.Context) error {
	store, err := secrets.New(ctx, secrets.Config{
		Dir: filepath.Join(s.Folder.Path, "secrets"), Region: deployment.Region, AccountID: deployment.AccountID,
		Invoke: s.RotateStep, Log: s.Console.WriteLine, Now: time.Now,
	})
	if err != nil {
		return err
	}
	s.store = store
	s.Lifetime.OnStop(func(context.Context) error {
		store.Close()
		return nil
	})
	values := map[string]string{}
	for _, secret := range s.Deployment.Template().Secrets {
		values[secret.Name] = secret.Value
	}
	if err := store.Deploy(values); err != nil {
		return err
	}
	s.endpoint, err = s.Lifetime.Serve("Secrets Manager", s.Access.GuardSecretsManager(store.API()))
	return err
}

// newVersionToken returns a random ClientRequestToken with the length of a UUID.
func newVersionToken() string { return (rand.Text() + rand.Text())[:36] }
