package mediaopenai_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"portside/documents"
	"portside/shared/media"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit"
	"portside/shared/testkit/mediatest"
)

// bench has a model server, a service that uses it, and the service's log.
type bench struct {
	server  *mediatest.OpenAI
	service *media.Service
	options mediaopenai.Options
	log     *bytes.Buffer
	mu      sync.Mutex
	pauses  []time.Duration
}

// newBench starts both; change may be nil.
func newBench(tb testing.TB, change func(*mediaopenai.Options)) *bench {
	tb.Helper()
	b := &bench{server: mediatest.StartOpenAI(tb), log: &bytes.Buffer{}}
	b.options = mediaopenai.Options{
		BaseURL: b.server.URL, Key: testkit.Secret(b.server.Key), Model: b.server.Model,
		CallLog: mediaprompt.CallLog{Out: slog.New(slog.NewJSONHandler(b.log, nil))},
		Retrier: mediaprompt.Retrier{Pause: b.pause, Draw: func(below time.Duration) time.Duration { return below / 2 }},
	}
	if change != nil {
		change(&b.options)
	}
	engine, err := mediaopenai.New(b.options)
	if err != nil {
		tb.Fatal(err)
	}
	b.service = media.NewService(media.Parts{Engine: engine})
	return b
}

// pause records a wait instead of waiting.
func (b *bench) pause(ctx context.Context, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauses = append(b.pauses, wait)
	return ctx.Err()
}

func (b *bench) ask(tb testing.TB, q media.Question, docs ...*documents.Document) media.Answer {
	tb.Helper()
	answer, err := b.service.AnswerTexts(tb.Context(), q, docs...)
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

// extract asks for the variables of mediatest.Invoice.
func extract() media.Question {
	return media.Question{Task: media.Extract, Variables: mediatest.InvoiceVariables()}
}

const invoice = "Invoice 7\n\fSupplier: Nordwind Papier GmbH\nTotal\t1.234,50 EUR\nDue:  5 March 2026\nPaid: no\n"
