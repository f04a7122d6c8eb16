package lambdahttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aws/aws-lambda-go/events"
)

// maxPayload is the size in bytes above which Lambda refuses the JSON of a synchronous answer.
const maxPayload = 6 << 20

// maxExpansion is how many bytes JSON needs at most for one byte of text (\u0000).
const maxExpansion = 6

// recorder keeps net/http's rules about statuses and bodies, which the adapter's writer does not know.
type recorder struct {
	http.ResponseWriter
	head    bool
	status  int
	written int64
}

// WriteHeader keeps the first final status. Informational ones have no place in a Lambda answer.
func (w *recorder) WriteHeader(status int) {
	informational := status >= 100 && status < 200
	if w.status != 0 || informational {
		return
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write refuses a body where HTTP knows none. The one that would answer a GET is kept for HEAD too: API Gateway makes the
// Content-Length from it, whatever the function declared, and leaves the body itself out.
func (w *recorder) Write(p []byte) (int, error) {
	w.finish()
	if !w.bodyAllowed() {
		return 0, http.ErrBodyNotAllowed
	}
	w.written += int64(len(p))
	return w.ResponseWriter.Write(p)
}

// finish makes the status 200 where the handler said none.
func (w *recorder) finish() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

func (w *recorder) bodyAllowed() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// checkLength finds a body cut short, which net/http would show by closing the connection.
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

// checkSize measures the JSON only of an answer that could be too large when every byte is escaped.
func checkSize(response events.APIGatewayV2HTTPResponse) error {
	if rawSize(response)*maxExpansion <= maxPayload {
		return nil
	}
	var size counter
	encoder := json.NewEncoder(&size)
	encoder.SetEscapeHTML(false) // as the Lambda runtime does
	if err := encoder.Encode(response); err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	if size > maxPayload {
		return fmt.Errorf("response is %d bytes of JSON; Lambda takes %d", size, maxPayload)
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

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// problem is an RFC 9457 document, in the words that every other answer of Portside uses. It is
// written here and not by shared/web because no handler has run, or none that is to be heard.
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"requestId,omitempty"`
}

func badRequest(id, detail string) events.APIGatewayV2HTTPResponse {
	return problem{Status: http.StatusBadRequest, Code: "VALIDATION_ERROR", Detail: detail, RequestID: id}.response()
}

func internalError(id string) events.APIGatewayV2HTTPResponse {
	return problem{
		Status:    http.StatusInternalServerError,
		Code:      "INTERNAL_ERROR",
		Detail:    "The answer could not be sent. Try again, or ask for less at once.",
		RequestID: id,
	}.response()
}

func (p problem) response() events.APIGatewayV2HTTPResponse {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
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
