package demo

import (
	"reflect"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/pulls"
	"portside/shared/testkit/awstest"
)

// newPlannedStory returns demo data that is only planned and not stored.
func newPlannedStory(now time.Time, days int) *story {
	return &story{seed: 1, now: now, first: calendar.DayOf(now) - calendar.Day(days) + 1}
}

// dayPlan is the planned data of a day.
type dayPlan struct {
	Requests, Calls logs.Segment
	Pulls           []pulls.Pull
	Measured        time.Time
	Storage         analytics.StorageBytes
}

func planDay(s *story, day calendar.Day) dayPlan {
	p := dayPlan{Requests: s.planAPIRequests(day), Calls: s.planModelCalls(day), Pulls: s.planPulls(day)}
	p.Measured, p.Storage = s.planStorage(day)
	return p
}

// everyClock calls a function with a clock on each of 400 consecutive days, at changing times of day.
func everyClock(t *testing.T, check func(t *testing.T, now time.Time)) {
	t.Helper()
	for midnight := range awstest.Days() {
		check(t, midnight.Add(time.Duration(midnight.YearDay()%24)*time.Hour))
	}
}

func TestLatenciesAreRealisticOnEveryDay(t *testing.T) {
	t.Parallel()
	everyClock(t, func(t *testing.T, now time.Time) {
		s, sum := newPlannedStory(now, 40), &analytics.RequestStats{}
		for days := 1; days <= 30; days++ {
			sum.Merge(s.planAPIRequests(calendar.DayOf(now) - calendar.Day(days)).RequestStats())
			if days != 7 && days != 30 {
				continue
			}
			average, p95, p99 := sum.Average(), sum.Latency.Percentile(95), sum.Latency.Percentile(99)
			if p95 < 1.2*average || p99 < 2*p95 {
				t.Errorf("%d days before %s: average %.1f ms, p95 %.1f ms, p99 %.1f ms", days, now.Format(time.DateOnly), average, p95, p99)
			}
			if sum.Calls < int64(days)*100 || sum.Media == 0 || sum.Errors*10 > sum.Calls {
				t.Errorf("%d days before %s: %d calls, %d of media, %d errors", days, now.Format(time.DateOnly), sum.Calls, sum.Media, sum.Errors)
			}
		}
	})
}

func TestPlanStaysWithinItsDay(t *testing.T) {
	t.Parallel()
	everyClock(t, func(t *testing.T, now time.Time) {
		s, today := newPlannedStory(now, 40), calendar.DayOf(now)
		for _, day := range []calendar.Day{today - 1, today} {
			p := planDay(s, day)
			times := []time.Time{p.Measured}
			for _, line := range append(p.Requests.Lines, p.Calls.Lines...) {
				times = append(times, line.At())
			}
			for _, pull := range p.Pulls {
				times = append(times, pull.At)
			}
			for _, at := range times {
				if calendar.DayOf(at) != day || at.After(now) {
					t.Fatalf("the plan of %s has an event at %s, but the clock is %s", day, at, now)
				}
			}
			if p.Storage.Charts <= 0 || day < today && len(p.Requests.Lines) == 0 {
				t.Errorf("the plan of %s is empty: %+v", day, p.Storage)
			}
		}
	})
}

func TestPlansAreIndependent(t *testing.T) {
	t.Parallel()
	everyClock(t, func(t *testing.T, now time.Time) {
		day := calendar.DayOf(now) - 1
		s := newPlannedStory(now, 40)
		want := planDay(s, day)
		planDay(s, day-1)
		if got := planDay(s, day); !reflect.DeepEqual(want, got) {
			t.Fatalf("the plan of %s changes after planning the day before:\n%+v\n%+v", day, want, got)
		}
	})
}

func TestWeekendsAreQuiet(t *testing.T) {
	t.Parallel()
	count := map[bool]int{}
	days := map[bool]int{}
	s := newPlannedStory(time.Date(2029, 1, 4, 12, 0, 0, 0, time.UTC), 396)
	for day := s.first; day < calendar.DayOf(s.now); day++ {
		count[isWeekend(day)] += len(s.planAPIRequests(day).Lines)
		days[isWeekend(day)]++
	}
	weekday, weekend := count[false]/days[false], count[true]/days[true]
	if weekend*3 > weekday || weekend == 0 {
		t.Errorf("%d requests on a weekday, %d on a day of a weekend", weekday, weekend)
	}
}
