// Package lambdahttp lets an http.Handler answer the events that an API Gateway HTTP API (payload
// format 2.0) sends to a Lambda function.
//
// Three things stay true. A handler sees the request that net/http would have shown it for the same
// bytes: one value per header line, the decoded path, the query string untouched, a body of its real
// length. No event, however odd, fails the invocation: the client would get an empty 500 for that and
// the alarm would ring for somebody's typing error, so what cannot become a request is a 400 here.
// And no handler can fail it by an answer that Lambda refuses: that becomes a logged 500.
//
// The work is done by aws-lambda-go-api-proxy, which gets only what it handles well. The rest is
// put back from the event ([restore]) or checked on the way out ([recorder]), because version 0.16.2
// splits header values at commas, takes the path for percent-encoded, keeps a Content-Length that
// counts base64 text, fails on a handler that writes nothing, and prints to standard output when it
// fails. Panics are left alone: the layer above answers them, and the runtime reports the others.
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

// Handler returns the function that lambda.Start wants, which answers each event through h.
//
// The request's context is that of the invocation; it ends a second before, so that there is time to say so. Its X-Request-Id header is
// always API Gateway's own ID of the request, never one that a client sent. The returned error is
// nil for every event.
func Handler(h http.Handler) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		ctx, cancel := withMargin(ctx)
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

// margin is what is left of the invocation's time when the handler's is over: enough to answer, where Lambda would end the
// process and API Gateway say nothing of use.
const margin = time.Second

func withMargin(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-margin))
}

// proxy runs h through the adapter. An error means that h's answer cannot be sent as it is.
func proxy(ctx context.Context, h http.Handler, in request) (events.APIGatewayV2HTTPResponse, error) {
	var out recorder
	adapter := httpadapter.NewV2(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		restore(r, in)
		out = recorder{ResponseWriter: w, head: r.Method == http.MethodHead}
		h.ServeHTTP(&out, r)
		out.finish()
	}))
	response, err := adapter.ProxyWithContext(ctx, digestible(in))
	if err != nil {
		return response, fmt.Errorf("adapter: %w", err)
	}
	if err := out.checkLength(); err != nil {
		return response, err
	}
	if checkSize(response) != nil {
		response = packed(response)
	}
	return response, checkSize(response)
}

// packed is the response with its body in base64, which is shorter where most bytes would need a backslash.
func packed(response events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	if !response.IsBase64Encoded {
		response.Body, response.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(response.Body)), true
	}
	return response
}

// digestible is the event without all that the adapter would distort or fail on.
func digestible(in request) events.APIGatewayV2HTTPRequest {
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
