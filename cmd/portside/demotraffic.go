package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/pulls"
)

// stretch is for how long a delivery of the log has lines.
const stretch = 6 * time.Hour

// serve records a day's requests.
func (y *year) serve(ctx context.Context, day calendar.Day) error {
	part := y.planRequests(day)
	y.lines += len(part.Lines)
	return y.record(ctx, part)
}

// planRequests returns a day's requests, which depend on nothing but the seed, the first day and the clock.
func (y *year) planRequests(day calendar.Day) analytics.Segment {
	y.draw(day, requestsTopic)
	mood := y.mood()
	part := analytics.Segment{Log: analytics.AccessLog, Day: day, Stream: fmt.Sprintf("%016x", y.seed)}
	for hour := range 24 {
		for range y.some(600 * y.grown(day) * share(day, hour)) {
			at := day.Begin().Add(time.Duration(hour)*time.Hour + time.Duration(y.random.IntN(3_600_000))*time.Millisecond)
			if at.Before(y.now) {
				part.Lines = append(part.Lines, analytics.LogLine{LoggedAt: at, Request: y.request(at, mood)})
			}
		}
	}
	return part
}

// share is how much of a day's work is done in an hour.
func share(day calendar.Day, hour int) float64 {
	distance := math.Abs(float64(hour) - 13.5)
	share := 0.008 + 0.085*math.Exp(-distance*distance/18)
	if isWeekend(day) {
		return 0.25 * share
	}
	return share
}

// mood is how a day's hours go: how many percent fail, and how much slower than usual answers are.
type mood struct{ failing, slower [24]float64 }

// mood has an incident on one day of thirty, and a slow hour or two on one of ten.
func (y *year) mood() mood {
	var m mood
	for hour := range m.failing {
		m.failing[hour], m.slower[hour] = 0.05, 1
	}
	if y.chance(100.0 / 30) {
		begin, worst := y.random.IntN(22), 20+60*y.random.Float64()
		for hour := begin; hour < min(24, begin+1+y.random.IntN(3)); hour++ {
			m.failing[hour], m.slower[hour] = worst, 6
		}
	}
	if y.chance(10) {
		begin := y.random.IntN(22)
		m.slower[begin], m.slower[begin+1] = 4, 2
	}
	return m
}

// request is one request. Two in a hundred are media, which the 95th percentile does not reach and which must therefore
// not be so slow that they alone lift the average to it.
func (y *year) request(at time.Time, m mood) *analytics.Request {
	r := &analytics.Request{At: at, Status: 200, IsMediaCall: y.chance(2)}
	middle := 18.0
	if r.IsMediaCall {
		middle = 500
	}
	switch {
	case y.chance(m.failing[at.Hour()]):
		r.Status = 503
	case y.chance(3):
		r.Status = 404
	}
	r.LatencyMillis = min(int64(middle*m.slower[at.Hour()]*math.Exp(0.6*y.random.NormFloat64())), 29_000)
	return r
}

// ask records a day's calls of models.
func (y *year) ask(ctx context.Context, day calendar.Day) error {
	return y.record(ctx, y.planCalls(day))
}

// planCalls returns a day's calls of models, as planRequests does its requests.
func (y *year) planCalls(day calendar.Day) analytics.Segment {
	y.draw(day, callsTopic)
	part := analytics.Segment{Log: analytics.ModelLog, Day: day, Stream: fmt.Sprintf("%016x", y.seed)}
	mean := 14 * y.grown(day)
	if isWeekend(day) {
		mean /= 4
	}
	for _, at := range y.moments(day, y.some(mean)) {
		in, out := int64(400+y.random.IntN(9000)), int64(60+y.random.IntN(700))
		part.Lines = append(part.Lines, analytics.LogLine{LoggedAt: at, Call: &analytics.ModelCall{At: at, ModelUsage: analytics.ModelUsage{
			Calls: 1, InputTokens: in, OutputTokens: out, MicroUSD: in*15/100 + out*60/100,
		}}})
	}
	return part
}

// record counts a day's lines in several parts, as the log delivers them.
func (y *year) record(ctx context.Context, day analytics.Segment) error {
	slices.SortStableFunc(day.Lines, func(a, b analytics.LogLine) int { return a.LoggedAt.Compare(b.LoggedAt) })
	for i := range day.Lines {
		day.Lines[i].ID = fmt.Sprintf("demo-%d-%s-%d", y.seed, day.Day, i)
	}
	for len(day.Lines) > 0 {
		end := day.Lines[0].LoggedAt.Add(stretch)
		n := slices.IndexFunc(day.Lines, func(l analytics.LogLine) bool { return l.LoggedAt.After(end) })
		if n < 0 {
			n = len(day.Lines)
		}
		part := day
		part.Lines = day.Lines[:n]
		if _, err := y.recorder.Record(ctx, part); err != nil {
			return err
		}
		day.Lines = day.Lines[n:]
	}
	return nil
}

// fetch records a day's pulls.
func (y *year) fetch(ctx context.Context, day calendar.Day) error {
	_, err := y.pulls.Record(ctx, y.planPulls(day))
	return err
}

// planPulls returns a day's pulls, as planRequests does its requests.
func (y *year) planPulls(day calendar.Day) []pulls.Pull {
	y.draw(day, pullsTopic)
	var all []pulls.Pull
	for i, at := range y.moments(day, y.some(16*y.grown(day))) {
		p := pulls.Pull{
			At: at, Kind: pulls.Image, Repository: among(y, []string{"portside/api", "portside/worker", "portside/web"}),
			Reference: fmt.Sprintf("2.%d.%d", (day-y.first)/30, y.random.IntN(3)), CredentialID: fmt.Sprintf("demo-%d", i),
			OwnerID: "demo", Address: "203.0.113.9", Client: "containerd",
		}
		if y.chance(25) {
			p.Kind, p.Repository, p.Client = pulls.Chart, "portside", "Helm/3.16.4"
		}
		all = append(all, p)
	}
	return all
}

// store records how much is stored.
func (y *year) store(ctx context.Context, day calendar.Day) error {
	at, storage := y.planStorage(day)
	return y.analytics.SaveStorage(ctx, at, storage)
}

// planStorage returns how much is stored at the end of a day: charts grow, and media of a day are deleted on the next.
func (y *year) planStorage(day calendar.Day) (at time.Time, storage analytics.StorageBytes) {
	y.draw(day, storageTopic)
	at = day.Begin().Add(23 * time.Hour)
	if at.After(y.now) {
		at = y.now
	}
	steady := rand.New(rand.NewPCG(y.seed, 0)) //nolint:gosec // the same in every run
	return at, analytics.StorageBytes{
		Charts: int64((6 + 2*steady.Float64()) * 1e9 * y.grown(day)), Media: int64(y.random.IntN(300_000_000)),
	}
}
