package mediabedrock

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portside/shared/lambda/awsrequest"
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

// newException reads an error response.
func newException(response *http.Response, content []byte) *exception {
	var body struct{ Message string }
	_ = json.Unmarshal(content, &body) // a response of a proxy has no message
	return &exception{
		status: response.StatusCode, code: awsrequest.CodeOf(response, content), message: strings.ToLower(body.Message),
	}
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
