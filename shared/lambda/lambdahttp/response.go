package lambdahttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/errorcode"
)

// maxPayloadBytes is the largest JSON of a synchronous response that Lambda accepts.
const maxPayloadBytes = 6 << 20

// maxExpansion is the most bytes that JSON needs for one byte of text (\u0000).
const maxExpansion = 6

// recorder applies net/http's rules about statuses and bodies, which the adapter's writer ignores.
type recorder struct {
	http.ResponseWriter
	head    bool
	status  int
	written int64
}

// WriteHeader keeps the first final status. A Lambda response cannot have informational ones.
func (w *recorder) WriteHeader(status int) {
	informational := status >= 100 && status < 200
	if w.status != 0 || informational {
		return
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write rejects a body if the status permits none. It keeps the body of a response to HEAD, because API Gateway
// computes the Content-Length from it, ignoring the declared one, and does not send it.
func (w *recorder) Write(p []byte) (int, error) {
	w.finish()
	if !w.bodyAllowed() {
		return 0, http.ErrBodyNotAllowed
	}
	w.written += int64(len(p))
	return w.ResponseWriter.Write(p)
}

// finish sets the status to 200 if the handler set none.
func (w *recorder) finish() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

func (w *recorder) bodyAllowed() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// checkLength returns an error for a truncated body. net/http would close the connection.
func (w *recorder) checkLength() error {
	declared := w.Header().Get("Content-Length")
	if declared == "" || w.head || !w.bodyAllowed() {
		return nil
	}
	if declared != strconv.FormatInt(w.written, 10) {
		return fmt.Errorf("handler declared Content-Length %s and wrote %d bytes", declared, w.written)
	}
	return nil
}

// checkSize returns an error if the response is too large. It encodes the response only if it could be too large with
// every byte escaped.
func checkSize(response events.APIGatewayV2HTTPResponse) error {
	if rawSize(response)*maxExpansion <= maxPayloadBytes {
		return nil
	}
	var size byteCounter
	encoder := json.NewEncoder(&size)
	encoder.SetEscapeHTML(false) // as the Lambda runtime does
	if err := encoder.Encode(response); err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	if size > maxPayloadBytes {
		return fmt.Errorf("response is %d bytes of JSON; Lambda takes %d", size, maxPayloadBytes)
	}
	return nil
}

func rawSize(response events.APIGatewayV2HTTPResponse) int {
	const keys = 256 // the names of the response's own fields
	size := keys + len(response.Body)
	for name, value := range response.Headers {
		size += len(name) + len(value) + len(`"":"",`)
	}
	for _, cookie := range response.Cookies {
		size += len(cookie) + len(`"",`)
	}
	return size
}

// byteCounter counts the bytes written to it.
type byteCounter int

func (c *byteCounter) Write(p []byte) (int, error) {
	*c += byteCounter(len(p))
	return len(p), nil
}

// problem is a problem details document (RFC 9457) like those of shared/web. It is written here because no handler of
// shared/web has run, or its response was rejected.
type problem struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Detail    string         `json:"detail"`
	Code      errorcode.Code `json:"code"`
	RequestID string         `json:"requestId,omitempty"`
}

func badRequest(id, detail string) events.APIGatewayV2HTTPResponse {
	return problem{Code: errorcode.ValidationError, Detail: detail, RequestID: id}.response()
}

func internalError(id string) events.APIGatewayV2HTTPResponse {
	return problem{
		Code:      errorcode.InternalError,
		Detail:    "The response could not be sent. Try again, or request less at once.",
		RequestID: id,
	}.response()
}

func (p problem) response() events.APIGatewayV2HTTPResponse {
	p.Status = p.Code.Status()
	p.Type, p.Title = p.Code.Type(), http.StatusText(p.Status)
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // a struct of strings and a number always encodes
	}
	headers := map[string]string{"Content-Type": "application/problem+json"}
	if p.RequestID != "" {
		headers[requestIDHeader] = p.RequestID
	}
	return events.APIGatewayV2HTTPResponse{StatusCode: p.Status, Headers: headers, Body: string(body), Cookies: []string{}}
}
