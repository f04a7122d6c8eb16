package stack

import (
	"context"
	"path/filepath"

	"portside/local/template"
)

// Setup fetches and builds all that Start would, and starts nothing.
func Setup(ctx context.Context, o Options) error {
	s := &Stack{options: o}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	loaded, err := template.Load(filepath.Join(s.options.RepoDir, templateFile), template.Options{})
	if err != nil {
		return err
	}
	s.template.Store(loaded)
	return together(ctx, s.buildAll, func(ctx context.Context) error {
		_, err := s.options.Fetch(ctx, s.console)
		return err
	})
}
