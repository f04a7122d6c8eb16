package analyticsdynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"portside/shared/analytics"
)

// share is what a part adds to the parts before it: its lines less theirs. Recorder gives none of them the lines of another, but a
// day's item that was lost or damaged may have kept it from seeing that others have them.
type share struct {
	before []analytics.Name // whose lines it is without
	to     time.Time        // when its last line was logged
	tally
}

// share returns that of a part of which earlier ones of its stream may have lines.
func (r *recount) share(ctx context.Context, name analytics.Name, before []analytics.Name) (share, error) {
	if known, is := r.known[name]; is && slices.Equal(known.before, before) {
		return known, nil
	}
	maps.DeleteFunc(r.open, func(n analytics.Name, _ analytics.Part) bool { return !slices.Contains(before, n) })
	part, err := r.opened(ctx, name)
	if err != nil {
		return share{}, err
	}
	rest := part
	for _, earlier := range before {
		other, err := r.opened(ctx, earlier)
		if err != nil {
			return share{}, err
		}
		rest = rest.Without(other.Lines)
	}
	s := share{before: slices.Clone(before), to: name.From, tally: tallyOf(rest)}
	s.twice = int64(len(part.Lines) - len(rest.Lines))
	if len(part.Lines) > 0 {
		s.to, s.span = part.To(), dayItem{}.spanWith(part)
	}
	r.known[name] = s
	return s, nil
}

// opened reads a part, or has it still.
func (r *recount) opened(ctx context.Context, name analytics.Name) (analytics.Part, error) {
	if part, is := r.open[name]; is {
		return part, nil
	}
	part, err := r.read(ctx, name)
	if err != nil {
		return part, err
	}
	if r.open == nil {
		r.open = map[analytics.Name]analytics.Part{}
	}
	r.open[name] = part
	return part, nil
}
