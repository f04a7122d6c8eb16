package stack

import (
	"context"

	"portside/local/stack/console"
	"portside/local/stack/deployment"
	"portside/local/stack/functions"
	"portside/local/stack/lifetime"
	"portside/local/stack/operator"
)

// Setup downloads and builds everything that Start needs, but starts nothing.
func Setup(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	deployed := deployment.New(o.RepoDir, deployment.Addresses{}, nil)
	loaded, err := deployed.ReadTemplate()
	if err != nil {
		return err
	}
	deployed.SetTemplate(loaded)
	log := console.New(o.Log, o.Color)
	all, err := functions.New(functions.Config{
		Folder: o.folder(), Console: log, Deployment: deployed, Emulator: o.Emulator, IsLazy: o.BuildOnRequest,
	})
	if err != nil {
		return err
	}
	admin := operator.Operator{Repo: o.RepoDir}
	return lifetime.Concurrently(ctx, all.Build,
		func(ctx context.Context) error { return admin.Build(ctx, all.Builder().Command) },
		func(ctx context.Context) error {
			_, err := o.Fetch(ctx, log)
			return err
		})
}
