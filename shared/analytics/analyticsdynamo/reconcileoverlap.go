package analyticsdynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"portside/shared/analytics/logs"
)

// contribution is what a segment adds to the segments before it: the totals of its lines without
// the lines that they share. Normally segments share no lines, because the Recorder removes them.
// But if a day's item is lost or damaged, the Recorder cannot see earlier segments.
type contribution struct {
	earlier    []logs.SegmentName // the segments of which the lines are removed
	lastLogged time.Time          // when the last line of the segment was logged
	segmentTotals
}

// contribution returns the contribution of a segment that may share lines with the given earlier
// ones.
func (r *recount) contribution(ctx context.Context, next counted, earlier []counted) (contribution, error) {
	names := make([]logs.SegmentName, len(earlier))
	for i, e := range earlier {
		names[i] = e.SegmentName
	}
	if known, ok := r.contributions[next.SegmentName]; ok && slices.Equal(known.earlier, names) {
		return known, nil
	}
	maps.DeleteFunc(r.segments, func(n logs.SegmentName, _ logs.Segment) bool { return !slices.Contains(names, n) })
	segment, err := r.segment(ctx, next)
	if err != nil {
		return contribution{}, err
	}
	rest := segment
	for _, e := range earlier {
		other, err := r.segment(ctx, e)
		if err != nil {
			return contribution{}, err
		}
		rest = rest.Without(other.Lines)
	}
	c := contribution{earlier: names, lastLogged: next.FirstLogged, segmentTotals: totalsOf(rest)}
	c.duplicateLines = int64(len(segment.Lines) - len(rest.Lines))
	if len(segment.Lines) > 0 {
		c.lastLogged, c.longestMillis = segment.LastLogged(), dayItem{}.spanWith(segment)
	}
	r.contributions[next.SegmentName] = c
	return c, nil
}

// segment returns a segment from memory, or reads it.
func (r *recount) segment(ctx context.Context, c counted) (logs.Segment, error) {
	if segment, ok := r.segments[c.SegmentName]; ok {
		return segment, nil
	}
	segment, err := r.readSegment(ctx, c)
	if err != nil {
		return segment, err
	}
	if r.segments == nil {
		r.segments = map[logs.SegmentName]logs.Segment{}
	}
	r.segments[c.SegmentName] = segment
	return segment, nil
}
