package mediaopenai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portside/shared/media/mediaprompt"
)

const (
	maxAnswerBytes  = 16 << 20
	maxRefusalBytes = 64 << 10
)

// caller sends single requests.
type caller struct {
	base    *url.URL
	key     KeySource
	model   string
	client  *http.Client
	retrier mediaprompt.Retrier
	calls   mediaprompt.CallLog
}

// call is a request to an endpoint.
type call struct {
	endpoint    []string // below the base URL
	contentType string   // content type
	body        io.Reader
	size        int64
	attempt     int
}

// usageReport is the usage that a response reports. The names of the fields depend on the endpoint,
// and servers may leave out any of them.
type usageReport struct {
	Duration number `json:"duration"` // seconds of a recording
	Usage    struct {
		Prompt     number `json:"prompt_tokens"`
		Completion number `json:"completion_tokens"`
		Input      number `json:"input_tokens"`
		Output     number `json:"output_tokens"`
		Seconds    number `json:"seconds"`
	} `json:"usage"`
}

// number is a number that a server may write as a string. Anything else is 0, so that it does not
// prevent reading the other fields.
type number float64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(text []byte) error {
	read, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err == nil && read > 0 && read < math.MaxInt32 {
		*n = number(read)
	}
	return nil
}

// post sends a request, decodes the response into the value, and logs the call.
func (c *caller) post(ctx context.Context, call call, value any) error {
	record := mediaprompt.Call{
		Engine: "openai", Model: c.model, Endpoint: call.endpoint[len(call.endpoint)-1], StartedAt: time.Now(), Attempt: call.attempt,
	}
	status, body, err := c.send(ctx, call)
	if err == nil {
		if json.Unmarshal(body, value) != nil {
			err = mediaprompt.ErrJunk
		}
		record.InputTokens, record.OutputTokens, record.Audio = readUsage(body)
	}
	record.Status = status
	c.calls.Record(ctx, record)
	return err
}

// readUsage returns the usage that a response reports: input and output tokens, and the length of the
// recording.
func readUsage(body []byte) (input, output int, audio time.Duration) {
	var u usageReport
	if json.Unmarshal(body, &u) != nil {
		return 0, 0, 0
	}
	audio = time.Duration(max(u.Duration, u.Usage.Seconds) * number(time.Second))
	return int(u.Usage.Prompt + u.Usage.Input), int(u.Usage.Completion + u.Usage.Output), audio
}

// send returns the body of a successful response. The status is 0 if there was no response.
func (c *caller) send(ctx context.Context, call call) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(call.endpoint...).String(), call.body)
	if err != nil {
		return 0, nil, internalError("the request cannot be created: %w", err)
	}
	request.ContentLength = call.size
	request.Header.Set("Content-Type", call.contentType)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "portside")
	if err := c.authorize(ctx, request); err != nil {
		return 0, nil, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, connectionError(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, errorOf(response)
	}
	body, err = readBody(ctx, response)
	return response.StatusCode, body, err
}

// authorize adds the key to the request, if the server needs one.
func (c *caller) authorize(ctx context.Context, request *http.Request) error {
	if c.key == nil {
		return nil
	}
	key, err := c.key.Get(ctx)
	switch {
	case err != nil:
		return connectionError(ctx, err)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return internalError("its key must be printable ASCII without spaces")
	case key != "":
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return nil
}

func readBody(ctx context.Context, response *http.Response) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, mediaprompt.ErrJunk
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, connectionError(ctx, err)
	case len(body) > maxAnswerBytes:
		return nil, mediaprompt.ErrJunk
	}
	return body, nil
}

// connectionError returns the error of a failed connection. If the caller has canceled, it is the
// context's cause; after a deadline it is Busy, because the server was too slow.
func connectionError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return internalError("the call was canceled: %w", context.Cause(ctx))
	}
	if urlErr, ok := errors.AsType[*url.Error](err); ok {
		err = urlErr.Err // without the URL
	}
	return &mediaprompt.Busy{Cause: internalError("the connection failed: %w", err)}
}

// errorResponse is the error that a server returns. Its message is only used to find out what the
// server refuses.
type errorResponse struct {
	status  int
	code    string
	param   string
	message string // lower case
}

// Error leaves out the message, because it may contain text of a document.
func (r *errorResponse) Error() string {
	return internalError("status %d, code %q, parameter %q", r.status, r.code, r.param).Error()
}

// errorOf returns the error for a response whose status is not 200.
func errorOf(response *http.Response) error {
	r := readErrorResponse(response)
	switch status := r.status; {
	case r.code == "insufficient_quota" || r.code == "billing_hard_limit_reached":
		return fmt.Errorf("%w (%w)", mediaprompt.ErrBusy, r) // an immediate retry cannot succeed
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500 && status != http.StatusNotImplemented:
		return &mediaprompt.Busy{After: retryAfter(response.Header, time.Now()), Cause: r}
	case r.code == "context_length_exceeded", status == http.StatusRequestEntityTooLarge,
		strings.Contains(r.message, "context length") || strings.Contains(r.message, "context size"):
		return fmt.Errorf("%w (%w)", mediaprompt.ErrTooLong, r)
	case r.code == "content_filter" || strings.HasSuffix(r.code, "content_policy_violation"):
		return fmt.Errorf("%w (%w)", mediaprompt.ErrRefused, r)
	}
	return r
}

func readErrorResponse(response *http.Response) *errorResponse {
	r := &errorResponse{status: response.StatusCode}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
	if err != nil {
		return r
	}
	var envelope struct {
		Error struct {
			Code    any    `json:"code"`
			Param   string `json:"param"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&envelope) != nil {
		r.message = strings.ToLower(string(body))
		return r
	}
	code, _ := envelope.Error.Code.(string)
	r.code, r.param, r.message = identifier(code), identifier(envelope.Error.Param), strings.ToLower(envelope.Error.Message)
	if r.message == "" {
		r.message = strings.ToLower(string(body))
	}
	return r
}

// identifier returns the text if it looks like an identifier; otherwise it returns an empty text.
func identifier(text string) string {
	isOther := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.[]-", r)
	}
	if len(text) > 60 || strings.ContainsFunc(text, isOther) {
		return ""
	}
	return text
}

// maxRetryAfter limits the wait that a server may ask for. A caller with less time gets the error at
// once. Clients are asked to wait for a minute at most; see fault.Error.
const maxRetryAfter = time.Hour

// retryAfter reads both forms of the header Retry-After. It returns 0 without the header.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
