// Package start runs a Lambda function. A function's main calls [HTTP] or [Events] with a builder, which reads the
// settings and wires the clients and services. Everything that all functions do at start-up is here: they log one JSON
// object per line, report all missing settings at once, and exit with status 1 if they cannot start.
//
// The package does not load the AWS configuration, because functions that call no AWS service start faster without it.
package start

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"portside/shared/core/audit"
	"portside/shared/core/text"
	"portside/shared/lambda/lambdahttp"
)

// HTTP serves the requests of an API Gateway HTTP API with the handler that build returns. It does not return. If the
// variable EDGE_SECRETS is set, the API is behind a CloudFront distribution; see [lambdahttp.BehindCloudFront].
func HTTP(build func(*Settings) (http.Handler, error)) {
	delayCollection()
	handler := lambdahttp.EventHandler(lambdahttp.Handler(buildOrExit(build)))
	if secrets := os.Getenv("EDGE_SECRETS"); secrets != "" {
		handler = lambdahttp.BehindCloudFront(strings.Split(secrets, ","), handler)
	}
	lambda.Start(handler)
}

// Events passes events to the handler that build returns, which has a form that lambda.Start accepts. It does not
// return. The audit log shows the handler's changes as changes of the function.
func Events(build func(*Settings) (handler any, err error)) {
	actor := audit.Actor{Kind: audit.Schedule, Name: lambdacontext.FunctionName}
	lambda.StartWithOptions(buildOrExit(build), lambda.WithContext(audit.WithActor(context.Background(), actor)))
}

// buildOrExit builds a handler. It checks the settings after build has read them, so build may pass an empty setting on
// to constructors, but must not call a service.
func buildOrExit[H any](build func(*Settings) (H, error)) H {
	logJSON()
	settings := NewSettings(os.LookupEnv)
	handler, err := build(settings)
	if missing := settings.Err(); missing != nil {
		log.Fatal(missing)
	}
	if err != nil {
		log.Fatal(err)
	}
	return handler
}

// logJSON makes slog's default logger write one JSON object per line to standard error, which CloudWatch Logs can query
// by field. The standard library's log writes through it at level ERROR: it is used by functions that cannot start and
// by the Lambda library when it cannot continue.
//
// Each record has the ID of the invocation, under which Lambda's own records and failed events refer to it.
func logJSON() {
	slog.SetDefault(slog.New(withInvocation{slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{
		Level: logLevel(), ReplaceAttr: maskSecrets,
	})}))
	slog.SetLogLoggerLevel(slog.LevelError)
}

// maskSecrets keeps credentials out of the log that a client has sent at a wrong place, such as in a path.
func maskSecrets(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(text.MaskSecrets(a.Value.String()))
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(text.MaskSecrets(err.Error()))
		}
	}
	return a
}

// logLevel returns the level of the function's setting ApplicationLogLevel, which Lambda puts into the environment. The
// default is INFO, also for levels that slog does not have.
func logLevel() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(os.Getenv("AWS_LAMBDA_LOG_LEVEL"))); err != nil {
		return slog.LevelInfo
	}
	return level
}

// withInvocation adds the ID of the invocation to each record.
type withInvocation struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withInvocation) Handle(ctx context.Context, record slog.Record) error {
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		record.AddAttrs(slog.String("invocation", invocation.AwsRequestID))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h withInvocation) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withInvocation{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withInvocation) WithGroup(name string) slog.Handler {
	return withInvocation{h.Handler.WithGroup(name)}
}
