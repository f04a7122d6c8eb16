package logs_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
)

func TestLinesRoundTrip(t *testing.T) {
	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	want := []logs.Line{
		{ID: "1", LoggedAt: midnight},
		{ID: "2", LoggedAt: midnight, Request: &analytics.Request{At: midnight.Add(-time.Second), Status: 503, LatencyMillis: -1, IsMediaCall: true, Task: "extract"}},
		{ID: "3\n", LoggedAt: midnight.Add(time.Millisecond), Request: &analytics.Request{At: midnight, LatencyMillis: 0}},
		{ID: "4", LoggedAt: midnight.Add(time.Minute), Call: &logs.ModelCall{At: midnight, ModelUsage: analytics.ModelUsage{Calls: 1, MicroUSD: 1}}},
		{ID: "5", LoggedAt: midnight.Add(time.Minute), Call: &logs.ModelCall{At: midnight, ModelUsage: analytics.ModelUsage{
			Calls: 1, InputTokens: 1e12, OutputTokens: 2,
		}}},
	}
	data, err := logs.EncodeLines(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := logs.DecodeLines(data)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	for _, damaged := range [][]byte{nil, []byte("text"), data[:len(data)/2]} {
		t.Run(fmt.Sprintf("%d bytes", len(damaged)), func(t *testing.T) {
			if lines, err := logs.DecodeLines(damaged); !errors.Is(err, logs.ErrDamaged) {
				t.Errorf("%d lines, %v", len(lines), err)
			}
		})
	}
}
