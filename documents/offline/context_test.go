package offline_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline"
)

// expiring is a context that ends after its error was requested a number of times.
type expiring struct {
	context.Context
	left atomic.Int64
}

func (e *expiring) Err() error {
	if e.left.Add(-1) < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Preparing a large document takes seconds, so the engine must stop when the caller does.
func TestEngineStopsWithContext(t *testing.T) {
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	const blocks = 2000
	for range blocks {
		for _, b := range []documents.Block{
			{Kind: documents.Heading, Text: "Invoice of the month", Level: 1},
			{Kind: documents.Paragraph, Text: "Total amount: 12.50 EUR. " + strings.Repeat("The goods were sent on 3 May 2026. ", 5)},
		} {
			if err := into.Add(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, engine := into.Document(), offline.New()
	variables := []answers.Variable{{Name: "total_amount", Type: answers.Number}}
	for name, ask := range map[string]func(context.Context) error{
		"summarize": func(ctx context.Context) error {
			_, err := engine.Summarize(ctx, d, answers.SummarySettings{})
			return err
		},
		"extract": func(ctx context.Context) error {
			_, err := engine.Extract(ctx, d, answers.ExtractSettings{Variables: variables})
			return err
		},
		"compare": func(ctx context.Context) error {
			_, err := engine.Compare(ctx, d, d, answers.CompareSettings{Variables: variables})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, looks := range []int64{1, 3, 10, blocks} {
				ctx := &expiring{Context: t.Context()}
				ctx.left.Store(looks)
				if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %d looks: %v", looks, err)
				}
				if more := -ctx.left.Load(); more > 3 {
					t.Errorf("it went on for %d looks", more)
				}
			}
		})
	}
}
