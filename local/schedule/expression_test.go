package schedule_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"portside/local/schedule"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	parsed, err := time.Parse("2006-01-02 15:04:05 Mon", s)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestNext(t *testing.T) {
	for _, test := range []struct {
		expression, after string
		due               []string
	}{
		{"rate(1 minute)", "2026-11-21 08:00:30 Sat", []string{"2026-11-21 08:01:30 Sat", "2026-11-21 08:02:30 Sat"}},
		{"rate(2 days)", "2026-11-21 08:00:30 Sat", []string{"2026-11-23 08:00:30 Mon"}},
		{"cron(0 12 * * ? *)", "2026-11-21 12:00:00 Sat", []string{"2026-11-22 12:00:00 Sun"}},
		{"cron(0 12 * * ? *)", "2026-11-21 11:59:59 Sat", []string{"2026-11-21 12:00:00 Sat"}},
		{"cron(15 10 ? * 6L 2026-2027)", "2026-11-01 00:00:00 Sun", []string{"2026-11-27 10:15:00 Fri", "2026-12-25 10:15:00 Fri", "2027-01-29 10:15:00 Fri"}},
		{"cron(0 8 1 * ? *)", "2026-12-01 08:00:00 Tue", []string{"2027-01-01 08:00:00 Fri"}},
		{"cron(0/10 * ? * MON-FRI *)", "2026-11-20 23:45:00 Fri", []string{"2026-11-20 23:50:00 Fri", "2026-11-23 00:00:00 Mon"}},
		{"cron(*/25 6 ? * SUN,3 *)", "2026-11-21 00:00:00 Sat", []string{"2026-11-22 06:00:00 Sun", "2026-11-22 06:25:00 Sun", "2026-11-22 06:50:00 Sun", "2026-11-24 06:00:00 Tue"}},
		{"cron(1-30/10,59 0 1 jan ? *)", "2026-11-21 00:00:00 Sat", []string{"2027-01-01 00:01:00 Fri", "2027-01-01 00:11:00 Fri", "2027-01-01 00:21:00 Fri", "2027-01-01 00:59:00 Fri"}},
		{"cron(0 0 L * ? *)", "2027-02-01 00:00:00 Mon", []string{"2027-02-28 00:00:00 Sun", "2027-03-31 00:00:00 Wed"}},
		{"cron(0 0 29 2 ? *)", "2026-11-21 00:00:00 Sat", []string{"2028-02-29 00:00:00 Tue", "2032-02-29 00:00:00 Sun"}},
		{"cron(0 0 LW * ? *)", "2026-10-31 00:00:00 Sat", []string{"2026-11-30 00:00:00 Mon", "2026-12-31 00:00:00 Thu", "2027-01-29 00:00:00 Fri"}},
		{"cron(0 0 1W * ? *)", "2026-07-02 00:00:00 Thu", []string{"2026-08-03 00:00:00 Mon", "2026-09-01 00:00:00 Tue"}},
		{"cron(0 0 15W * ? *)", "2026-11-01 00:00:00 Sun", []string{"2026-11-16 00:00:00 Mon", "2026-12-15 00:00:00 Tue"}},
		{"cron(0 0 31W * ? *)", "2026-01-01 00:00:00 Thu", []string{"2026-01-30 00:00:00 Fri", "2026-03-31 00:00:00 Tue", "2026-05-29 00:00:00 Fri"}},
		{"cron(0 0 ? * 3#2 *)", "2026-11-21 00:00:00 Sat", []string{"2026-12-08 00:00:00 Tue"}},
		{"cron(0 0 ? * 3#2 *)", "2026-07-01 00:00:00 Wed", []string{"2026-07-14 00:00:00 Tue"}},
		{"cron(0 0 29W 2 ? *)", "2025-01-01 00:00:00 Wed", []string{"2028-02-29 00:00:00 Tue"}},
		{"cron(0 0 1 1 ? 2028,2027)", "2026-07-01 00:00:00 Wed", []string{"2027-01-01 00:00:00 Fri", "2028-01-01 00:00:00 Sat"}},
		{"cron(0 0 ? * WED#5 *)", "2026-11-21 00:00:00 Sat", []string{"2026-12-30 00:00:00 Wed"}},
		{"cron(0 0 ? * L *)", "2026-11-21 00:00:00 Sat", []string{"2026-11-28 00:00:00 Sat"}},
		{"cron(0 0 10,20 * ? *)", "2026-11-15 00:00:00 Sun", []string{"2026-11-20 00:00:00 Fri", "2026-12-10 00:00:00 Thu"}},
		{"cron(30 5 * * ? 2030/2)", "2026-11-21 00:00:00 Sat", []string{"2030-01-01 05:30:00 Tue"}},
	} {
		t.Run(test.expression+" after "+test.after, func(t *testing.T) {
			e, err := schedule.Parse(test.expression)
			if err != nil {
				t.Error(err)
				return
			}
			from := at(t, test.after)
			for _, want := range test.due {
				due, ok := e.Next(from)
				if !ok || !due.Equal(at(t, want)) {
					t.Errorf("%s after %v: %v, want %s", test.expression, from, due, want)
				}
				from = due
			}
		})
	}
}

func TestNextReturnsFalseIfNeverDue(t *testing.T) {
	for _, expression := range []string{"cron(0 0 1 1 ? 2020)", "cron(0 0 30 2 ? *)"} {
		e, err := schedule.Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if due, ok := e.Next(at(t, "2026-11-21 00:00:00 Sat")); ok {
			t.Errorf("%s is due at %v", expression, due)
		}
	}
}

func TestNextIsUTC(t *testing.T) {
	e, err := schedule.Parse("cron(0 12 * * ? *)")
	if err != nil {
		t.Fatal(err)
	}
	there := time.FixedZone("there", 5*3600)
	due, _ := e.Next(time.Date(2026, 11, 21, 16, 30, 0, 0, there))
	if want := at(t, "2026-11-21 12:00:00 Sat"); due != want {
		t.Errorf("due %v, want %v", due, want)
	}
}

func TestParseRejectsInvalidExpressions(t *testing.T) {
	for _, expression := range []string{
		"", "rate", "rate(5 minutes", "every(5 minutes)", "at(2026-01-01T00:00:00)",
		"rate(1 minutes)", "rate(5 minute)", "rate(0 minutes)", "rate(-1 minutes)", "rate(1.5 hours)", "rate(5 weeks)", "rate(5 minutess)", "rate(9999999 days)", "rate(minutes)",
		"cron(* * * * *)", "cron(0 0 * * * *)", "cron(0 0 ? * ? *)", "cron(60 0 * * ? *)", "cron(0 24 * * ? *)", "cron(0 0 0 * ? *)",
		"cron(0 0 32 * ? *)", "cron(0 0 * 13 ? *)", "cron(0 0 ? * 8 *)", "cron(0 0 ? * 0 *)", "cron(0 0 ? * MOND *)", "cron(0 0 * * ? 1969)", "cron(0 0 * * ? 2200)",
		"cron(5-1 0 * * ? *)", "cron(0/0 0 * * ? *)", "cron(0/x 0 * * ? *)", "cron(0,, 0 * * ? *)", "cron(? 0 * * ? *)", "cron(0 0 32W * ? *)", "cron(0 0 W * ? *)",
		"cron(0 0 ? * 3#6 *)", "cron(0 0 ? * 3# *)", "cron(0 0 ? * 9L *)", "cron(-1 0 * * ? *)", "cron(+1 0 * * ? *)",
	} {
		if _, err := schedule.Parse(expression); err == nil {
			t.Errorf("%q is accepted", expression)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: not one line: %v", expression, err)
		}
	}
}

// fields are parts of random cron expressions.
var fields = [6][]string{
	{"*", "0", "*/7", "5-20/3", "59,0"},
	{"*", "3", "0/6", "22-23"},
	{"*", "1", "28-31", "L", "15W", "LW", "*/10"},
	{"*", "2", "JAN-MAR", "*/5"},
	{"MON-FRI", "1", "7,3", "L", "2L", "SAT#3"},
	{"*", "2027", "2026/3"},
}

func randomExpression(r *rand.Rand) string {
	var chosen [6]string
	for i, options := range fields {
		chosen[i] = options[r.IntN(len(options))]
	}
	chosen[[2]int{2, 4}[r.IntN(2)]] = "?"
	return "cron(" + strings.Join(chosen[:], " ") + ")"
}

// For random expressions, Next returns a later time, and it returns the same time from any point in
// between. So it neither skips nor repeats a time.
func TestNextIsFirstDueTime(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	epoch := at(t, "2026-01-01 00:00:00 Thu")
	for range 2000 {
		expression := randomExpression(r)
		e, err := schedule.Parse(expression)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		after := epoch.Add(time.Duration(r.Int64N(int64(4 * 365 * 24 * time.Hour))))
		due, ok := e.Next(after)
		if !ok {
			continue
		}
		if !due.After(after) || due.Second() != 0 || due.Nanosecond() != 0 {
			t.Fatalf("%s after %v is due at %v", expression, after, due)
		}
		between := after.Add(time.Duration(r.Int64N(int64(due.Sub(after)))))
		for _, from := range []time.Time{between, due.Add(-1)} {
			if again, _ := e.Next(from); !again.Equal(due) {
				t.Fatalf("%s: due at %v after %v, but at %v after %v", expression, due, after, again, from)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"rate(5 minutes)", "cron(0/10 * ? * MON-FRI *)", "cron(0 0 LW * ? 2026-2030/2)",
		"cron(0 0 ? * 3#2 *)"} {
		f.Add(seed, int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, expression string, seconds int64) {
		e, err := schedule.Parse(expression)
		if err != nil {
			return
		}
		after := time.Unix(seconds%(1<<33), 0)
		if due, ok := e.Next(after); ok && !due.After(after) {
			t.Fatalf("%q is due at %v, not after %v", expression, due, after)
		}
	})
}
