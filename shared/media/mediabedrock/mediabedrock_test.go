package mediabedrock_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"portside/documents/answers"
	"portside/documents/differences"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediabedrock"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit/mediatest"
)

// bench has a model server, a service that uses it, and the service's log.
type bench struct {
	server  *mediatest.Bedrock
	config  aws.Config
	options mediabedrock.Options
	service *media.Service
	log     *bytes.Buffer
	mu      sync.Mutex
	pauses  []time.Duration
}

func newBench(tb testing.TB, b mediatest.Behavior) *bench {
	tb.Helper()
	return newBenchAs(tb, b, credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "hush", ""))
}

func newBenchAs(tb testing.TB, b mediatest.Behavior, who aws.CredentialsProvider) *bench {
	tb.Helper()
	bench := &bench{server: mediatest.StartBedrock(tb), log: &bytes.Buffer{}}
	bench.server.SetBehavior(b)
	bench.config = aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(bench.server.URL), Credentials: who, HTTPClient: http.DefaultClient,
	}
	bench.options = mediabedrock.Options{
		Model: bench.server.Model, CallLog: mediaprompt.CallLog{Out: slog.New(slog.NewJSONHandler(bench.log, nil))},
		Retrier: mediaprompt.Retrier{Pause: bench.pause, Draw: func(below time.Duration) time.Duration { return below / 2 }},
	}
	bench.service = media.NewService(media.Parts{Engine: mediabedrock.New(bench.config, bench.options)})
	return bench
}

// pause records a wait instead of waiting.
func (b *bench) pause(ctx context.Context, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauses = append(b.pauses, wait)
	return ctx.Err()
}

func extract() media.Question {
	return media.Question{Task: media.Extract, Variables: mediatest.InvoiceVariables()}
}

const invoice = "Invoice 7\n\fSupplier: Nordwind Papier GmbH\nTotal\t1.234,50 EUR\nDue:  5 March 2026\nPaid: no\n"

func TestExtract(t *testing.T) {
	for name, b := range map[string]mediatest.Behavior{
		"at once":        {},
		"throttled":      {Failures: 3, Status: 429, Code: "ThrottlingException"},
		"model cold":     {Failures: 3, Status: 429, Code: "ModelNotReadyException"},
		"unavailable":    {Failures: 3, Status: 503, Code: "ServiceUnavailableException"},
		"broken":         {Failures: 3, Status: 500, Code: "InternalServerException"},
		"timed out":      {Failures: 3, Status: 408, Code: "ModelTimeoutException"},
		"model failed":   {Failures: 3, Status: 424, Code: "ModelErrorException"},
		"dropped":        {Failures: 3, Drop: true},
		"in words":       {Model: mediatest.Rambling},
		"junk once":      {Model: mediatest.InTurn(mediatest.Constant("I would rather not."), mediatest.Honest)},
		"no temperature": {Unsupported: []string{"temperature"}},
		"not strict":     {Unsupported: []string{"strict", "temperature"}},
	} {
		t.Run(name, func(t *testing.T) {
			bench := newBench(t, b)
			answer, err := bench.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
			if err != nil || !reflect.DeepEqual(answer.Extracted, mediatest.Invoice()) || len(bench.pauses) != b.Failures {
				t.Errorf("got %v, %v after pauses of %v", answer.Extracted, err, bench.pauses)
			}
		})
	}
}

func TestSummarizeAndCompare(t *testing.T) {
	b := newBench(t, mediatest.Behavior{})
	d := mediatest.Document(t, invoice)
	answer, err := b.service.AnswerTexts(t.Context(), media.Question{Task: media.Summarize, Shape: answers.AsBullets}, d)
	if err != nil || answer.Summary != "- Invoice 7\n- Supplier: Nordwind Papier GmbH\n- Total 1.234,50 EUR" {
		t.Errorf("got %q, %v", answer.Summary, err)
	}
	q := extract()
	q.Task = media.Compare
	answer, err = b.service.AnswerTexts(t.Context(), q, d, d)
	want := media.Compared{
		Data: "1234.50", DataToCompare: "1234.50", Comparison: "the same", Difference: media.Difference{Relation: differences.Equal},
	}
	if err != nil || !reflect.DeepEqual(answer.Extracted["Total"], want) {
		t.Errorf("got %v, %v", answer.Extracted, err)
	}
}

func TestOrdersInDocumentsAreIgnored(t *testing.T) {
	for name, document := range mediatest.Attacks(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := newBench(t, mediatest.Behavior{}).service.AnswerTexts(t.Context(), extract(), document)
			if err != nil || !reflect.DeepEqual(answer.Extracted, mediatest.Invoice()) {
				t.Errorf("got %v, %v", answer.Extracted, err)
			}
			for _, lies := range []mediatest.Model{mediatest.Obedient, mediatest.WrongTypes, mediatest.Hallucinating, mediatest.Misquoting} {
				answer, err := newBench(t, mediatest.Behavior{Model: lies}).service.AnswerTexts(t.Context(), extract(), document)
				for name, value := range answer.Extracted {
					if value != (answers.Value{}) && value != mediatest.Invoice()[name] || err != nil {
						t.Errorf("%s is %v, %v", name, value, err)
					}
				}
			}
		})
	}
}

func TestPermanentFailuresBecomeFaults(t *testing.T) {
	const attempts, twice = 6, 2
	for _, test := range []struct {
		name     string
		b        mediatest.Behavior
		want     error
		requests int
	}{
		{"throttled", mediatest.Behavior{Failures: 99, Status: 429, Code: "ThrottlingException"}, mediaprompt.ErrBusy, attempts},
		{"dropped", mediatest.Behavior{Failures: 99, Drop: true}, mediaprompt.ErrBusy, attempts},
		{"cut off", mediatest.Behavior{CutAfter: 40}, mediaprompt.ErrBusy, attempts},
		{"quota", mediatest.Behavior{Failures: 99, Status: 400, Code: "ServiceQuotaExceededException"}, mediaprompt.ErrBusy, 1},
		{"junk", mediatest.Behavior{Model: mediatest.Constant("PWNED")}, mediaprompt.ErrJunk, twice},
		{"no JSON", mediatest.Behavior{Body: "PWNED"}, mediaprompt.ErrJunk, twice},
		{"no output", mediatest.Behavior{Body: `{"stopReason": "tool_use"}`}, mediaprompt.ErrJunk, twice},
		{"malformed", mediatest.Behavior{Stop: "malformed_tool_use"}, mediaprompt.ErrJunk, twice},
		{"guarded", mediatest.Behavior{Stop: "guardrail_intervened"}, mediaprompt.ErrRefused, 1},
		{"filtered", mediatest.Behavior{Stop: "content_filtered"}, mediaprompt.ErrRefused, 1},
		{"too long", mediatest.Behavior{Stop: "model_context_window_exceeded"}, mediaprompt.ErrTooLong, 1},
		{"truncated", mediatest.Behavior{Stop: "max_tokens"}, mediaprompt.ErrTruncated, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, test.b)
			_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
			if !errors.Is(err, test.want) || fault.As(err).Detail != fault.As(test.want).Detail || b.server.Requests() != test.requests {
				t.Errorf("got %v after %d requests", err, b.server.Requests())
			}
			b.checkSecrets(t, err)
		})
	}
}

// checkSecrets checks that neither the log nor the error has secrets or content.
func (b *bench) checkSecrets(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{"hush", "Nordwind", "PWNED", "Supplier"} {
		if strings.Contains(b.log.String(), secret) || strings.Contains(fmt.Sprint(err), secret) {
			t.Errorf("%q is in %s or in %v", secret, b.log, err)
		}
	}
}

// A configuration error is internal, so the client sees no details.
func TestConfigurationErrorsAreInternal(t *testing.T) {
	for status, code := range map[int]string{400: "ValidationException", 403: "AccessDeniedException", 404: "ResourceNotFoundException"} {
		b := newBench(t, mediatest.Behavior{Failures: 9, Status: status, Code: code})
		_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
		if err == nil || fault.As(err) != nil || !strings.Contains(err.Error(), code) || b.server.Requests() != 1 {
			t.Errorf("got %v", err)
		}
		b.checkSecrets(t, err)
	}
	none := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("none to be had")
	})
	b := newBenchAs(t, mediatest.Behavior{}, none)
	_, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice))
	if err == nil || fault.As(err) != nil || !strings.Contains(err.Error(), "none to be had") || b.server.Requests() != 0 {
		t.Errorf("got %v", err)
	}
}

func TestWaitsEndBeforeDeadline(t *testing.T) {
	b := newBench(t, mediatest.Behavior{Failures: 9, Status: 503, Code: "ServiceUnavailableException", RetryAfter: "3600"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := b.service.AnswerTexts(ctx, extract(), mediatest.Document(t, invoice))
	if busy, ok := errors.AsType[*mediaprompt.Busy](err); !ok || busy.After != time.Hour || len(b.pauses) > 0 {
		t.Errorf("got %v after pauses of %v", err, b.pauses)
	}
	b.server.SetBehavior(mediatest.Behavior{Hang: func() {}})
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if _, err := b.service.AnswerTexts(short, extract(), mediatest.Document(t, invoice)); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	b.server.SetBehavior(mediatest.Behavior{Hang: leave})
	if _, err := b.service.AnswerTexts(gone, extract(), mediatest.Document(t, invoice)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

//proves:docs/security.md
func TestEveryCallIsLoggedWithoutContent(t *testing.T) {
	b := newBench(t, mediatest.Behavior{Failures: 1, Status: 429, Code: "ThrottlingException"})
	if _, err := b.service.AnswerTexts(t.Context(), extract(), mediatest.Document(t, invoice)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.log.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil || len(lines) != 2 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, changing := range []string{"ms", "time", "level", "msg"} {
		delete(line, changing)
	}
	want := map[string]any{"engine": "bedrock", "model": b.server.Model, "endpoint": "converse", "inputTokens": 321.0,
		"outputTokens": 45.0, "status": 200.0, "attempt": 2.0}
	if !reflect.DeepEqual(line, want) {
		t.Errorf("got %v", line)
	}
	b.checkSecrets(t, nil)
}
