package mediaprompt_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"portside/shared/media/mediaprompt"
)

func price(tb testing.TB, text string) mediaprompt.Price {
	tb.Helper()
	p, err := mediaprompt.ParsePrice(text)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// logLine returns the log line of a call.
func logLine(tb testing.TB, prices mediaprompt.Prices, call mediaprompt.Call) map[string]any {
	tb.Helper()
	var out bytes.Buffer
	calls := mediaprompt.CallLog{Out: slog.New(slog.NewJSONHandler(&out, nil)), Prices: prices}
	calls.Record(tb.Context(), call)
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		tb.Fatal(err)
	}
	return line
}

// Subscriptions to the log depend on the keys of these lines.
func TestCallLogLine(t *testing.T) {
	began := time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC)
	call := mediaprompt.Call{
		Engine: "bedrock", Model: "m", Endpoint: "converse", StartedAt: began, Status: 200, Attempt: 2, InputTokens: 7, OutputTokens: 3,
	}
	line := logLine(t, mediaprompt.Prices{}, call)
	want := []string{"attempt", "endpoint", "engine", "inputTokens", "level", "model", "ms", "msg", "outputTokens", "status", "time"}
	if got := slices.Sorted(maps.Keys(line)); !slices.Equal(got, want) || line["msg"] != "model call" || line["level"] != "INFO" {
		t.Errorf("got %v", line)
	}
	line = logLine(t, mediaprompt.Prices{Minute: price(t, "0.006")}, mediaprompt.Call{Audio: 1500 * time.Millisecond, StartedAt: began})
	if line["audioSeconds"] != 1.5 || line["microUSD"] != 150.0 {
		t.Errorf("got %v", line)
	}
}

func TestCallLogCosts(t *testing.T) {
	known := mediaprompt.Prices{Input: price(t, "0.15"), Output: price(t, "0.6"), Minute: price(t, "0.006")}
	dear := mediaprompt.Prices{Input: price(t, "9999.999999"), Output: price(t, "9999.999999"), Minute: price(t, "9999.999999")}
	free := mediaprompt.Prices{Input: price(t, "0"), Output: price(t, "0.0")}
	for _, test := range []struct {
		name   string
		prices mediaprompt.Prices
		call   mediaprompt.Call
		want   any // nil: not known
	}{
		{"exact", known, mediaprompt.Call{InputTokens: 1_000_000, OutputTokens: 1_000_000}, 750_000.0},
		{"rounded up", known, mediaprompt.Call{InputTokens: 1}, 1.0},
		{"rounded up once", known, mediaprompt.Call{InputTokens: 1, OutputTokens: 1}, 1.0},
		{"no usage", known, mediaprompt.Call{}, nil},
		{"negative usage", known, mediaprompt.Call{InputTokens: -5, OutputTokens: -1}, nil},
		{"one negative count", known, mediaprompt.Call{InputTokens: -5, OutputTokens: 10}, 6.0},
		{"free", free, mediaprompt.Call{InputTokens: 5}, 0.0},
		{"one price", mediaprompt.Prices{Input: price(t, "1")}, mediaprompt.Call{InputTokens: 5}, nil},
		{"no price", mediaprompt.Prices{Input: price(t, "")}, mediaprompt.Call{InputTokens: 5, OutputTokens: 1}, nil},
		{"a minute", known, mediaprompt.Call{Audio: time.Minute}, 6_000.0},
		{"a moment", known, mediaprompt.Call{Audio: time.Millisecond}, 1.0},
		{"a minute without price", mediaprompt.Prices{}, mediaprompt.Call{Audio: time.Minute}, nil},
		{"no overflow", dear, mediaprompt.Call{InputTokens: math.MaxInt, OutputTokens: math.MaxInt}, 2 * 9999.999999 * 1e8},
		{"no overflow of time", dear, mediaprompt.Call{Audio: math.MaxInt64}, 9999999999.0 * 6_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := logLine(t, test.prices, test.call)["microUSD"]; got != test.want {
				t.Errorf("%s: %v", test.name, got)
			}
		})
	}
}

func TestParsePriceRejectsOtherTexts(t *testing.T) {
	for _, text := range []string{
		"-1", "+1", "1,5", "1e3", ".5", "5.", "1.2.3", "12345", "0.1234567", "0x10", "NaN", " 1", "1 ", "1_000", "½", "$1", "1/3",
	} {
		if p, err := mediaprompt.ParsePrice(text); err == nil || p != (mediaprompt.Price{}) {
			t.Errorf("%q is taken", text)
		}
	}
}
