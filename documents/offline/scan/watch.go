package scan

import "context"

// watch looks at a context every few steps and remembers that it ended: loops stop, and whoever began them asks for the error.
type Watch struct {
	ctx  context.Context //nolint:containedctx // lives as long as the one call that reads the document
	step uint
	err  error
}

// ended counts a step. A watch that is nil never ends.
func (w *Watch) Stopped() bool {
	const every = 64
	if w == nil {
		return false
	}
	if w.step++; w.err == nil && w.step%every == 0 {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

// look looks at the context at once.
func (w *Watch) Check() error {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}

// newWatch returns a watch of a context.
func NewWatch(ctx context.Context) *Watch { return &Watch{ctx: ctx} }
