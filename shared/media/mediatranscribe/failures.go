package mediatranscribe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"portside/documents"
	"portside/shared/media/mediaprompt"
)

var (
	errMissing  = errors.New("transcribe: there is no such thing")
	errConflict = errors.New("transcribe: there is one of the name already")
	errSilent   = errors.New("transcribe: no words")
)

// Codes of the service.
const (
	badRequest = "BadRequestException"
	notFound   = "NotFoundException"
	conflict   = "ConflictException"
	limited    = "LimitExceededException"
)

// refusal is an exception of the service, without its words.
type refusal struct {
	operation string
	status    int
	code      string
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("transcribe: %s: status %d, %s", r.operation, r.status, r.code)
}

// server reports whether the service itself failed, so that nobody knows what was done.
func (r *refusal) server() bool { return r.status >= http.StatusInternalServerError }

// once leaves trying again to us, who know the time that is left.
func once(o *transcribe.Options) { o.Retryer = aws.NopRetryer{} }

// call makes a call, and repeats it while the service is busy.
func (t *Transcriber) call(ctx context.Context, operation string, do func() error) error {
	return told(t.options.Retrier.Do(ctx, func(int) error { return failed(ctx, operation, do()) }))
}

// told says it in terms of transcriptions.
func told(err error) error {
	if busy, ok := errors.AsType[*mediaprompt.Busy](err); ok {
		return fmt.Errorf("%w (%w)", ErrBusy, busy.Cause)
	}
	return err
}

// failed says what an error of the SDK comes to.
func failed(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	r := &refusal{operation: operation}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		r.status = response.HTTPStatusCode()
	}
	if exception, ok := errors.AsType[smithy.APIError](err); ok {
		r.code = exception.ErrorCode()
	}
	_, unsent := errors.AsType[*smithyhttp.RequestSendError](err)
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ended(ctx)
	case ctx.Err() != nil || unsent || errors.Is(err, io.ErrUnexpectedEOF):
		return &mediaprompt.Busy{Cause: fmt.Errorf("transcribe: %s: no answer", operation)}
	case r.status == 0:
		return fmt.Errorf("transcribe: %s: no request can be made: %w", operation, err) // credentials, region
	case r.status == http.StatusOK:
		return &mediaprompt.Busy{Cause: fmt.Errorf("transcribe: %s: the answer cannot be read", operation)}
	}
	return r.mapped()
}

func (r *refusal) mapped() error {
	switch {
	case r.code == conflict:
		return errConflict
	case r.code == limited, r.status == http.StatusTooManyRequests, r.server(), strings.HasPrefix(r.code, "Throttl"):
		return &mediaprompt.Busy{Cause: r}
	}
	return r
}

// missing tells from a refusal that there is no job or vocabulary of the name. As our names are always valid, a bad request is
// about nothing else.
func missing(err error) error {
	if r, ok := errors.AsType[*refusal](err); ok && (r.code == badRequest || r.code == notFound) {
		return errMissing
	}
	return err
}

// reasons are words of the service's fixed sentences about failed jobs, in the order in which they decide.
var reasons = []struct {
	words string
	err   error
}{
	{"language identification", ErrTooLittle},
	{"number of channels", ErrUnheard},
	{"file size", ErrTooLarge},
	{"too long", ErrTooLarge},
	{"too small", errSilent},
	{"too short", errSilent},
	{"no speech", errSilent},
	{"media format", documents.ErrDamaged},
	{"sample rate", documents.ErrDamaged},
	{"parse", documents.ErrDamaged},
	{"audio stream", documents.ErrDamaged},
	{"audio track", documents.ErrDamaged},
	{"vocabular", ErrBusy}, // it was deleted to make room; the next try makes it again
	{"internal", ErrBusy},
}

// failure says in terms of recordings why a job failed. Other reasons are about how we are set up; they stay in the log.
func failure(reason string) error {
	lower := strings.ToLower(reason)
	for _, r := range reasons {
		if strings.Contains(lower, r.words) {
			return r.err
		}
	}
	const most = 200
	return fmt.Errorf("transcribe: the job failed: %q", reason[:min(len(reason), most)])
}
