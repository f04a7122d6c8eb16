package main

import (
	"math"
	"slices"
	"strings"
	"time"
)

// journal is everything that happened in the simulation, in order of time. The expected numbers are
// computed from it in the simplest way, from the beginning for each question, and share no code
// with the implementation.
type journal struct {
	users    []change
	projects []change
	requests []answeredRequest
	models   []modelCall
	pulls    []pulled
	sizes    []measurement
}

// change is the state of a user or a project from a moment on.
type change struct {
	at     time.Time
	id     string
	status string // empty means deleted
	role   string // only for users
}

type answeredRequest struct {
	at        time.Time
	status    int
	ms        float64 // negative if unknown
	mediaTask string  // empty for other requests
}

type modelCall struct {
	at                   time.Time
	in, out, microDollar float64
}

type pulled struct {
	at       time.Time
	what     string // "charts", "images" or "checks"
	artifact string // kind and repository; empty for a check, which is in no ranking
	owner    string
}

type measurement struct {
	at    time.Time
	bytes float64
}

// span is the days of a period, from one midnight to another.
type span struct{ from, to time.Time }

func (s span) has(at time.Time) bool { return !at.Before(s.from) && at.Before(s.to) }

func (s span) days() int { return int(s.to.Sub(s.from) / (24 * time.Hour)) }

// before returns the equally long span that ends where this one begins.
func (s span) before() span { return span{s.from.AddDate(0, 0, -s.days()), s.from} }

// yearAgo returns the span with the same dates of the year before, with 28 February for the 29th.
func (s span) yearAgo() span {
	last := s.to.AddDate(0, 0, -1)
	return span{sameDate(s.from), sameDate(last).AddDate(0, 0, 1)}
}

func sameDate(day time.Time) time.Time {
	before := time.Date(day.Year()-1, day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	if before.Month() != day.Month() { // 1 March
		return before.AddDate(0, 0, -1)
	}
	return before
}

func midnight(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// namedSpan returns a named period by walking back through the calendar from today.
func namedSpan(kind string, today time.Time) span {
	begins := map[string]func(time.Time) bool{
		"week": func(d time.Time) bool { return d.Weekday() == time.Monday }, "month": func(d time.Time) bool { return d.Day() == 1 },
		"quarter": func(d time.Time) bool {
			return d.Day() == 1 && d.Month()%3 == 1
		},
		"year": func(d time.Time) bool { return d.YearDay() == 1 },
	}
	begin := func(unit string, day time.Time) time.Time {
		for !begins[unit](day) {
			day = day.AddDate(0, 0, -1)
		}
		return day
	}
	which, unit, _ := strings.Cut(kind, "_")
	switch {
	case kind == "today":
		return span{today, today.AddDate(0, 0, 1)}
	case kind == "yesterday":
		return span{today.AddDate(0, 0, -1), today}
	case which == "this":
		return span{begin(unit, today), today.AddDate(0, 0, 1)}
	default:
		end := begin(unit, today)
		return span{begin(unit, end.AddDate(0, 0, -1)), end}
	}
}

// numbers returns the expected metrics by their path in the response, before rounding.
func (j *journal) numbers(s span, now time.Time) map[string]float64 {
	n := map[string]float64{"usage.storage.total": 100, "usage.storage.used": j.stored(s) / 1e9}
	countUsers(n, stateAt(j.users, s.from), stateAt(j.users, s.to))
	j.countProjects(n, s)
	j.countUsage(n, s)
	j.countPerformance(n, s, now)
	return n
}

// stateAt returns what exists at a moment.
func stateAt(changes []change, at time.Time) map[string]change {
	state := map[string]change{}
	for _, t := range changes {
		switch {
		case !t.at.Before(at):
		case t.status == "":
			delete(state, t.id)
		default:
			state[t.id] = t
		}
	}
	return state
}

func countUsers(n map[string]float64, before, after map[string]change) {
	for _, role := range []string{"admin", "manager", "user", "viewer"} {
		n["users.byRole."+role] = 0
	}
	n["users.total"], n["users.active"] = float64(len(after)), 0
	for _, u := range after {
		n["users.byRole."+u.role]++
		if u.status == "active" {
			n["users.active"]++
		}
	}
	n["users.growth"] = 0
	switch {
	case len(before) > 0:
		n["users.growth"] = 100 * (float64(len(after))/float64(len(before)) - 1)
	case len(after) > 0:
		n["users.growth"] = 100
	}
}

func (j *journal) countProjects(n map[string]float64, s span) {
	for _, status := range []string{"draft", "active", "on_hold", "completed", "archived"} {
		n["projects.byStatus."+status] = 0
	}
	after := stateAt(j.projects, s.to)
	n["projects.total"], n["projects.created"], n["projects.archived"] = float64(len(after)), 0, 0
	for _, p := range after {
		n["projects.byStatus."+p.status]++
	}
	was := map[string]string{}
	for _, t := range j.projects {
		old, known := was[t.id]
		was[t.id] = t.status
		if !s.has(t.at) {
			continue
		}
		if !known {
			n["projects.created"]++
		}
		if t.status == "archived" && old != "archived" {
			n["projects.archived"]++
		}
	}
}

// stored returns the last measurement in the period or in the seven days before it.
func (j *journal) stored(s span) float64 {
	var last measurement
	for _, m := range j.sizes {
		if m.at.Before(s.to) && !m.at.Before(s.from.AddDate(0, 0, -7)) && m.at.After(last.at) {
			last = m
		}
	}
	return last.bytes
}

func (j *journal) countUsage(n map[string]float64, s span) {
	for _, name := range []string{"usage.api.calls", "usage.pulls.charts", "usage.pulls.images", "usage.pulls.checks",
		"usage.media.calls",
		"usage.media.modelCalls",
		"usage.media.inputTokens", "usage.media.outputTokens", "usage.media.cost", "usage.media.byTask.summarize",
		"usage.media.byTask.extract", "usage.media.byTask.compare"} {
		n[name] = 0
	}
	for _, p := range j.pulls {
		if s.has(p.at) {
			n["usage.pulls."+p.what]++
		}
	}
	for _, m := range j.models {
		if s.has(m.at) {
			n["usage.media.modelCalls"]++
			n["usage.media.inputTokens"] += m.in
			n["usage.media.outputTokens"] += m.out
			n["usage.media.cost"] += m.microDollar / 1e6
		}
	}
	for _, r := range j.requests {
		if s.has(r.at) {
			n["usage.api.calls"]++
			if r.mediaTask != "" && r.status != 404 {
				n["usage.media.calls"]++
				n["usage.media.byTask."+r.mediaTask]++
			}
		}
	}
}

// countPerformance computes the uptime, the errors and the response times.
func (j *journal) countPerformance(n map[string]float64, s span, now time.Time) {
	type hour struct{ calls, failed float64 }
	hours, failed, sum := map[time.Time]hour{}, 0.0, 0.0
	var took []float64
	for _, r := range j.requests {
		if !s.has(r.at) {
			continue
		}
		h := hours[r.at.Truncate(time.Hour)]
		h.calls++
		if r.status >= 500 {
			h.failed++
			failed++
		}
		hours[r.at.Truncate(time.Hour)] = h
		if r.ms >= 0 {
			took, sum = append(took, r.ms), sum+r.ms
		}
	}
	down, begun := 0.0, 0.0
	for at := s.from; at.Before(s.to) && !at.After(now); at = at.Add(time.Hour) {
		begun++
		if h := hours[at]; h.calls > 0 {
			down += h.failed / h.calls
		}
	}
	n["performance.uptime"], n["performance.errors"] = 100-100*down/math.Max(begun, 1), failed
	n["performance.responseTime.avg"] = sum / math.Max(float64(len(took)), 1)
	n["usage.api.avgResponseTime"] = n["performance.responseTime.avg"]
	slices.Sort(took)
	n["performance.responseTime.p95"], n["performance.responseTime.p99"] = percentile(took, 95), percentile(took, 99)
}

// percentile returns the smallest of the sorted values that the given percentage of them does not
// exceed.
func percentile(sorted []float64, percent int) float64 {
	for i, value := range sorted {
		if 100*(i+1) >= percent*len(sorted) {
			return value
		}
	}
	return 0
}

// hasValue reports whether a metric has a value for a day.
func (j *journal) hasValue(metric string, day span) bool {
	switch {
	case metric == "usage.storage.used":
		return slices.ContainsFunc(j.sizes, func(m measurement) bool { return span{day.from.AddDate(0, 0, -7), day.to}.has(m.at) })
	case metric == "performance.uptime":
		return slices.ContainsFunc(j.requests, func(r answeredRequest) bool { return day.has(r.at) })
	case strings.Contains(strings.ToLower(metric), "responsetime"):
		return slices.ContainsFunc(j.requests, func(r answeredRequest) bool { return r.ms >= 0 && day.has(r.at) })
	}
	return true
}

// agrees reports whether a number of a response is correct after the rounding that
// docs/analytics.md describes.
func agrees(path string, got, want float64) bool {
	within := 0.0
	switch {
	case strings.HasSuffix(path, ".p95") || strings.HasSuffix(path, ".p99"):
		if within = 0.016 * want; want < 64 {
			within = 0
		}
	case strings.HasSuffix(path, ".avg") || strings.HasSuffix(path, ".avgResponseTime"):
		within = 0.05
	case path == "users.growth":
		within = 0.005
	case path == "performance.uptime":
		within = 0.0005
	case path == "usage.media.cost" || path == "usage.storage.used":
		within = 0.0000005
	}
	return math.Abs(got-want) <= within*(1+1e-9)+math.Abs(want)*1e-12
}
