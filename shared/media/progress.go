package media

import "context"

// progressKey is that of a report in a context.
type progressKey struct{}

// WithProgress returns a context whose work tells report how much of it is done, from 0 to 1. Reports may come from several
// goroutines at once and not in order, and report is called before the work goes on.
func WithProgress(ctx context.Context, report func(done float64)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Progress says that so much of the context's work is done, from 0 to 1. Engines, transcribers and viewers may say so of their
// own part, as often as they like; where nobody asked it does nothing.
func Progress(ctx context.Context, done float64) {
	if report, asked := ctx.Value(progressKey{}).(func(float64)); asked {
		report(min(max(done, 0), 1))
	}
}

// stretch is the context of a part of the work, which is the whole work's from one point to another.
func stretch(ctx context.Context, from, to float64) context.Context {
	return WithProgress(ctx, func(done float64) { Progress(ctx, from+(to-from)*done) })
}
