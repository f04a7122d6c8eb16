package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/core/principal"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/testkit"
	"portside/shared/testkit/mediatest"
	"portside/shared/testkit/webtest"
)

const (
	bill          = "Supplier: Nordwind Papier GmbH\nTotal: 1.234,50 EUR\nDue: 5 March 2026\nPaid: no\n"
	billVariables = `{"variables":{"Supplier":{"type":"string"},"Total":{"type":"number"},"Due":{"type":"date"},"Paid":{"type":"boolean"}}}`
	wave          = "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"
)

// modelServer is a server of models that a test controls.
type modelServer interface {
	SetBehavior(b mediatest.Behavior)
	Requests() int
}

// forEachEngine runs the test with each engine that calls a model.
func forEachEngine(t *testing.T, test func(t *testing.T, a *testAPI, server modelServer)) {
	t.Run("openai", func(t *testing.T) {
		server, settings := openAI(t)
		test(t, newTestAPIWith(t, settings), server)
	})
	t.Run("bedrock", func(t *testing.T) {
		server := mediatest.StartBedrock(t)
		keys := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "hush"}, nil
		})
		settings := mediaengines.Settings{Engine: mediaengines.Bedrock, Model: server.Model, AWS: aws.Config{
			Region: "us-east-1", BaseEndpoint: aws.String(server.URL), Credentials: keys, HTTPClient: http.DefaultClient,
		}}
		test(t, newTestAPIWith(t, settings), server)
	})
}

// openAI starts a server and returns it with the settings to use it.
func openAI(tb testing.TB) (*mediatest.OpenAI, mediaengines.Settings) {
	tb.Helper()
	server := mediatest.StartOpenAI(tb)
	return server, mediaengines.Settings{
		Engine: mediaengines.OpenAI, Model: server.Model, TranscriptionModel: server.Model,
		ModelURL: server.URL, ModelKey: testkit.Secret(server.Key),
	}
}

func TestModelAnswersOnce(t *testing.T) {
	forEachEngine(t, func(t *testing.T, a *testAPI, server modelServer) {
		c, calls := a.client(), 0
		for range 2 { // the second answer comes from the cache
			answer := postForm(t, c, extractPath+"?include=evidence", "@file", bill, "model", billVariables).
				WantStatus(http.StatusOK)
			answer.WantValue("extracted_data", map[string]any{
				"Supplier": "Nordwind Papier GmbH", "Total": 1234.5, "Due": "2026-03-05", "Paid": false,
			})
			if quote := answer.Text("evidence.Supplier.0.quote"); !strings.Contains(bill, quote) {
				t.Errorf("the quote is %q", quote)
			}
			if calls == 0 {
				calls = server.Requests()
			}
		}
		if calls == 0 || server.Requests() != calls {
			t.Errorf("%d calls for the first answer, %d for both", calls, server.Requests())
		}
	})
}

//proves:docs/security.md
func TestHallucinatedValuesAreNotFound(t *testing.T) {
	forEachEngine(t, func(t *testing.T, a *testAPI, server modelServer) {
		server.SetBehavior(mediatest.Behavior{Model: mediatest.Hallucinating})
		answer := postForm(t, a.client(), extractPath+"?include=evidence", "@file", bill, "model", billVariables).
			WantStatus(http.StatusOK)
		answer.WantValue("extracted_data", map[string]any{"Supplier": nil, "Total": nil, "Due": nil, "Paid": nil}).
			WantValue("evidence", map[string]any{})
	})
}

// If the model is throttled for longer than the request may take, the client does not wait, but
// learns when to try again.
func TestThrottledModelIsUnavailable(t *testing.T) {
	for after, retryAfter := range map[string]string{"40": "40", "300": "60"} {
		t.Run(after, func(t *testing.T) {
			forEachEngine(t, func(t *testing.T, a *testAPI, server modelServer) {
				server.SetBehavior(mediatest.Behavior{Failures: 99, Status: 429, Code: "ThrottlingException", RetryAfter: after})
				key := a.newKey(ada, principal.User).Reveal()
				c := webtest.New(t, withLambdaTimeout(a.handler())).With("X-API-Key", key)
				answer := postForm(t, c, extractPath, "@file", bill, "model", billVariables).
					WantStatus(http.StatusServiceUnavailable)
				answer.WantValue("code", "UNAVAILABLE").WantHeader("Retry-After", retryAfter)
				if server.Requests() != 1 {
					t.Errorf("the model was called %d times, want once", server.Requests())
				}
				server.SetBehavior(mediatest.Behavior{}) // the failure was not cached
				postForm(t, c, extractPath, "@file", bill, "model", billVariables).WantStatus(http.StatusOK).
					WantValue("extracted_data.Total", 1234.5)
			})
		})
	}
}

// withLambdaTimeout gives requests as much time as the function has.
func withLambdaTimeout(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 28*time.Second)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func TestRecordingWithoutTranscriber(t *testing.T) {
	answer := postForm(t, newTestAPI(t).client(), extractPath, "@file", wave, "model", billVariables).
		WantStatus(http.StatusUnprocessableEntity)
	if detail := answer.Text("detail"); !strings.Contains(detail, "TranscriberCommand") {
		t.Errorf("the detail does not name the setting: %s", detail)
	}
}

func TestServerTranscribesRecordings(t *testing.T) {
	server, settings := openAI(t)
	server.Speech = `{"task": "transcribe", "language": "english", "duration": 5, "text": "Total: 1234.50", "segments": [
		{"id": 0, "start": 0, "end": 5, "text": " Total: 1234.50"}]}`
	var words []string
	for i := range media.MaxKeywords {
		words = append(words, fmt.Sprintf(`"Keyword%04d"`, i))
	}
	model := strings.TrimSuffix(billVariables, "}") + `,"lang":"de","metadata":[` + strings.Join(words, ",") + `]}`
	logged := testkit.CaptureLogs(t)
	answer := postForm(t, newTestAPIWith(t, settings).client(), extractPath, "@file", wave, "model", model).
		WantStatus(http.StatusOK)
	answer.WantValue("extracted_data.Total", 1234.5).WantValue("extracted_data.Supplier", nil)
	if warning := answer.Text("warnings.0"); !strings.Contains(warning, "were left out") {
		t.Errorf("unexpected warning %q", warning)
	}
	if form := server.Forms[0]; !strings.HasPrefix(form["prompt"], "Keyword0000, ") || form["language"] != "" {
		t.Errorf("unexpected form %.200q", form)
	}
	if text := logged.String(); !strings.Contains(text, "model call") || strings.Contains(text, server.Key) ||
		strings.Contains(text, "1234.5") || strings.Contains(text, "Keyword0") {
		t.Errorf("logged %s", text)
	}
}

func TestCommandTranscribesRecordings(t *testing.T) {
	script := filepath.Join(t.TempDir(), "transcribe.sh")
	const cues = `WEBVTT\n\n00:00.000 --> 00:05.000\nInvoice number: INV-7\n`
	if err := os.WriteFile(script, []byte(`test -s "$1" && printf '`+cues+`'`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newTestAPIWith(t, mediaengines.Settings{TranscriberCommand: "sh " + script})
	answer := postForm(t, a.client(), extractPath, "@file", wave,
		"model", `{"variables":{"invoice_number":{"type":"string"}},"metadata":["Nordwind"]}`)
	answer.WantStatus(http.StatusOK).WantValue("extracted_data.invoice_number", "INV-7")
	if warning := answer.Text("warnings.0"); !strings.Contains(warning, "keywords") {
		t.Errorf("unexpected warning %q", warning)
	}
}
