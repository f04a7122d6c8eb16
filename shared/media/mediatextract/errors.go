package mediatextract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"portside/documents"
	"portside/shared/media/mediaprompt"
)

// exception is an error response of the service. It leaves out the message, which may contain text from a picture.
type exception struct {
	status int
	code   string
}

// Error implements error.
func (e *exception) Error() string { return fmt.Sprintf("textract: status %d, %s", e.status, e.code) }

// newException reads an error response. The code may have a namespace before it and a URL after it.
func newException(response *http.Response, content []byte) *exception {
	var body struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(content, &body) // a response of a proxy has no type
	code, _, _ := strings.Cut(cmp.Or(response.Header.Get("X-Amzn-Errortype"), body.Type), ":")
	code = code[strings.LastIndexByte(code, '#')+1:]
	return &exception{status: response.StatusCode, code: safeCode(code)}
}

// safeCode returns the code if it looks like the name of an exception. Errors are logged, so they must not contain arbitrary text.
func safeCode(code string) string {
	const maxBytes = 64
	isLetter := func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
	if code == "" || len(code) > maxBytes || strings.ContainsFunc(code, func(r rune) bool { return !isLetter(r) }) {
		return "unknown"
	}
	return code
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
