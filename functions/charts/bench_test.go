package main

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/lambdahttp"
)

// BenchmarkIndex serves an index of 5,000 versions from event to answer, on real engines and all in all: one request to
// DynamoDB, one to S3.
func BenchmarkIndex(b *testing.B) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))
	h := newHarbor(b)
	h.limit = 0
	for i := range 5000 {
		h.list(fmt.Sprintf("chart%d", i%50), fmt.Sprintf("1.%d.0", i/50), "archive")
	}
	h.putIndex()
	whole, narrowed := h.token("read:helm-charts").Reveal(), h.token("read:helm-charts:chart7").Reveal()
	for _, c := range []struct {
		name   string
		header map[string]string
		status int
	}{
		{"plain", map[string]string{"authorization": "Bearer " + whole}, 302},
		{"gzip", map[string]string{"authorization": "Bearer " + whole, "accept-encoding": "gzip"}, 200},
		{"narrowed", map[string]string{"authorization": "Bearer " + narrowed}, 200},
		{"unchanged", map[string]string{"authorization": "Bearer " + whole, "if-none-match": "*"}, 304},
	} {
		b.Run(c.name, func(b *testing.B) { h.serve(b, query{indexPath, c.header, c.status}) })
	}
	b.Run("new process", func(b *testing.B) { // fetches and checks the index with each request
		q := query{indexPath, map[string]string{"authorization": "Bearer " + whole, "if-none-match": "*"}, 304}
		for b.Loop() {
			q.ask(b, lambdahttp.Handler(h.handler()))
		}
	})
	b.Run("archive", func(b *testing.B) {
		h.serve(b, query{"/charts/chart7-1.50.0.tgz", map[string]string{"authorization": "Bearer " + whole}, 302})
	})
}

type handlerFunc = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// query is one request and the status that it is to have.
type query struct {
	path   string
	header map[string]string
	status int
}

// serve asks one process again and again.
func (h *harbor) serve(b *testing.B, q query) {
	b.Helper()
	handle := lambdahttp.Handler(h.handler())
	size := q.ask(b, handle) // the first request of a process fetches the index
	for b.Loop() {
		q.ask(b, handle)
	}
	b.ReportMetric(float64(size), "bytes")
}

func (q query) ask(b *testing.B, handle handlerFunc) (size int) {
	b.Helper()
	event := events.APIGatewayV2HTTPRequest{RawPath: q.path, Headers: q.header}
	event.RequestContext.HTTP.Method = "GET"
	answer, err := handle(b.Context(), event)
	if err != nil || answer.StatusCode != q.status {
		b.Fatal(err, answer.StatusCode, answer.Body)
	}
	return len(answer.Body)
}
