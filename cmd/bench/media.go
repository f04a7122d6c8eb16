package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"
)

// The targets of the media function, with the engine that needs no model.
const (
	valuesTarget = 25  // ms, in the function
	reportTarget = 2   // s
	uploadTarget = 150 // ms more than for a small file
	peakTarget   = 256 // MB
	warmUps      = 3
	invoices     = 200
	reports      = 7
	reportPages  = 100
	uploads      = 21
	scanSide     = 2_000 // pixels of a byte each: 4 MB
)

const (
	extractMedia   = "/v1/capabilities/extract/media"
	summarizeMedia = "/v1/capabilities/summarize/media"
)

// textToRead is the smallest thing that the media function is asked.
func textToRead() request {
	return posting("/v1/capabilities/extract",
		`{"text":"Invoice number: INV-7\nDue date: 3 March 2026","variables":{"due_date":{"type":"date"}}}`)
}

// studio is the media function twice: behind the gateway, and as a process that the benchmark itself drives.
type studio struct {
	*stack
	box   *sandbox
	asked int // what was asked so far
}

// media measures what files cost. Each is another, so that none is answered from what is kept.
func (b *bench) media(ctx context.Context, s *stack) error {
	box, err := b.openSandbox(s, s.mediaFunction())
	if err != nil {
		return err
	}
	defer box.stop()
	m := &studio{stack: s, box: box}
	for _, measure := range []func(context.Context, *studio) error{b.invoice, b.report, b.upload} {
		if err := measure(ctx, m); err != nil {
			return err
		}
	}
	peak, err := box.peak()
	b.table.most("media function: peak memory after all these files", peak, peakTarget, "MB")
	return err
}

// question is a request, and what its answer contains if it is right.
type question struct {
	request
	want string
}

// durations are in ms.
type durations struct{ inside, through []float64 }

// times asks n questions in the function and as many through the gateway, in turn. The first few do not count.
func (m *studio) times(ctx context.Context, n int, next func(serial int) question) (d durations, err error) {
	for i := range n + warmUps {
		inside, err := m.inside(ctx, next(m.asked))
		if err != nil {
			return d, err
		}
		through, err := m.through(ctx, next(m.asked+1))
		if err != nil {
			return d, err
		}
		m.asked += 2
		if i >= warmUps {
			d.inside, d.through = append(d.inside, inside), append(d.through, through)
		}
	}
	return d, nil
}

func (m *studio) inside(ctx context.Context, q question) (float64, error) {
	a, err := m.box.invoke(ctx, m.event(q.request))
	if err != nil {
		return 0, err
	}
	return milliseconds(a.took), q.check(a.body)
}

func (m *studio) through(ctx context.Context, q question) (float64, error) {
	began := time.Now()
	body, err := m.send(ctx, q.request)
	if err != nil {
		return 0, err
	}
	return milliseconds(time.Since(began)), q.check(body)
}

func (q question) check(body []byte) error {
	if !bytes.Contains(body, []byte(q.want)) {
		return fmt.Errorf("%s: no %s in %s", q.path, q.want, body)
	}
	return nil
}

// threeValues are asked of invoices.
var threeValues = [][2]string{
	{"variable1_name", "invoice_number"}, {"variable1_type", "string"}, {"variable1_description", "number of the invoice"},
	{"variable2_name", "total"}, {"variable2_type", "number"}, {"variable2_description", "total amount to pay, with tax"},
	{"variable3_name", "due"}, {"variable3_type", "date"}, {"variable3_description", "when it has to be paid"},
}

// invoice measures the page that docs/media.md asks about, told apart by a comment at its end; and then the same one again,
// which is kept.
func (b *bench) invoice(ctx context.Context, m *studio) error {
	b.say("reading %d invoices", 2*invoices)
	page, err := os.ReadFile(filepath.Join(b.repo, "docs", "media", "invoice-march.pdf"))
	if err != nil {
		return err
	}
	ask := func(serial int) question {
		file := fmt.Appendf(bytes.Clone(page), "%%%% %d\n", serial)
		return question{submitting(extractMedia, file, threeValues), `{"due":"2026-04-02","invoice_number":"INV-2026-0117","total":1306.8}`}
	}
	read, err := m.times(ctx, invoices, ask)
	if err != nil {
		return err
	}
	last := m.asked - 1
	kept, err := m.times(ctx, invoices, func(int) question { return ask(last) })
	if err != nil {
		return err
	}
	what := fmt.Sprintf("3 values of an invoice, a page of %s KB of PDF: ", number(float64(len(page))/1e3))
	b.table.most(what+"in the function, median of "+number(invoices), quantile(read.inside, 0.5), valuesTarget, "ms")
	b.table.note(what+"in the function, 99th percentile", "%s ms", number(quantile(read.inside, 0.99)))
	b.table.note(what+"through the gateway, median and 99th percentile", "%s and %s ms",
		number(quantile(read.through, 0.5)), number(quantile(read.through, 0.99)))
	b.table.note("the same file again, from what is kept: in the function and through the gateway, medians", "%s and %s ms",
		number(quantile(kept.inside, 0.5)), number(quantile(kept.through, 0.5)))
	return nil
}

// report measures the summary of a long text.
func (b *bench) report(ctx context.Context, m *studio) error {
	b.say("summarizing %d reports of %d pages", 2*(reports+warmUps), reportPages)
	words, size := 0, 0 // of the last; they hardly differ
	summaries, err := m.times(ctx, reports, func(serial int) question {
		pages := prosePages(serial, reportPages)
		file := printPDF(pages, nil)
		words, size = countWords(pages), len(file)
		return question{submitting(summarizeMedia, file, nil), `"summary":"The `}
	})
	if err != nil {
		return err
	}
	what := fmt.Sprintf("summary of %d pages, %s words in %s KB of PDF: ",
		reportPages, number(math.Round(float64(words)/1e3)*1e3), number(float64(size)/1e3))
	seconds := func(times []float64, q float64) float64 { return quantile(times, q) / 1e3 }
	b.table.most(what+"through the gateway, median of "+number(reports), seconds(summaries.through, 0.5), reportTarget, "s")
	b.table.note(what+"through the gateway, slowest", "%s s", number(seconds(summaries.through, 1)))
	b.table.note(what+"in the function, median", "%s s", number(seconds(summaries.inside, 0.5)))
	return nil
}

// upload measures what a large file costs beyond the work that it needs: the same invoice with and without its scan.
func (b *bench) upload(ctx context.Context, m *studio) error {
	b.say("uploading %d files of 4 MB", 2*(uploads+warmUps))
	ask := func(scan []byte) func(int) question {
		return func(serial int) question {
			id := fmt.Sprintf("INV-%06d", serial)
			want := `{"due":"2026-04-02","invoice_number":"` + id + `","total":1306.8}`
			return question{submitting(extractMedia, shortInvoice(id, scan), threeValues), want}
		}
	}
	small, err := m.times(ctx, uploads, ask(nil))
	if err != nil {
		return err
	}
	large, err := m.times(ctx, uploads, ask(noise(scanSide*scanSide)))
	if err != nil {
		return err
	}
	more := func(of func(durations) []float64) float64 { return quantile(of(large), 0.5) - quantile(of(small), 0.5) }
	inside, through := func(d durations) []float64 { return d.inside }, func(d durations) []float64 { return d.through }
	b.table.note("3 values of an invoice without and with a scan of 4 MB: through the gateway, medians", "%s and %s ms",
		number(quantile(small.through, 0.5)), number(quantile(large.through, 0.5)))
	b.table.most("the 4 MB by themselves: through the gateway, median of "+number(uploads), more(through), uploadTarget, "ms")
	b.table.note("the 4 MB by themselves: in the function", "%s ms", number(more(inside)))
	return nil
}
