package analytics

import "portside/shared/core/calendar"

// uptime returns 100 minus the mean error rate, in percent, over all hours of the period that have
// started. An hour without requests has an error rate of 0.
func (d dailyData) uptime(p Period) float64 {
	errorRates, hours := 0.0, 0
	for day := p.First; day <= p.Last; day++ {
		started := d.startedHours(day)
		hours += started
		if stats := d.requests[day]; stats != nil {
			errorRates += stats.sumErrorRates(started)
		}
	}
	if hours == 0 {
		return 100
	}
	return round(100-100*errorRates/float64(hours), 3)
}

// startedHours returns how many hours of the day have started.
func (d dailyData) startedHours(day calendar.Day) int {
	switch today := calendar.DayOf(d.now); {
	case day < today:
		return 24
	case day > today:
		return 0
	}
	return d.now.UTC().Hour() + 1
}

// sumErrorRates adds up the error rates of the first hours of a day.
func (r *RequestStats) sumErrorRates(hours int) float64 {
	sum := 0.0
	for hour, calls := range r.HourCalls[:hours] {
		if calls > 0 {
			sum += float64(r.HourErrors[hour]) / float64(calls)
		}
	}
	return sum
}
