package stack

import (
	"context"
	"path/filepath"

	"portside/local/template"
)

// Setup downloads and builds everything that Start needs, but starts nothing.
func Setup(ctx context.Context, o Options) error {
	s := &Stack{options: o}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	loaded, err := template.Load(filepath.Join(s.options.RepoDir, templateFile), template.Options{Parameters: requiredParameters()})
	if err != nil {
		return err
	}
	s.template.Store(loaded)
	if err := s.createBuilder(ctx); err != nil {
		return err
	}
	return runConcurrently(ctx, s.buildAll, func(ctx context.Context) error {
		_, err := s.options.Fetch(ctx, s.console)
		return err
	})
}
