package mediatextract

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"portside/documents"
	"portside/shared/media/mediaprompt"
)

// exception is an error of the service, without its message, which may contain text of a picture.
type exception struct {
	status int
	code   string
}

// Error implements error.
func (e *exception) Error() string { return fmt.Sprintf("textract: status %d, %s", e.status, e.code) }

// newException reads an error response. The code may have a namespace in front and a URL behind.
func newException(response *http.Response, content []byte) *exception {
	var body struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(content, &body) // what does not come from the service itself, has no type
	code, _, _ := strings.Cut(cmp.Or(response.Header.Get("X-Amzn-Errortype"), body.Type), ":")
	code = code[strings.LastIndexByte(code, '#')+1:]
	return &exception{status: response.StatusCode, code: knownCode(code)}
}

// knownCode returns the code if it looks like one, because errors get into the log.
func knownCode(code string) string {
	const maxBytes = 64
	isLetter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	if code == "" || len(code) > maxBytes || strings.ContainsFunc(code, func(r rune) bool { return !isLetter(r) }) {
		return "unknown"
	}
	return code
}

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

// connectionError returns the error for a connection that ended before the whole response had come. It leaves out the text of the
// HTTP client. The time limit of one call is a failure of the service, that of the caller's context is not.
func connectionError(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return &mediaprompt.Busy{Cause: errors.New("textract: the connection failed")}
	case errors.Is(err, context.DeadlineExceeded):
		return &mediaprompt.Busy{Cause: fmt.Errorf("textract: there was no response: %w", err)}
	}
	return fmt.Errorf("textract: the call was canceled: %w", context.Cause(ctx))
}
