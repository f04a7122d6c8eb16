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
type contribution struct {
	earlier []analytics.SegmentName // whose lines it is without
	lastLogged     time.Time        // when its last line was logged
	segmentTotals
}

// share returns that of a part of which earlier ones of its stream may have lines.
func (r *recount) contribution(ctx context.Context, name analytics.SegmentName, before []analytics.SegmentName) (contribution, error) {
	if known, is := r.contributions[name]; is && slices.Equal(known.earlier, before) {
		return known, nil
	}
	maps.DeleteFunc(r.segments, func(n analytics.SegmentName, _ analytics.Segment) bool { return !slices.Contains(before, n) })
	part, err := r.segment(ctx, name)
	if err != nil {
		return contribution{}, err
	}
	rest := part
	for _, earlier := range before {
		other, err := r.segment(ctx, earlier)
		if err != nil {
			return contribution{}, err
		}
		rest = rest.Without(other.Lines)
	}
	s := contribution{earlier: slices.Clone(before), lastLogged: name.FirstLogged, segmentTotals: totalsOf(rest)}
	s.duplicateLines = int64(len(part.Lines) - len(rest.Lines))
	if len(part.Lines) > 0 {
		s.lastLogged, s.longestMillis = part.LastLogged(), dayItem{}.spanWith(part)
	}
	r.contributions[name] = s
	return s, nil
}

// opened reads a part, or has it still.
func (r *recount) segment(ctx context.Context, name analytics.SegmentName) (analytics.Segment, error) {
	if part, is := r.segments[name]; is {
		return part, nil
	}
	part, err := r.read(ctx, name)
	if err != nil {
		return part, err
	}
	if r.segments == nil {
		r.segments = map[analytics.SegmentName]analytics.Segment{}
	}
	r.segments[name] = part
	return part, nil
}
