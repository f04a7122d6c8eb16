package schedule_test

import (
	"testing"
	"time"

	"portside/local/schedule"
)

// TestSchedulesOn400Days walks over the days and compares with what the calendar says of each.
func TestSchedulesOn400Days(t *testing.T) {
	for expression, isDue := range map[string]func(day time.Time) bool{
		"cron(30 6 * * ? *)":       func(time.Time) bool { return true },
		"cron(30 6 ? * MON-FRI *)": func(day time.Time) bool { return (day.Weekday()+6)%7 < 5 },
		"cron(30 6 L * ? *)":       func(day time.Time) bool { return day.AddDate(0, 0, 1).Day() == 1 },
		"cron(30 6 1 1,7 ? *)":     func(day time.Time) bool { return day.YearDay() == 1 || day.Month() == 7 && day.Day() == 1 },
		"cron(30 6 29 2 ? *)":      func(day time.Time) bool { return day.Month() == 2 && day.Day() == 29 },
	} {
		t.Run(expression, func(t *testing.T) {
			e, err := schedule.Parse(expression)
			if err != nil {
				t.Fatal(err)
			}
			first := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
			next, _ := e.Next(first)
			for n := range 400 {
				day := first.AddDate(0, 0, n)
				due := day.Add(6*time.Hour + 30*time.Minute)
				if isDue(day) != next.Equal(due) {
					t.Fatalf("%s: after %s it is due at %s", expression, day.Format(time.DateOnly), next)
				}
				if next.Equal(due) {
					next, _ = e.Next(due)
				}
			}
		})
	}
}
