package calendar_test

import (
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/testclient/scale"
)

// TestSpansOfADay checks the names of the spans by the calendar of package time, and that all days of a span have it.
func TestSpansOfADay(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		day := calendar.Day(rapid.IntRange(0, 40_000).Draw(t, "day"))
		for i, span := range calendar.SpansOf(day) {
			if day < span.First || day > span.Last || calendar.SpansOf(span.First)[i] != span ||
				calendar.SpansOf(span.Last)[i] != span {
				t.Errorf("%s is in %s, %s to %s", day, span.Name, span.First, span.Last)
			}
			if calendar.SpansOf(span.First - 1)[i].Last != span.First-1 {
				t.Errorf("%s does not follow the span before", span.Name)
			}
		}
	})
}

func TestNamesOfSpans(t *testing.T) {
	for text, want := range map[string][5]string{
		"2026-11-21": {"2026", "2026-Q4", "2026-11", "2026-W47", "2026-11-21"},
		"2027-01-01": {"2027", "2027-Q1", "2027-01", "2026-W53", "2027-01-01"},
		"2024-12-30": {"2024", "2024-Q4", "2024-12", "2025-W01", "2024-12-30"},
	} {
		t.Run(text, func(t *testing.T) {
			day, err := calendar.ParseDay(text)
			if err != nil {
				t.Fatal(err)
			}
			for i, span := range calendar.SpansOf(day) {
				if span.Name != want[i] {
					t.Errorf("%s is in %s, want %s", text, span.Name, want[i])
				}
			}
		})
	}
}
