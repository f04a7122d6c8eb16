package media

import "context"

// progressKey is the context key of the function that receives progress.
type progressKey struct{}

// WithProgress returns a context in which [Progress] calls report with the share of the work that
// is done, from 0 to 1. Report may be called by several goroutines at once, and the shares may not
// be in order. The work waits until report returns.
func WithProgress(ctx context.Context, report func(done float64)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Progress reports the share of the context's work that is done, from 0 to 1. Engines, transcribers
// and viewers may call it for their own part as often as they like. Without [WithProgress] it does
// nothing.
func Progress(ctx context.Context, done float64) {
	if report, ok := ctx.Value(progressKey{}).(func(float64)); ok {
		report(min(max(done, 0), 1))
	}
}

// WithProgressPart returns a context for a part of the work. Its progress from 0 to 1 is reported
// as progress of the whole work between the two shares.
func WithProgressPart(ctx context.Context, from, to float64) context.Context {
	return WithProgress(ctx, func(done float64) { Progress(ctx, from+(to-from)*done) })
}
