package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/extraction"
	"portside/documents/offline/index"
	"portside/documents/offline/scan"
)

// hostile are large texts that are expensive to read.
var hostile = map[string]string{
	"one word":        strings.Repeat("a", 1_600_000),
	"codes":           strings.Repeat("DE11", 200_000),
	"a compound":      strings.Repeat("hundert", 120_000),
	"strange letters": strings.Repeat("𝐀", 100_000),
	"letters":         strings.Repeat("R1", 400_000),
	"numbers":         strings.Repeat("1 ", 1_000_000),
	"cells":           strings.Repeat("\t1", 600_000),
	"lines":           strings.Repeat("a\n", 600_000),
	"sums":            strings.Repeat("total: 5\n", 200_000),
	"marks":           strings.Repeat("! ", 1_500_000),
	"roles":           strings.Repeat("as the (customer) ", 60_000),
	"boxes":           strings.Repeat("[x] paid\n", 120_000),
	"ranges":          strings.Repeat("total from 5 EUR to 7 EUR, ", 60_000),
}

func hostileDocument(t *testing.T, text string) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	return into.Document()
}

// The facts that are kept of any document are limited, and their positions are within the document.
func TestExtractionIsBounded(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			d := hostileDocument(t, text)
			r, err := extraction.Prepare(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			const termsOfWord = 4
			held := []int{len(r.Index.Mentions) / termsOfWord, len(r.Index.Numbers), len(r.Index.Dates),
				len(r.Candidates.Sentences)}
			pairs := len(r.Candidates.Pairs)
			if slices.Max(held) > index.MaxWords || pairs > candidates.MaxPairs || len(r.Index.Text) > index.MaxBytes {
				t.Errorf("held %d, %d pairs, %d bytes", held, len(r.Candidates.Pairs), len(r.Index.Text))
			}
			tooLong := func(s scan.Span) bool { return s.Len() > scan.MaxStretch || s.End > len(r.Index.Text) }
			if slices.ContainsFunc(r.Candidates.Sentences, tooLong) {
				t.Error("a sentence is too long")
			}
			if slices.ContainsFunc(r.Candidates.Pairs, func(p candidates.Pair) bool { return tooLong(p.Value) }) {
				t.Error("a value is too long")
			}
			if !strings.HasPrefix(d.Text(), r.Index.Text) {
				t.Error("the text searched is not the document's")
			}
		})
	}
}

// A document that is too long gives one warning, and values of its first part are found.
func TestLongDocumentIsSearchedPartly(t *testing.T) {
	asked := []answers.Variable{{Name: "total", Type: answers.Number}, {Name: "invoice_number", Type: answers.String}}
	d := hostileDocument(t, "Total: 12.50 EUR\n"+strings.Repeat("word ", index.MaxWords)+"\nInvoice number: RE-2026-17")
	for range 2 {
		got, err := New().Extract(t.Context(), d, answers.ExtractSettings{Variables: asked})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Warnings, []string{extraction.PartlySearched}) {
			t.Errorf("warnings: %q", got.Warnings)
		}
		if total, number := got.Values["total"], got.Values["invoice_number"]; total.Text != "12.5" || number.Found() {
			t.Errorf("found %v and %v", total, number)
		}
	}
	small := hostileDocument(t, "Total: 12.50 EUR\n"+strings.Repeat("word ", index.MaxWords-4)+"\n")
	if got, err := New().Extract(t.Context(), small, answers.ExtractSettings{Variables: asked}); err != nil ||
		len(got.Warnings) > 0 {
		t.Errorf("of a document that is searched whole: %q, %v", got.Warnings, err)
	}
	for _, pair := range [][2]*documents.Document{{d, small}, {small, d}, {d, d}} {
		got, err := New().Compare(t.Context(), pair[0], pair[1], answers.CompareSettings{Variables: asked})
		if err != nil || !slices.Equal(got.Warnings, []string{extraction.PartlySearched}) {
			t.Errorf("of a comparison: %q, %v", got.Warnings, err)
		}
	}
}

// ending is a context that ends after its error was requested a number of times. It also counts later requests.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// At whatever step the context ends, the work stops.
func TestExtractStopsAtAnyStep(t *testing.T) {
	variables := []answers.Variable{
		{Name: "total", Type: answers.Number}, {Name: "supplier", Type: answers.String}, {Name: "paid", Type: answers.Boolean},
		{Name: "maximum_total", Type: answers.Number},
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			const enough = 3 << 10
			d := hostileDocument(t, text[:min(len(text), enough)])
			ask := func(looks int) (used int, err error) {
				ctx := &ending{t.Context(), looks}
				_, err = New().Extract(ctx, d, answers.ExtractSettings{Variables: variables})
				return looks - ctx.left, err
			}
			const plenty = 1 << 40
			all, err := ask(plenty)
			if err != nil {
				t.Fatal(err)
			}
			for _, looks := range []int{0, all / 2, all - 1} {
				used, err := ask(looks)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("after %d of %d looks: %v", looks, all, err)
				}
				if used > looks+2 {
					t.Errorf("after %d of %d looks it went on for %d", looks, all, used-looks)
				}
			}
		})
	}
}

// The engine checks the context after a few thousand words at most.
func TestExtractChecksContextOften(t *testing.T) {
	for _, name := range []string{"numbers", "sums", "boxes", "ranges"} {
		ctx := &ending{t.Context(), 1 << 40}
		d := hostileDocument(t, hostile[name])
		variables := []answers.Variable{{Name: "total", Type: answers.Number}, {Name: "paid", Type: answers.Boolean}}
		asked := answers.ExtractSettings{Variables: variables}
		if _, err := New().Extract(ctx, d, asked); err != nil {
			t.Fatal(err)
		}
		const least = 1000
		if looks := 1<<40 - ctx.left; looks < least {
			t.Errorf("%s: %d looks", name, looks)
		}
	}
}

// An invalid date, two numbers or two signs give null, not a part of them.
func TestInvalidValuesAreNull(t *testing.T) {
	for _, step := range []struct{ text, name, want string }{
		{"Due: 30 February 2026", "due", ""},
		{"Total: 30 February 2026", "total", ""},
		{"Total: February 30, 2026", "total", ""},
		{"Total: 31. Juni 2026", "total", ""},
		{"Total: 5 or 6", "total", ""},
		{"Total: 5 or 6", "maximum_total", ""},
		{"Total: EUR 5 or EUR 6", "total", ""},
		{"Gesamtbetrag: 5 oder 6", "total", ""},
		{"Total: --5", "total", ""},
		{"Total: −-5", "total", ""},
		{"Total: -5", "total", "-5"},
		{"Total: 5", "total", "5"},
		{"Total: 5 of 6", "total", "5"},
	} {
		t.Run(step.name, func(t *testing.T) {
			record(asked{step.text, step.name, answers.Number, "", step.want})
			settings := answers.ExtractSettings{Variables: []answers.Variable{{Name: step.name, Type: answers.Number}}}
			got, err := New().Extract(t.Context(), hostileDocument(t, step.text), settings)
			if err != nil {
				t.Fatal(err)
			}
			if value := got.Values[step.name].Text; value != step.want {
				t.Errorf("%s: %q, not %q", step.text, value, step.want)
			}
		})
	}
}
