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

// refusal is an exception of the service. Its message is for telling what is refused, and goes no further.
type refusal struct {
	status  int
	code    string
	message string // lower case
}

// Error says no more than what cannot be a piece of a document.
func (r *refusal) Error() string { return fmt.Sprintf("bedrock: status %d, %s", r.status, r.code) }

// failed says what an error of the SDK comes to, and the status of the answer; 0 where there was none.
func failed(ctx context.Context, err error) (status int, mapped error) {
	r := &refusal{}
	var header http.Header
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		r.status, header = response.HTTPStatusCode(), response.Response.Header
	}
	if exception, ok := errors.AsType[smithy.APIError](err); ok {
		r.code, r.message = exception.ErrorCode(), strings.ToLower(exception.ErrorMessage())
	}
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return r.status, fmt.Errorf("bedrock: the call was ended: %w", context.Cause(ctx))
	case ctx.Err() != nil || unsent(err) || errors.Is(err, io.ErrUnexpectedEOF):
		return r.status, &mediaprompt.Busy{Cause: gone(ctx)}
	case r.status == 0:
		return 0, fmt.Errorf("bedrock: no request can be made: %w", err) // credentials, region, model's name
	case r.status == http.StatusOK:
		return r.status, mediaprompt.ErrJunk // it cannot be decoded
	}
	return r.status, r.mapped(header)
}

// unsent reports whether the connection failed before there was an answer.
func unsent(err error) bool {
	_, ok := errors.AsType[*smithyhttp.RequestSendError](err)
	return ok
}

// gone is a connection that failed, without the SDK's words.
func gone(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("bedrock: no answer: %w", err)
	}
	return errors.New("bedrock: the connection failed")
}

func (r *refusal) mapped(header http.Header) error {
	switch {
	case r.status == http.StatusTooManyRequests, r.status == http.StatusRequestTimeout, r.status == http.StatusFailedDependency,
		r.status >= 500:
		return &mediaprompt.Busy{After: retryAfter(header), Cause: r}
	case r.code == "ServiceQuotaExceededException":
		return fmt.Errorf("%w (%w)", mediaprompt.ErrBusy, r) // trying again at once cannot help
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

// after is the dialect to try after a refusal; false where the refusal is about something else. It gives up one thing each
// time, so that trying comes to an end.
func (d dialect) after(err error) (dialect, bool) {
	r, ok := errors.AsType[*refusal](err)
	if !ok || r.code != "ValidationException" {
		return d, false
	}
	switch {
	case !d.noCool && strings.Contains(r.message, "temperature"):
		d.noCool = true
	case !d.noStrict && strings.Contains(r.message, "strict"):
		d.noStrict = true
	default:
		return d, false
	}
	return d, true
}
