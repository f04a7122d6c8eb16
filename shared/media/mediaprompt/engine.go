package mediaprompt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"portside/documents/answers"
)

// Settings fit an engine to its model.
type Settings struct {
	Name       string // of engine and model, as it is kept with answers
	PartTokens int    // of a document that go into one request; 0: 24,000
	Parts      int    // that are read of one document; what is behind is left out with a warning; 0: 40
	AtOnce     int    // requests; 0: 4
	Thinking   int    // tokens that the model spends before it answers, where those count as written
}

func (s Settings) withDefaults() Settings {
	for _, of := range []struct {
		field *int
		usual int
	}{{&s.PartTokens, 24_000}, {&s.Parts, 40}, {&s.AtOnce, 4}} {
		if *of.field <= 0 {
			*of.field = of.usual
		}
	}
	return s
}

// Engine is a [media.Engine] that asks a model.
type Engine struct {
	asker
	settings Settings
}

var _ answers.Engine = (*Engine)(nil)

// New returns an Engine. It may be used by several goroutines if the model may.
func New(model Model, s Settings) *Engine { return &Engine{asker{model, s.Thinking}, s.withDefaults()} }

// Version names the model, the revision of the prompts, and how documents are cut into parts.
func (e *Engine) Version() string {
	return fmt.Sprintf("%s prompt %s %dx%d", e.settings.Name, revision, e.settings.PartTokens, e.settings.Parts)
}

// each calls do for 0 up to n, some at once, and returns the first error, which ends the others.
func (e *Engine) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	var once sync.Once
	var first error
	failed := func(err error) {
		once.Do(func() { first = err })
		stop()
	}
	slots := make(chan struct{}, e.settings.AtOnce)
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if err := ctx.Err(); err != nil {
				failed(late(err))
			} else if err := do(ctx, i); err != nil {
				failed(err)
			}
		})
	}
	running.Wait()
	return first
}

// late makes a deadline that has passed what it is: the model was too slow.
func late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &Busy{Cause: err}
	}
	return err
}
