package main

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/lambdahttp"
)

// BenchmarkIndex serves an index of 5,000 versions, from the event to the response, with real engines. It includes one
// request to DynamoDB and one to S3.
func BenchmarkIndex(b *testing.B) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))
	h := newFixture(b)
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
	b.Run("new process", func(b *testing.B) { // fetches and checks the index on each request
		q := query{indexPath, map[string]string{"authorization": "Bearer " + whole, "if-none-match": "*"}, 304}
		for b.Loop() {
			q.send(b, lambdahttp.Handler(h.handler()))
		}
	})
	b.Run("archive", func(b *testing.B) {
		h.serve(b, query{"/charts/chart7-1.50.0.tgz", map[string]string{"authorization": "Bearer " + whole}, 302})
	})
}

type handlerFunc = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// query is a request and its expected status.
type query struct {
	path   string
	header map[string]string
	status int
}

// serve sends the request to one process repeatedly.
func (h *fixture) serve(b *testing.B, q query) {
	b.Helper()
	handle := lambdahttp.Handler(h.handler())
	size := q.send(b, handle) // the first request of a process fetches the index
	for b.Loop() {
		q.send(b, handle)
	}
	b.ReportMetric(float64(size), "bytes")
}

func (q query) send(b *testing.B, handle handlerFunc) (size int) {
	b.Helper()
	event := events.APIGatewayV2HTTPRequest{RawPath: q.path, Headers: q.header}
	event.RequestContext.HTTP.Method = "GET"
	response, err := handle(b.Context(), event)
	if err != nil || response.StatusCode != q.status {
		b.Fatal(err, response.StatusCode, response.Body)
	}
	return len(response.Body)
}
