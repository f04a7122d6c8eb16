package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"portside/cmd/bench/figures"
	"portside/cmd/bench/papers"
)

// Targets of the media function with the engine that needs no model.
const (
	valuesRatio = 1.8 // times pdftotext
	reportRatio = 10  // times pdftotext
	uploadRatio = 4.4 // of what a large file takes more than a small one, times storing it in S3
	peakTarget  = 256 // MB
	warmUps     = 3
	invoices    = 200
	reports     = 7
	reportPages = 100
	uploads     = 21
	scanSide    = 2_000 // pixels of a byte each: 4 MB
)

const (
	pdftotext      = "pdftotext"
	extractMedia   = "/v1/capabilities/extract/media"
	summarizeMedia = "/v1/capabilities/summarize/media"
)

// textToRead returns the smallest request to the media function.
func textToRead() request {
	return postRequest("/v1/capabilities/extract",
		`{"text":"Invoice number: INV-7\nDue date: 3 March 2026","variables":{"due_date":{"type":"date"}}}`)
}

// mediaFixture is the media function behind the gateway, and also as a process that the benchmark
// drives.
type mediaFixture struct {
	*stack
	box   *sandbox
	asked int // number of requests so far
}

// media measures requests with files. Each file is different, so no response comes from the cache.
func (b *bench) media(ctx context.Context, s *stack) error {
	box, err := b.openSandbox(s, mediaFunctionUnderTest())
	if err != nil {
		return err
	}
	defer box.stop()
	m := &mediaFixture{stack: s, box: box}
	for _, measure := range []func(context.Context, *mediaFixture) error{b.invoice, b.report, b.upload} {
		if err := measure(ctx, m); err != nil {
			return err
		}
	}
	peak, err := box.peak()
	b.table.AddAtMost("media function: peak memory after all these files", peak, peakTarget, "MB")
	return err
}

// question is a request and a text that the correct response contains.
type question struct {
	request
	want string
}

// durations are in milliseconds: inside the function, through the gateway, and of the baseline.
type durations struct{ inside, through, baseline []float64 }

// times sends n requests to the function and n through the gateway, alternately and with the baseline, if there is one.
// The warm-up requests do not count.
func (m *mediaFixture) times(
	ctx context.Context, n int, next func(serial int) question, baseline ...figures.Measurement,
) (d durations, err error) {
	for i := range n + warmUps {
		plain, err := figures.Alternate(1, baseline...)
		if err != nil {
			return d, err
		}
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
			d.baseline = append(d.baseline, slices.Concat(plain...)...)
		}
	}
	return d, nil
}

func (m *mediaFixture) inside(ctx context.Context, q question) (float64, error) {
	a, err := m.box.invoke(ctx, m.event(q.request))
	if err != nil {
		return 0, err
	}
	return milliseconds(a.took), q.check(a.body)
}

func (m *mediaFixture) through(ctx context.Context, q question) (float64, error) {
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

// threeValues are the values to extract from invoices.
var threeValues = [][2]string{
	{"variable1_name", "invoice_number"}, {"variable1_type", "string"}, {"variable1_description", "number of the invoice"},
	{"variable2_name", "total"}, {"variable2_type", "number"}, {"variable2_description", "total amount to pay, with tax"},
	{"variable3_name", "due"}, {"variable3_type", "date"}, {"variable3_description", "when it has to be paid"},
}

// invoice measures the page that docs/media.md uses as an example, made unique by a comment at its
// end, and then the same file again, which is answered from the cache.
func (b *bench) invoice(ctx context.Context, m *mediaFixture) error {
	b.logProgress("reading %d invoices", 2*invoices)
	page, err := os.ReadFile(filepath.Join(b.repo, "docs", "media", "invoice-march.pdf"))
	if err != nil {
		return err
	}
	ask := func(serial int) question {
		file := fmt.Appendf(bytes.Clone(page), "%%%% %d\n", serial)
		return question{uploadRequest(extractMedia, file, threeValues), `{"due":"2026-04-02","invoice_number":"INV-2026-0117","total":1306.8}`}
	}
	read, err := m.times(ctx, invoices, ask, b.pdfToText(ctx, func() []byte { return page }))
	if err != nil {
		return err
	}
	last := m.asked - 1
	kept, err := m.times(ctx, invoices, func(int) question { return ask(last) })
	if err != nil {
		return err
	}
	what := fmt.Sprintf("3 values of an invoice, a page of %s KB of PDF: ", figures.Number(float64(len(page))/1e3))
	c := figures.Comparison{What: what + "in the function", With: pdftotext, Times: read.inside, Baseline: read.baseline}
	b.table.AddComparison(c, valuesRatio)
	b.table.AddFigure(what+"in the function, 99th percentile", "%s ms", figures.Number(figures.Quantile(read.inside, 0.99)))
	b.table.AddFigure(what+"through the gateway, median and 99th percentile", "%s and %s ms",
		figures.Number(figures.Quantile(read.through, 0.5)), figures.Number(figures.Quantile(read.through, 0.99)))
	b.table.AddFigure("the same file again, from what is kept: in the function and through the gateway, medians", "%s and %s ms",
		figures.Number(figures.Quantile(kept.inside, 0.5)), figures.Number(figures.Quantile(kept.through, 0.5)))
	return nil
}

// report measures the summary of a long text.
func (b *bench) report(ctx context.Context, m *mediaFixture) error {
	b.logProgress("summarizing %d reports of %d pages", 2*(reports+warmUps), reportPages)
	words, size := 0, 0 // of the last report; all are about the same
	summaries, err := m.times(ctx, reports, func(serial int) question {
		pages := papers.Prose(serial, reportPages)
		file := papers.Print(pages, nil)
		words, size = papers.CountWords(pages), len(file)
		return question{uploadRequest(summarizeMedia, file, nil), `"summary":"The `}
	}, b.pdfToText(ctx, func() []byte { return papers.Print(papers.Prose(m.asked, reportPages), nil) }))
	if err != nil {
		return err
	}
	what := fmt.Sprintf("summary of %d pages, %s words in %s KB of PDF: ",
		reportPages, figures.Number(math.Round(float64(words)/1e3)*1e3), figures.Number(float64(size)/1e3))
	seconds := func(times []float64, q float64) float64 { return figures.Quantile(times, q) / 1e3 }
	b.table.AddComparison(figures.Comparison{
		What: what + "through the gateway", With: pdftotext, Times: summaries.through, Baseline: summaries.baseline,
	}, reportRatio)
	b.table.AddFigure(what+"through the gateway, slowest", "%s s", figures.Number(seconds(summaries.through, 1)))
	b.table.AddFigure(what+"in the function, median", "%s s", figures.Number(seconds(summaries.inside, 0.5)))
	return nil
}

// upload measures what a large file costs in addition to the work itself: the same invoice with and
// without its scan.
func (b *bench) upload(ctx context.Context, m *mediaFixture) error {
	b.logProgress("uploading %d files of 4 MB", 2*(uploads+warmUps))
	ask := func(scan []byte) func(int) question {
		return func(serial int) question {
			id := fmt.Sprintf("INV-%06d", serial)
			want := `{"due":"2026-04-02","invoice_number":"` + id + `","total":1306.8}`
			return question{uploadRequest(extractMedia, papers.Invoice(id, scan), threeValues), want}
		}
	}
	small, err := m.times(ctx, uploads, ask(nil))
	if err != nil {
		return err
	}
	scan := papers.Noise(scanSide * scanSide)
	large, err := m.times(ctx, uploads, ask(scan), m.putFile(ctx, scan))
	if err != nil {
		return err
	}
	more := func(of func(durations) []float64) float64 {
		return figures.Quantile(of(large), 0.5) - figures.Quantile(of(small), 0.5)
	}
	inside, through := func(d durations) []float64 { return d.inside }, func(d durations) []float64 { return d.through }
	b.table.AddFigure("3 values of an invoice without and with a scan of 4 MB: through the gateway, medians", "%s and %s ms",
		figures.Number(figures.Quantile(small.through, 0.5)), figures.Number(figures.Quantile(large.through, 0.5)))
	b.table.AddFigure("the 4 MB by themselves: through the gateway, and storing them in S3", "%s and %s ms",
		figures.Number(more(through)), figures.Number(figures.Quantile(large.baseline, 0.5)))
	ratio := more(through) / figures.Quantile(large.baseline, 0.5)
	b.table.AddAtMost("the 4 MB by themselves: times storing them in S3", ratio, uploadRatio, "×")
	b.table.AddFigure("the 4 MB by themselves: in the function", "%s ms", figures.Number(more(inside)))
	return nil
}
