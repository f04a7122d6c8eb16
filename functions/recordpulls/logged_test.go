package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"portside/shared/pulls"
	"portside/shared/testkit"
)

// TestPullsWithImpossibleTimesAreSkipped checks pulls that would be stored under impossible days.
func TestPullsWithImpossibleTimesAreSkipped(t *testing.T) {
	logged := midnight.Add(9 * time.Hour)
	for name, c := range map[string]struct {
		at       time.Time
		recorded int
		level    string
	}{
		"as it is logged": {logged, 1, "INFO"},
		"a fast clock":    {logged.Add(5 * time.Minute), 1, "INFO"},
		"the future":      {logged.Add(5*time.Minute + time.Millisecond), 0, "WARN"},
		"far future":      {time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), 0, "WARN"},
		"a day before":    {logged.Add(-24 * time.Hour), 1, "INFO"},
		"long before":     {logged.Add(-24*time.Hour - time.Millisecond), 0, "WARN"},
	} {
		store, out := newStore(t), testkit.CaptureLogs(t)
		line := fmt.Sprintf(`{"id":"1","timestamp":%d,"message":"{\"msg\":\"pull\",\"pull\":{\"at\":\"%s\",\"kind\":\"chart\",`+
			`\"repository\":\"p\",\"reference\":\"1\",\"credential\":\"a\",\"owner\":\"b\"}}"}`, logged.UnixMilli(), c.at.Format(pulls.Stamp))
		if err := record(store)(t.Context(), compress(t, []byte(`{"messageType":"DATA_MESSAGE","logEvents":[`+line+`]}`))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		counted := fmt.Sprintf(`"level":%q,"msg":"pulls","lines":1,"recorded":%d,"broken":%d`, c.level, c.recorded, 1-c.recorded)
		if logged := out.String(); !strings.Contains(logged, counted) {
			t.Errorf("%s: the function logged %s", name, logged)
		}
	}
}
