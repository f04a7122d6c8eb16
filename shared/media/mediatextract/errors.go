package mediatextract

import (
	"fmt"
	"net/http"

	"portside/documents"
	"portside/shared/lambda/awsrequest"
	"portside/shared/media/mediaprompt"
)

// exception is an error response of the service. It leaves out the message, which may contain text from a picture.
type exception struct {
	status int
	code   string
}

// Error implements error.
func (e *exception) Error() string { return fmt.Sprintf("textract: status %d, %s", e.status, e.code) }

// newException reads an error response.
func newException(response *http.Response, content []byte) *exception {
	return &exception{status: response.StatusCode, code: awsrequest.CodeOf(response, content)}
}

// classify returns the error that callers handle: damaged or too large pictures, a busy service, or the exception.
func (e *exception) classify() error {
	switch e.code {
	case "BadDocumentException", "UnsupportedDocumentException":
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, e)
	case "DocumentTooLargeException":
		return fmt.Errorf("%w (%w)", documents.TooLarge(maxPictureBytes), e)
	case "ProvisionedThroughputExceededException", "ThrottlingException", "LimitExceededException", "RequestTimeoutException":
		return &mediaprompt.Busy{Cause: e}
	}
	if e.status == http.StatusTooManyRequests || e.status == http.StatusRequestTimeout || e.status >= http.StatusInternalServerError {
		return &mediaprompt.Busy{Cause: e}
	}
	return e
}
