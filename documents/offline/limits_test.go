package offline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
)

// hostile are texts that are short to write down and long to read.
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

// Whatever a document consists of, what is held of it is bounded, and lies in the document.
func TestReadingsAreBounded(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			d := hostileDocument(t, text)
			r, err := newReading(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			const termsOfWord = 4
			held := []int{len(r.mentions) / termsOfWord, len(r.figures), len(r.dates), len(r.sentences)}
			if most := slices.Max(held); most > mostWords || len(r.pairs) > mostPairs || len(r.text) > mostSearched {
				t.Errorf("held %d, %d pairs, %d bytes", held, len(r.pairs), len(r.text))
			}
			tooLong := func(s span) bool { return s.end-s.start > mostStretch || s.end > len(r.text) }
			if slices.ContainsFunc(r.sentences, tooLong) {
				t.Error("a sentence is too long")
			}
			if slices.ContainsFunc(r.pairs, func(p pair) bool { return tooLong(p.value) }) {
				t.Error("a value is too long")
			}
			if !strings.HasPrefix(d.Text(), r.text) {
				t.Error("the text searched is not the document's")
			}
		})
	}
}

// A word is looked up by its parts only up to a length: twice as long a word must not take four times as many steps.
func TestLongWordsAreNotTakenApart(t *testing.T) {
	long := strings.Repeat("rechnung", 1+mostWord/len("rechnung")) + "es"
	if terms := theLexicon().single(long, nil, map[string][]string{}); !slices.Equal(terms, []string{long}) {
		t.Errorf("the terms of a long word are %q", terms)
	}
	if terms := theLexicon().single("rechnungsnummer", nil, map[string][]string{}); !slices.Contains(terms, "INVOICE") {
		t.Errorf("the terms of a compound are %q", terms)
	}
}

// The end of what is searched is told once, the same each time, and what comes before it is found.
func TestOnlyTheFirstPartIsSearched(t *testing.T) {
	asked := []answers.Variable{{Name: "total", Type: answers.Number}, {Name: "invoice_number", Type: answers.String}}
	d := hostileDocument(t, "Total: 12.50 EUR\n"+strings.Repeat("word ", mostWords)+"\nInvoice number: RE-2026-17")
	for range 2 {
		got, err := New().Extract(t.Context(), d, answers.ExtractSettings{Variables: asked})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Warnings, []string{partlySearched}) {
			t.Errorf("warnings: %q", got.Warnings)
		}
		if total, number := got.Values["total"], got.Values["invoice_number"]; total.Text != "12.5" || number.Found() {
			t.Errorf("found %v and %v", total, number)
		}
	}
	small := hostileDocument(t, "Total: 12.50 EUR\n"+strings.Repeat("word ", mostWords-4)+"\n")
	if got, err := New().Extract(t.Context(), small, answers.ExtractSettings{Variables: asked}); err != nil || len(got.Warnings) > 0 {
		t.Errorf("of a document that is searched whole: %q, %v", got.Warnings, err)
	}
	for _, pair := range [][2]*documents.Document{{d, small}, {small, d}, {d, d}} {
		got, err := New().Compare(t.Context(), pair[0], pair[1], answers.CompareSettings{Variables: asked})
		if err != nil || !slices.Equal(got.Warnings, []string{partlySearched}) {
			t.Errorf("of a comparison: %q, %v", got.Warnings, err)
		}
	}
}

func TestSummariesAreBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("It is so. ", mostSentences+1), strings.Repeat("1 ", mostSentence), strings.Repeat("a", 2*mostSentence),
	} {
		got, err := New().Summarize(t.Context(), hostileDocument(t, text), answers.SummarySettings{Length: answers.Long})
		if err != nil || !slices.Contains(got.Warnings, partlySummarized) {
			t.Errorf("of %q: %q, %v", text[:10], got.Warnings, err)
		}
		if words := wordCount(got.Text); words > budgets[len(budgets)-1].words {
			t.Errorf("of %q: %d words", text[:10], words)
		}
	}
}

// ending is a context that ends after so many looks, and counts those that come after.
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

// Wherever a context ends, nothing goes on. That it is looked at often shows in the number of looks at every text.
func TestEndsMidway(t *testing.T) {
	variables := []answers.Variable{
		{Name: "total", Type: answers.Number}, {Name: "supplier", Type: answers.String}, {Name: "paid", Type: answers.Boolean},
		{Name: "maximum_total", Type: answers.Number},
	}
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			const enough = 64 << 10
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

// What is searched at all is looked through with the context in view: some thousand words at a time, and fewer later on.
func TestLooksOften(t *testing.T) {
	for _, name := range []string{"numbers", "sums", "boxes", "ranges"} {
		ctx := &ending{t.Context(), 1 << 40}
		d := hostileDocument(t, hostile[name])
		asked := answers.ExtractSettings{Variables: []answers.Variable{{Name: "total", Type: answers.Number}, {Name: "paid", Type: answers.Boolean}}}
		if _, err := New().Extract(ctx, d, asked); err != nil {
			t.Fatal(err)
		}
		const least = 1000
		if looks := 1<<40 - ctx.left; looks < least {
			t.Errorf("%s: %d looks", name, looks)
		}
	}
}

// What is no day, no one number and no sign is null, not a part of it.
func TestWhatIsNoNumber(t *testing.T) {
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
		asked := answers.ExtractSettings{Variables: []answers.Variable{{Name: step.name, Type: answers.Number}}}
		got, err := New().Extract(t.Context(), hostileDocument(t, step.text), asked)
		if err != nil {
			t.Fatal(err)
		}
		if value := got.Values[step.name].Text; value != step.want {
			t.Errorf("%s: %q, not %q", step.text, value, step.want)
		}
	}
}

func TestBeginningOf(t *testing.T) {
	into := documents.NewBuilder(documents.CSV, documents.DefaultLimits())
	for range 3 {
		if err := into.Add(documents.Block{Kind: documents.Row, Table: 1, Cells: []documents.Cell{{Text: "abcd"}, {Text: "efgh", Column: 1}}}); err != nil {
			t.Fatal(err)
		}
	}
	d := into.Document()
	for limit := range len(d.Text()) + 1 {
		blocks := beginningOf(d.Blocks, limit)
		for i, b := range blocks {
			if b.End() > limit || len(b.Cells) == 0 || cellSpan(b.Cells[len(b.Cells)-1]).end > limit {
				t.Errorf("of the first %d bytes, block %d is %v", limit, i, b)
			}
		}
		if want := (limit + len("abcd efgh")) / len("abcd efgh "); len(blocks) != want {
			t.Errorf("of the first %d bytes there are %d blocks, not %d", limit, len(blocks), want)
		}
	}
	if len(d.Blocks[0].Text) != len("abcd efgh") || len(d.Blocks[2].Cells[1].Text) != len("efgh") {
		t.Error("the document was changed")
	}
}
