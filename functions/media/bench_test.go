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

// BenchmarkUpload is what a file of 4 MB costs besides reading and answering, which are trivial here: from the bytes of the event to
// the answer, with the file kept to ourselves, and with it sent to S3 and deleted there again.
func BenchmarkUpload(b *testing.B) {
	for name, wait := range map[string]waiting{"alone": patience, "sent beside": {most: patience.most}} {
		b.Run(name, func(b *testing.B) {
			s := newStudio(b)
			s.ponder().known = "Short."
			s.work = media.NewService(s.trivial())
			s.wait = wait
			handle, event := lambdahttp.Handler(s.handler()), s.event(4_000_000)
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

// trivial reads one word of every file.
func (s *studio) trivial() media.Parts {
	parts := s.work.Parts
	parts.Detect = func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
		return documents.PlainText, nil
	}
	parts.Readers = map[documents.Format]documents.Reader{
		documents.PlainText: func(_ context.Context, _ documents.Source, into *documents.Builder) error {
			return into.Add(documents.Block{Kind: documents.Paragraph, Text: "Word."})
		},
	}
	parts.Results = forgetful{}
	return parts
}

// forgetful keeps no answers.
type forgetful struct{}

// Find implements media.Results.
func (forgetful) Find(context.Context, string) (media.Answer, bool, error) {
	return media.Answer{}, false, nil
}

// Keep implements media.Results.
func (forgetful) Keep(context.Context, string, media.Answer) error { return nil }

// event is a request with a file of so many bytes, as Lambda delivers it.
func (s *studio) event(size int) []byte {
	contentType, text := body(s.tb, "@file", strings.Repeat("x", size))
	request := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /v1/capabilities/{proxy+}", RawPath: summarizePath,
		Headers: map[string]string{"content-type": contentType, "x-api-key": s.key(ada, principal.User).Reveal()},
		Body:    base64.StdEncoding.EncodeToString([]byte(text)), IsBase64Encoded: true,
	}
	request.RequestContext.HTTP = events.APIGatewayV2HTTPRequestContextHTTPDescription{
		Method: http.MethodPost, Path: summarizePath, Protocol: "HTTP/1.1", SourceIP: "127.0.0.1",
	}
	event, err := json.Marshal(request)
	if err != nil {
		s.tb.Fatal(err)
	}
	return event
}
