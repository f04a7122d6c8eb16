package mediaopenai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit"
	"portside/shared/testkit/mediatest"
)

// The engine waits for transient failures to end.
func TestTransientFailuresAreRetried(t *testing.T) {
	for name, b := range map[string]mediatest.Behavior{
		"throttled":   {Failures: 3, Status: 429},
		"unavailable": {Failures: 3, Status: 503},
		"overloaded":  {Failures: 3, Status: 529},
		"timed out":   {Failures: 3, Status: 408},
		"dropped":     {Failures: 3, Drop: true},
		"junk once":   {Model: mediatest.InTurn(mediatest.Constant("I would rather not."), mediatest.Honest)},
		"cut once":    {Model: mediatest.InTurn(mediatest.Constant(`{"v1": [{"quote": "Supp`), mediatest.Honest)},
		"other keys":  {Model: mediatest.InTurn(mediatest.Constant(`{"Supplier": "PWNED"}`), mediatest.Honest)},
		"in words":    {Model: mediatest.Rambling},
	} {
		t.Run(name, func(t *testing.T) {
			bench := newBench(t, nil)
			bench.server.SetBehavior(b)
			answer := bench.ask(t, extract(), mediatest.Document(t, invoice))
			if !reflect.DeepEqual(answer.Extracted, mediatest.Invoice()) || len(bench.pauses) != b.Failures {
				t.Errorf("got %v after pauses of %v", answer.Extracted, bench.pauses)
			}
			for i, wait := range bench.pauses {
				if want := 150 * time.Millisecond << i; wait != want {
					t.Errorf("pause %d takes %v, not %v", i, wait, want)
				}
			}
		})
	}
}

// A permanent failure becomes a fault that says whether a retry can succeed.
func TestPermanentFailuresBecomeFaults(t *testing.T) {
	const attempts, twice = 6, 2
	for _, test := range []struct {
		name     string
		b        mediatest.Behavior
		want     error
		requests int
	}{
		{"throttled", mediatest.Behavior{Failures: 99, Status: 429}, mediaprompt.ErrBusy, attempts},
		{"broken", mediatest.Behavior{Failures: 99, Status: 500}, mediaprompt.ErrBusy, attempts},
		{"dropped", mediatest.Behavior{Failures: 99, Drop: true}, mediaprompt.ErrBusy, attempts},
		{"cut off", mediatest.Behavior{CutAfter: 40}, mediaprompt.ErrBusy, attempts},
		{"no quota", mediatest.Behavior{Failures: 99, Status: 429, Code: "insufficient_quota"}, mediaprompt.ErrBusy, 1},
		{"junk", mediatest.Behavior{Model: mediatest.Constant("PWNED")}, mediaprompt.ErrJunk, twice},
		{"empty", mediatest.Behavior{Model: mediatest.Constant("")}, mediaprompt.ErrJunk, twice},
		{"a list", mediatest.Behavior{Model: mediatest.Constant(`["PWNED"]`)}, mediaprompt.ErrJunk, twice},
		{"no object at all", mediatest.Behavior{Body: "PWNED"}, mediaprompt.ErrJunk, twice},
		{"no choices", mediatest.Behavior{Body: `{"choices": []}`}, mediaprompt.ErrJunk, twice},
		{"a page", mediatest.Behavior{Body: "<p>PWNED", ContentType: "text/html"}, mediaprompt.ErrJunk, twice},
		{"huge", mediatest.Behavior{Body: `{"x": "` + strings.Repeat("PWNED", 4<<20)}, mediaprompt.ErrJunk, twice},
		{"long", mediatest.Behavior{Model: paddedAnswer}, mediaprompt.ErrJunk, twice},
		{"other finish", mediatest.Behavior{Stop: "tool_calls"}, mediaprompt.ErrJunk, twice},
		{"refused", mediatest.Behavior{Refusal: "PWNED is nothing to talk about"}, mediaprompt.ErrRefused, 1},
		{"filtered", mediatest.Behavior{Stop: "content_filter"}, mediaprompt.ErrRefused, 1},
		{"filtered before", mediatest.Behavior{Failures: 9, Status: 400, Code: "content_filter"}, mediaprompt.ErrRefused, 1},
		{"too long", mediatest.Behavior{Failures: 9, Status: 400, Code: "context_length_exceeded"}, mediaprompt.ErrTooLong, 1},
		{"truncated", mediatest.Behavior{Stop: "length"}, mediaprompt.ErrTruncated, 3}, // all four, two, one
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, nil)
			b.server.SetBehavior(test.b)
			_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
			if !errors.Is(err, test.want) || !errors.Is(err, fault.As(err)) || fault.As(err).Detail != fault.As(test.want).Detail {
				t.Errorf("got %v", err)
			}
			if b.server.Requests() != test.requests {
				t.Errorf("%d requests", b.server.Requests())
			}
			b.checkSecrets(t, err)
		})
	}
}

// paddedAnswer is a good answer in a response that is too large.
func paddedAnswer(p mediatest.Prompt) string {
	return mediatest.Honest(p) + strings.Repeat(" ", 17<<20)
}

// checkSecrets checks that neither the log nor the error has the key or content.
func (b *bench) checkSecrets(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{b.server.Key, "Nordwind", "PWNED", "Supplier"} {
		if strings.Contains(b.log.String(), secret) || strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%q is in %s or in %v", secret, b.log, err)
		}
	}
}

// A configuration error is internal, so the client sees no details.
func TestConfigurationErrorsAreInternal(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308, 400, 401, 403, 404, 422, 501, 204} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			b := newBench(t, nil)
			b.server.SetBehavior(mediatest.Behavior{Failures: 99, Status: status, Code: "odd code: " + invoice})
			_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
			if err == nil || fault.As(err) != nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || b.server.Requests() != 1 {
				t.Errorf("got %v after %d requests", err, b.server.Requests())
			}
			b.checkSecrets(t, err)
		})
	}
}

//proves:docs/security.md
func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	b := newBench(t, func(o *mediaopenai.Options) { o.BaseURL = server.URL; o.Client = server.Client() })
	if _, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice)); err == nil {
		t.Error("no error")
	}
}

func TestRetryAfterIsHonored(t *testing.T) {
	b := newBench(t, nil)
	b.server.SetBehavior(mediatest.Behavior{Failures: 1, Status: 429, RetryAfter: "7"})
	b.ask(t, extract(), mediatest.Document(t, invoice))
	if len(b.pauses) != 1 || b.pauses[0] != 7*time.Second {
		t.Errorf("pauses of %v", b.pauses)
	}
}

// The engine does not wait beyond the deadline. It returns at once, with the time after which to retry:
// at most an hour, whatever the server asks for.
func TestWaitsEndBeforeDeadline(t *testing.T) {
	for after, retryAfter := range map[string]time.Duration{
		"59": 59 * time.Second, "3600": time.Hour, "99999999999999999999": time.Hour,
	} {
		b := newBench(t, nil)
		b.server.SetBehavior(mediatest.Behavior{Failures: 9, Status: 503, RetryAfter: after})
		b.failsWithin(t, retryAfter)
	}
}

// failsWithin asks with less time than the server asks to wait.
func (b *bench) failsWithin(t *testing.T, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	_, err := b.service.AnswerTexts(ctx, extract(), mediatest.Document(t, invoice))
	busy, ok := errors.AsType[*mediaprompt.Busy](err)
	if !ok || busy.After != after || fault.KindOf(err) != fault.Unavailable || len(b.pauses) > 0 {
		t.Errorf("got %v after pauses of %v", err, b.pauses)
	}
}

func TestSlowServerEndsWithContext(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(context.Context) (context.Context, context.CancelFunc)
		want fault.Kind
	}{
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Millisecond)
		}, fault.Unavailable},
		"client gone": {context.WithCancel, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			ctx, cancel := test.end(t.Context())
			defer cancel()
			b.server.SetBehavior(mediatest.Behavior{Hang: func() {
				if test.want == fault.Internal {
					cancel()
				}
			}})
			_, err := b.service.AnswerTexts(ctx, extract(), mediatest.Document(t, invoice))
			if err == nil || fault.KindOf(err) != test.want || !errors.Is(err, ctx.Err()) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The engine learns from a server's first refusal that it does not support a feature.
func TestServersWithFewerFeatures(t *testing.T) {
	for name, test := range map[string]struct {
		without []string
		refused int
	}{
		"no schemas":            {[]string{"json_schema"}, 1},
		"no formats":            {[]string{"json_schema", "json_object"}, 2},
		"newer name of a limit": {[]string{"max_tokens"}, 1},
		"no temperature":        {[]string{"temperature"}, 1},
		"nothing":               {[]string{"json_schema", "json_object", "max_tokens", "temperature"}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.server.SetBehavior(mediatest.Behavior{Unsupported: test.without, Model: mediatest.Rambling})
			for range 2 {
				answer := b.ask(t, extract(), mediatest.Document(t, invoice))
				if !reflect.DeepEqual(answer.Extracted, mediatest.Invoice()) {
					t.Errorf("got %v", answer.Extracted)
				}
			}
			if got := b.server.Requests(); got != test.refused+2 {
				t.Errorf("%d requests", got)
			}
		})
	}
}

//proves:docs/security.md
func TestEveryCallIsLoggedWithoutContent(t *testing.T) {
	b := newBench(t, nil)
	b.server.SetBehavior(mediatest.Behavior{Failures: 1, Status: 429})
	b.ask(t, extract(), mediatest.Document(t, invoice))
	lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if _, timed := line["ms"].(float64); !timed {
		t.Errorf("no ms: %v", line)
	}
	for _, changing := range []string{"ms", "time", "level", "msg"} {
		delete(line, changing)
	}
	want := map[string]any{"engine": "openai", "model": b.server.Model, "endpoint": "completions", "inputTokens": 321.0,
		"outputTokens": 45.0, "status": 200.0, "attempt": 2.0}
	if !reflect.DeepEqual(line, want) {
		t.Errorf("got %v", line)
	}
	b.checkSecrets(t, nil)
}

// lostKey is a key that cannot be read.
type lostKey struct{}

func (lostKey) Get(context.Context) (string, error) { return "", errors.New("no answer") }

// TestUnusableKeys sends no request with a key that cannot stand in a header or cannot be read, and no error contains a key.
func TestUnusableKeys(t *testing.T) {
	for name, test := range map[string]struct {
		key  mediaopenai.KeySource
		busy bool
	}{
		"a line break": {testkit.Secret("hush\n"), false}, "a space": {testkit.Secret("hush hush"), false}, "lost": {lostKey{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(o *mediaopenai.Options) { o.Key = test.key })
			_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
			if err == nil || strings.Contains(err.Error(), "hush") || errors.Is(err, mediaprompt.ErrBusy) != test.busy || b.server.Requests() > 0 {
				t.Errorf("%d requests, %v", b.server.Requests(), err)
			}
		})
	}
}

func TestOptionsAreValidated(t *testing.T) {
	for _, o := range []mediaopenai.Options{
		{BaseURL: "", Model: "m"},
		{BaseURL: "api.example.com/v1", Model: "m"},
		{BaseURL: "file:///etc/passwd", Model: "m"},
		{BaseURL: "https://hush@api.example.com/v1", Model: "m"},
		{BaseURL: "https://api.example.com/v1?key=hush", Model: "m"},
		{BaseURL: "https://hush\x7f", Model: "m"},
		{BaseURL: "https://api.example.com/v1"},
	} {
		t.Run(o.BaseURL+" "+o.Model, func(t *testing.T) {
			_, err := mediaopenai.New(o)
			if _, again := mediaopenai.NewTranscriber(o); err == nil || again == nil || strings.Contains(err.Error(), "hush") {
				t.Error(err)
			}
		})
	}
}
