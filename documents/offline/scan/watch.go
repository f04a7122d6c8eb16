package scan

import "context"

// Watch lets a loop over a long text end soon after a context does. The loop calls [Watch.Stopped]
// in each step and returns early; the function that started the work then calls [Watch.Check] for
// the error. A nil Watch never stops.
type Watch struct {
	ctx  context.Context //nolint:containedctx // lives as long as the one call that reads the document
	step uint
	err  error
}

// NewWatch returns a Watch for ctx.
func NewWatch(ctx context.Context) *Watch { return &Watch{ctx: ctx} }

// Stopped reports whether the context has ended. It asks the context in every 64th call only.
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

// Check asks the context at once and returns its error.
func (w *Watch) Check() error {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}
