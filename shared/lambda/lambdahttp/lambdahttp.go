// Package lambdahttp lets an http.Handler answer the events that an API Gateway HTTP API (payload
// format 2.0) sends to a Lambda function.
//
// It guarantees three things:
//
//   - A handler gets the same request that net/http would pass it: one value per header line, the decoded path, the
//     unchanged query string, and a body of its actual length.
//   - No event fails the invocation. The client would get an empty 500 and raise an alarm, so an event that cannot be
//     converted to a request gets a 400.
//   - No response of a handler fails the invocation. A response that Lambda rejects is replaced by a 500 and logged.
//
// Package aws-lambda-go-api-proxy does the conversion. Version 0.16.2 splits header values at commas, decodes the path
// a second time, keeps the Content-Length of base64 text, fails if a handler writes nothing, and prints to standard
// output when it fails. So it gets only the parts of the event that it converts correctly; [restore] adds the other
// parts to the request, and [recorder] checks the response. Panics pass through: the caller's handler recovers from
// them.
package lambdahttp

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
)

// Handler returns a function for lambda.Start that answers each event with h.
//
// The request has the context of the invocation with a deadline one second earlier, which leaves time for an error
// response. Its X-Request-Id header is always API Gateway's ID of the request, never one that the client sent. The
// returned error is always nil.
func Handler(h http.Handler) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		ctx, cancel := withResponseMargin(ctx)
		defer cancel()
		id := requestID(ctx, event)
		body, ok := decodeBody(event)
		if !ok {
			return badRequest(id, "The request body is not valid base64."), nil
		}
		response, err := proxy(ctx, h, request{event: event, id: id, body: body})
		if err != nil {
			slog.ErrorContext(ctx, "response replaced by a 500", "error", err, "requestId", id,
				"method", event.RequestContext.HTTP.Method, "path", event.RawPath)
			return internalError(id), nil
		}
		return response, nil
	}
}

// responseMargin is the time between the handler's deadline and the deadline of the invocation. It is enough to send an
// error response. After the invocation's deadline Lambda ends the process, and API Gateway sends an empty error.
const responseMargin = time.Second

func withResponseMargin(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, hasDeadline := ctx.Deadline()
	if !hasDeadline {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-responseMargin))
}

// proxy runs h through the adapter. It returns an error if Lambda would reject the response of h.
func proxy(ctx context.Context, h http.Handler, in request) (events.APIGatewayV2HTTPResponse, error) {
	var out recorder
	adapter := httpadapter.NewV2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		restore(r, in)
		out = recorder{ResponseWriter: w, head: r.Method == http.MethodHead}
		h.ServeHTTP(&out, r)
		out.finish()
	}))
	response, err := adapter.ProxyWithContext(ctx, eventForAdapter(in))
	if err != nil {
		return response, fmt.Errorf("adapter: %w", err)
	}
	if err := out.checkLength(); err != nil {
		return response, err
	}
	if checkSize(response) != nil {
		response = inBase64(response)
	}
	return response, checkSize(response)
}

// inBase64 returns the response with its body in base64, which is shorter if most bytes need a backslash in JSON.
func inBase64(response events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	if !response.IsBase64Encoded {
		response.Body, response.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(response.Body)), true
	}
	return response
}

// eventForAdapter returns the event without the parts that the adapter changes or fails on.
func eventForAdapter(in request) events.APIGatewayV2HTTPRequest {
	event := events.APIGatewayV2HTTPRequest{
		RawPath:        "/",
		RequestContext: in.event.RequestContext,
		StageVariables: in.event.StageVariables,
		Body:           in.body,
	}
	event.RequestContext.DomainName = ""
	event.RequestContext.HTTP.Method = http.MethodGet
	return event
}

func decodeBody(event events.APIGatewayV2HTTPRequest) (string, bool) {
	if !event.IsBase64Encoded {
		return event.Body, true
	}
	body, err := base64.StdEncoding.DecodeString(event.Body)
	return string(body), err == nil
}
