package demo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/pulls"
)

// maxSegmentSpan is the longest time between the first and the last line of a log delivery.
const maxSegmentSpan = 6 * time.Hour

// addAPIRequests adds the log lines of the requests of a day.
func (s *story) addAPIRequests(ctx context.Context, day calendar.Day) error {
	segment := s.planAPIRequests(day)
	s.logLines += len(segment.Lines)
	return s.record(ctx, segment)
}

// planAPIRequests returns the requests of a day. They depend only on the seed, the first day and the clock.
func (s *story) planAPIRequests(day calendar.Day) logs.Segment {
	s.seedRandom(day, apiRequestsTopic)
	conditions := s.conditions()
	segment := logs.Segment{Log: logs.AccessLog, Day: day, Stream: fmt.Sprintf("%016x", s.seed)}
	for hour := range 24 {
		for range s.around(600 * s.growth(day) * shareOfHour(day, hour)) {
			at := day.Begin().Add(time.Duration(hour)*time.Hour + time.Duration(s.random.IntN(3_600_000))*time.Millisecond)
			if at.Before(s.now) {
				segment.Lines = append(segment.Lines, logs.Line{LoggedAt: at, Request: s.randomAPIRequest(at, conditions)})
			}
		}
	}
	return segment
}

// shareOfHour returns the share of a day's requests that an hour has.
func shareOfHour(day calendar.Day, hour int) float64 {
	distance := math.Abs(float64(hour) - 13.5)
	share := 0.008 + 0.085*math.Exp(-distance*distance/18)
	if isWeekend(day) {
		return 0.25 * share
	}
	return share
}

// dayConditions say how the hours of a day go: the percentage of failing requests, and how much
// slower than usual responses are.
type dayConditions struct{ errorPercent, slowdown [24]float64 }

// conditions returns an incident on about one day in thirty, and one or two slow hours on one day in
// ten.
func (s *story) conditions() dayConditions {
	var m dayConditions
	for hour := range m.errorPercent {
		m.errorPercent[hour], m.slowdown[hour] = 0.05, 1
	}
	if s.chance(100.0 / 30) {
		begin, worst := s.random.IntN(22), 20+60*s.random.Float64()
		for hour := begin; hour < min(24, begin+1+s.random.IntN(3)); hour++ {
			m.errorPercent[hour], m.slowdown[hour] = worst, 6
		}
	}
	if s.chance(10) {
		begin := s.random.IntN(22)
		m.slowdown[begin], m.slowdown[begin+1] = 4, 2
	}
	return m
}

// randomAPIRequest returns a request of the API. Two percent are media calls. They are above the 95th percentile, so
// they must not be slow enough to lift the average above it.
func (s *story) randomAPIRequest(at time.Time, m dayConditions) *analytics.Request {
	r := &analytics.Request{At: at, Status: 200, IsMediaCall: s.chance(2)}
	middle := 18.0
	if r.IsMediaCall {
		middle = 500
		r.Task = pick(s, []analytics.MediaTask{analytics.SummarizeTask, analytics.ExtractTask, analytics.ExtractTask, analytics.CompareTask})
	}
	switch {
	case s.chance(m.errorPercent[at.Hour()]):
		r.Status = 503
	case s.chance(3):
		r.Status = 404
	}
	r.LatencyMillis = min(int64(middle*m.slowdown[at.Hour()]*math.Exp(0.6*s.random.NormFloat64())), 29_000)
	return r
}

// addModelCalls adds the model calls of a day.
func (s *story) addModelCalls(ctx context.Context, day calendar.Day) error {
	return s.record(ctx, s.planModelCalls(day))
}

// planModelCalls returns the model calls of a day, in the same way as planAPIRequests.
func (s *story) planModelCalls(day calendar.Day) logs.Segment {
	s.seedRandom(day, modelCallsTopic)
	segment := logs.Segment{Log: logs.ModelLog, Day: day, Stream: fmt.Sprintf("%016x", s.seed)}
	mean := 14 * s.growth(day)
	if isWeekend(day) {
		mean /= 4
	}
	for _, at := range s.moments(day, s.around(mean)) {
		in, out := int64(400+s.random.IntN(9000)), int64(60+s.random.IntN(700))
		segment.Lines = append(segment.Lines, logs.Line{LoggedAt: at, Call: &logs.ModelCall{At: at, ModelUsage: analytics.ModelUsage{
			Calls: 1, InputTokens: in, OutputTokens: out, MicroUSD: in*15/100 + out*60/100,
		}}})
	}
	return segment
}

// record counts the lines of a day in several segments, as CloudWatch Logs would deliver them.
func (s *story) record(ctx context.Context, day logs.Segment) error {
	slices.SortStableFunc(day.Lines, func(a, b logs.Line) int { return a.LoggedAt.Compare(b.LoggedAt) })
	for i := range day.Lines {
		day.Lines[i].ID = fmt.Sprintf("demo-%d-%s-%d", s.seed, day.Day, i)
	}
	for len(day.Lines) > 0 {
		end := day.Lines[0].LoggedAt.Add(maxSegmentSpan)
		n := slices.IndexFunc(day.Lines, func(l logs.Line) bool { return l.LoggedAt.After(end) })
		if n < 0 {
			n = len(day.Lines)
		}
		segment := day
		segment.Lines = day.Lines[:n]
		if _, err := s.Recorder.Record(ctx, segment); err != nil {
			return err
		}
		day.Lines = day.Lines[n:]
	}
	return nil
}

// addPulls adds the pulls of a day.
func (s *story) addPulls(ctx context.Context, day calendar.Day) error {
	planned := s.planPulls(day)
	for _, p := range planned {
		s.lastPulls[p.CredentialID] = p.At
	}
	if _, err := s.Pulls.Record(ctx, planned); err != nil {
		return err
	}
	_, err := s.Pulls.CountPending(ctx)
	return err
}

// planPulls returns the pulls of a day, in the same way as planAPIRequests. They are of the charts and images that
// `make demo` publishes, so that every link from a pull leads to a page.
func (s *story) planPulls(day calendar.Day) []pulls.Pull {
	s.seedRandom(day, pullsTopic)
	var all []pulls.Pull
	for _, at := range s.moments(day, s.around(16*s.growth(day))) {
		p, scope := pulls.Pull{
			At: at, Kind: pulls.Image, Repository: imageName, Reference: pick(s, []string{"1.0.0", "1.1.0"}),
			Address: "203.0.113.9", Client: "containerd",
		}, principal.ReadImages
		if s.chance(25) {
			p.Kind, p.Client, scope = pulls.Chart, "Helm/3.16.4", principal.ReadCharts
			p.Repository = chartName
		} else if s.chance(15) {
			p.Kind, p.Client, p.Repository = pulls.Chart, "Helm/3.16.4", artifactName
		}
		if c := s.pickPuller(scope, p); c != nil {
			p.CredentialID, p.OwnerID, p.CustomerID = c.ID, c.Owner.ID, c.Owner.CustomerID
			all = append(all, p)
		}
	}
	return all
}

// pickPuller picks the credential of a pull, or nil if no credential could. It picks those of customers and older ones
// more often.
func (s *story) pickPuller(scope principal.Scope, p pulls.Pull) *credentials.Credential {
	share, prefersCustomers := s.random.Float64()*s.random.Float64(), s.chance(80) // more often near 0 than near 1
	all := slices.DeleteFunc(s.pullable(scope, p.At), func(c *credentials.Credential) bool { return !s.isEntitled(c, p) })
	isOfCustomer := func(c *credentials.Credential) bool { return c.Owner.CustomerID != "" }
	if prefersCustomers && slices.ContainsFunc(all, isOfCustomer) {
		all = slices.DeleteFunc(all, func(c *credentials.Credential) bool { return !isOfCustomer(c) })
	}
	if len(all) == 0 {
		return nil
	}
	return all[int(share*float64(len(all)))]
}

// measureStorage stores a measurement.
func (s *story) measureStorage(ctx context.Context, day calendar.Day) error {
	at, storage := s.planStorage(day)
	return s.Analytics.SaveStorage(ctx, at, storage)
}

// planStorage returns a measurement at the end of a day. The charts grow steadily; media files exist
// for about a day.
func (s *story) planStorage(day calendar.Day) (at time.Time, storage analytics.StorageBytes) {
	s.seedRandom(day, storageTopic)
	at = day.Begin().Add(23 * time.Hour)
	if at.After(s.now) {
		at = s.now
	}
	steady := rand.New(rand.NewPCG(s.seed, 0)) //nolint:gosec // the same in every run
	return at, analytics.StorageBytes{
		Charts: int64((6 + 2*steady.Float64()) * 1e9 * s.growth(day)), Media: int64(s.random.IntN(300_000_000)),
	}
}
