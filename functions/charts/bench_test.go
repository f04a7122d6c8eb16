package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/charts"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/lambda/lambdahttp"
)

type handlerFunc = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// query is a request and its expected status.
type query struct {
	path   string
	header map[string]string
	status int
	raw    string // of the query
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
	event := events.APIGatewayV2HTTPRequest{RawPath: q.path, RawQueryString: q.raw, Headers: q.header}
	event.RequestContext.HTTP.Method = "GET"
	response, err := handle(b.Context(), event)
	if err != nil || response.StatusCode != q.status {
		b.Fatal(err, response.StatusCode, response.Body)
	}
	return len(response.Body)
}

// BenchmarkCatalog serves the operations for people from an index of 100,000 charts.
func BenchmarkCatalog(b *testing.B) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler))
	h := newFixture(b)
	h.limit = 0
	for i := range 100_000 {
		h.list(fmt.Sprintf("chart%d", i), "1.0.0", "archive")
	}
	key := h.issue(credentials.APIKey, func(c *credentials.Credential) { c.Owner.Role, c.Scopes = principal.Manager, nil })
	owners := h.issue(credentials.APIKey, func(c *credentials.Credential) { c.Scopes = nil })
	h.token("read:helm-charts:chart7", "read:helm-charts:chart8", "read:helm-charts:chart99999")
	templates := make([]string, 0, 80)
	for i := range cap(templates) / 2 {
		templates = append(templates, fmt.Sprintf("c/templates/%d.yaml", i),
			strings.Repeat("key: {{ .Values.value }}\n", 100))
	}
	typical := archive(b, append(templates, "c/values.yaml", strings.Repeat("key: value\n", 1000), "c/README.md",
		"# Chart\n")...)
	noise := make([]byte, 20<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, contents := range map[string]string{"typical": typical, "large": archive(b, "c/files/data", string(noise))} {
		v := h.list(name, "1.0.0", contents)
		h.put(charts.ArchivesPrefix+v.File(), []byte(contents))
	}
	h.putIndex()
	for _, c := range []struct{ name, path, key string }{
		{"list", "/v1/charts?limit=100", key.Reveal()},
		{"filter", "/v1/charts?limit=100&q=99", key.Reveal()},
		{"narrowed", "/v1/charts?limit=100", owners.Reveal()},
		{"versions", "/v1/charts/chart7", key.Reveal()},
		{"typical chart", "/v1/charts/typical/1.0.0", key.Reveal()},
		{"chart of 20 MB", "/v1/charts/large/1.0.0", key.Reveal()},
	} {
		path, raw, _ := strings.Cut(c.path, "?")
		b.Run(c.name, func(b *testing.B) { h.serve(b, query{path, map[string]string{"x-api-key": c.key}, 200, raw}) })
	}
}
