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
	errMissing  = errors.New("transcribe: the resource does not exist")
	errConflict = errors.New("transcribe: the name is taken")
	errSilent   = errors.New("transcribe: no words")
)

// Error codes of the service.
const (
	badRequest = "BadRequestException"
	notFound   = "NotFoundException"
	conflict   = "ConflictException"
	limited    = "LimitExceededException"
)

// exception is an error of the service, without its message.
type exception struct {
	operation string
	status    int
	code      string
}

// Error implements error.
func (r *exception) Error() string {
	return fmt.Sprintf("transcribe: %s: status %d, %s", r.operation, r.status, r.code)
}

// isServerError reports whether the service itself failed. It may have carried out the request
// nevertheless.
func (r *exception) isServerError() bool { return r.status >= http.StatusInternalServerError }

// withoutRetries turns off the retries of the SDK, which does not know how much time is left.
func withoutRetries(o *transcribe.Options) { o.Retryer = aws.NopRetryer{} }

// call calls the service, and retries while it is busy.
func (t *Transcriber) call(ctx context.Context, operation string, do func() error) error {
	return asTranscriptionError(t.options.Retrier.Do(ctx, func(int) error { return errorOf(ctx, operation, do()) }))
}

// asTranscriptionError turns Busy into ErrBusy, whose text is about transcriptions.
func asTranscriptionError(err error) error {
	if busy, ok := errors.AsType[*mediaprompt.Busy](err); ok {
		return fmt.Errorf("%w (%w)", ErrBusy, busy.Cause)
	}
	return err
}

// errorOf classifies an error of the SDK.
func errorOf(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	r := &exception{operation: operation}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.Response != nil {
		r.status = response.HTTPStatusCode()
	}
	if exception, ok := errors.AsType[smithy.APIError](err); ok {
		r.code = exception.ErrorCode()
	}
	_, isSendError := errors.AsType[*smithyhttp.RequestSendError](err)
	switch {
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return canceledError(ctx)
	case ctx.Err() != nil || isSendError || errors.Is(err, io.ErrUnexpectedEOF):
		return &mediaprompt.Busy{Cause: fmt.Errorf("transcribe: %s: there was no response", operation)}
	case r.status == 0:
		return fmt.Errorf("transcribe: %s: the request cannot be sent: %w", operation, err) // wrong credentials or region
	case r.status == http.StatusOK:
		return &mediaprompt.Busy{Cause: fmt.Errorf("transcribe: %s: the response cannot be decoded", operation)}
	}
	return r.classify()
}

func (r *exception) classify() error {
	switch {
	case r.code == conflict:
		return errConflict
	case r.code == limited, r.status == http.StatusTooManyRequests, r.isServerError(), strings.HasPrefix(r.code, "Throttl"):
		return &mediaprompt.Busy{Cause: r}
	}
	return r
}

// asMissing returns errMissing if the service has no job or vocabulary of the name. It says so with a
// bad request, which cannot mean anything else, because our names are always valid.
func asMissing(err error) error {
	if r, ok := errors.AsType[*exception](err); ok && (r.code == badRequest || r.code == notFound) {
		return errMissing
	}
	return err
}

// failureReasons maps words of the service's messages about failed jobs to errors. The first match
// decides.
var failureReasons = []struct {
	words string
	err   error
}{
	{"language identification", ErrTooLittleSpeech},
	{"number of channels", ErrUnsupported},
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
	{"vocabular", ErrBusy}, // it was deleted to make room; the next attempt creates it again
	{"internal", ErrBusy},
}

// jobFailure returns the error for the reason of a failed job. Unknown reasons are internal errors; they
// are usually about the configuration.
func jobFailure(reason string) error {
	lower := strings.ToLower(reason)
	for _, r := range failureReasons {
		if strings.Contains(lower, r.words) {
			return r.err
		}
	}
	const maxBytes = 200
	return fmt.Errorf("transcribe: the job failed: %q", reason[:min(len(reason), maxBytes)])
}
