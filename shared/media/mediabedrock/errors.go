package mediabedrock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"portside/shared/media/mediaprompt"
)

// exception is an error of the service. Its message is only used to find out what the service refuses.
type exception struct {
	status  int
	code    string
	message string // lower case
}

// Error leaves out the message, because it may contain text of a document.
func (r *exception) Error() string { return fmt.Sprintf("bedrock: status %d, %s", r.status, r.code) }

// errorOf classifies an error of the SDK. It also returns the HTTP status, or 0 if there was no
// response.
func errorOf(ctx context.Context, err error) (status int, mapped error) {
	r := &exception{}
	var header http.Header
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		r.status, header = response.HTTPStatusCode(), response.Response.Header
	}
	if exception, ok := errors.AsType[smithy.APIError](err); ok {
		r.code, r.message = exception.ErrorCode(), strings.ToLower(exception.ErrorMessage())
	}
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return r.status, fmt.Errorf("bedrock: the call was canceled: %w", context.Cause(ctx))
	case ctx.Err() != nil || isSendError(err) || errors.Is(err, io.ErrUnexpectedEOF):
		return r.status, &mediaprompt.Busy{Cause: connectionError(ctx)}
	case r.status == 0:
		return 0, fmt.Errorf("bedrock: the request cannot be sent: %w", err) // wrong credentials, region or model
	case r.status == http.StatusOK:
		return r.status, mediaprompt.ErrJunk // the response cannot be decoded
	}
	return r.status, r.classify(header)
}

// isSendError reports whether the connection failed before there was a response.
func isSendError(err error) bool {
	_, ok := errors.AsType[*smithyhttp.RequestSendError](err)
	return ok
}

// connectionError returns the error of a failed connection, without the text of the SDK.
func connectionError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("bedrock: there was no response: %w", err)
	}
	return errors.New("bedrock: the connection failed")
}

func (r *exception) classify(header http.Header) error {
	switch {
	case r.status == http.StatusTooManyRequests, r.status == http.StatusRequestTimeout, r.status == http.StatusFailedDependency,
		r.status >= 500:
		return &mediaprompt.Busy{After: retryAfter(header), Cause: r}
	case r.code == "ServiceQuotaExceededException":
		return fmt.Errorf("%w (%w)", mediaprompt.ErrBusy, r) // an immediate retry cannot succeed
	case r.code == "ValidationException" && (strings.Contains(r.message, "too long") || strings.Contains(r.message, "input tokens")):
		return fmt.Errorf("%w (%w)", mediaprompt.ErrTooLong, r)
	}
	return r
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 20)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// simplify returns the dialect to try after an error, or false if the error is not about a parameter.
// It drops one parameter at a time, so the attempts end.
func (d dialect) simplify(err error) (dialect, bool) {
	r, ok := errors.AsType[*exception](err)
	if !ok || r.code != "ValidationException" {
		return d, false
	}
	switch {
	case !d.noTemperature && strings.Contains(r.message, "temperature"):
		d.noTemperature = true
	case !d.noStrict && strings.Contains(r.message, "strict"):
		d.noStrict = true
	default:
		return d, false
	}
	return d, true
}
