package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/documents"
	"portside/shared/core/principal"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/media"
)

// BenchmarkUpload measures what a file of 4 MB costs from the event to the answer, apart from reading
// and answering, which are trivial here. In one case the file stays in the function; in the other it
// is uploaded to S3 beside the work, and deleted again.
func BenchmarkUpload(b *testing.B) {
	for name, delay := range map[string]time.Duration{"not uploaded": time.Hour, "uploaded": 0} {
		b.Run(name, func(b *testing.B) {
			a := newTestAPI(b)
			a.useStubEngine().set("Short.", nil)
			a.service = media.NewService(a.trivialParts())
			a.timing.UploadDelay = delay
			handle, event := lambdahttp.Handler(a.handler()), a.event(4_000_000)
			for b.Loop() {
				var request events.APIGatewayV2HTTPRequest
				if err := json.Unmarshal(event, &request); err != nil {
					b.Fatal(err)
				}
				if answer, err := handle(b.Context(), request); err != nil || answer.StatusCode != http.StatusOK {
					b.Fatal(answer.StatusCode, answer.Body, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/file")
		})
	}
}

// trivialParts returns parts that read one word of every file and cache nothing.
func (a *testAPI) trivialParts() media.Parts {
	parts := a.service.Parts
	parts.Detect = func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
		return documents.PlainText, nil
	}
	parts.Readers = map[documents.Format]documents.Reader{
		documents.PlainText: func(_ context.Context, _ documents.Source, into *documents.Builder) error {
			return into.Add(documents.Block{Kind: documents.Paragraph, Text: "Word."})
		},
	}
	parts.Results = noResults{}
	return parts
}

// noResults caches no answers.
type noResults struct{}

// FindResult implements media.Results.
func (noResults) FindResult(context.Context, string) (media.Answer, bool, error) {
	return media.Answer{}, false, nil
}

// SaveResult implements media.Results.
func (noResults) SaveResult(context.Context, string, media.Answer) error { return nil }

// event returns the event of a request with a file of the size, as Lambda delivers it.
func (a *testAPI) event(size int) []byte {
	contentType, text := formBody(a.tb, "@file", strings.Repeat("x", size))
	request := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /v1/capabilities/{proxy+}", RawPath: summarizePath,
		Headers: map[string]string{"content-type": contentType, "x-api-key": a.newKey(ada, principal.User).Reveal()},
		Body:    base64.StdEncoding.EncodeToString([]byte(text)), IsBase64Encoded: true,
	}
	request.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{
		Method: http.MethodPost, Path: summarizePath, Protocol: "HTTP/1.1", SourceIP: "127.0.0.1",
	}
	event, err := json.Marshal(request)
	if err != nil {
		a.tb.Fatal(err)
	}
	return event
}
