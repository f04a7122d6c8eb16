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
	largestAnswer  = 16 << 20
	largestRefusal = 64 << 10
)

// caller makes single requests.
type caller struct {
	base    *url.URL
	key     Key
	model   string
	client  *http.Client
	retrier mediaprompt.Retrier
	ledger  mediaprompt.Ledger
}

// call is a request to an endpoint.
type call struct {
	endpoint []string // below the base URL
	kind     string   // content type
	body     io.Reader
	size     int64
	attempt  int
}

// used is what an answer says of what it took. Servers name the fields by the endpoint, and may leave out any.
type used struct {
	Duration number `json:"duration"` // seconds of a recording
	Usage    struct {
		Prompt     number `json:"prompt_tokens"`
		Completion number `json:"completion_tokens"`
		Input      number `json:"input_tokens"`
		Output     number `json:"output_tokens"`
		Seconds    number `json:"seconds"`
	} `json:"usage"`
}

// number is one that a server may write as a string; what is none is 0, and spoils nothing around it.
type number float64

// UnmarshalJSON never fails.
func (n *number) UnmarshalJSON(text []byte) error {
	read, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err == nil && read > 0 && read < math.MaxInt32 {
		*n = number(read)
	}
	return nil
}

// post sends a request, decodes the answer into what is given, and notes the call.
func (c *caller) post(ctx context.Context, call call, into any) error {
	noted := mediaprompt.Call{
		Engine: "openai", Model: c.model, Endpoint: call.endpoint[len(call.endpoint)-1], Began: time.Now(), Attempt: call.attempt,
	}
	status, body, err := c.send(ctx, call)
	if err == nil {
		if json.Unmarshal(body, into) != nil {
			err = mediaprompt.ErrJunk
		}
		noted.Input, noted.Output, noted.Audio = spent(body)
	}
	noted.Status = status
	c.ledger.Note(ctx, noted)
	return err
}

// spent is what an answer says that it took: tokens read and written, and what was heard.
func spent(body []byte) (input, output int, heard time.Duration) {
	var u used
	if json.Unmarshal(body, &u) != nil {
		return 0, 0, 0
	}
	heard = time.Duration(max(u.Duration, u.Usage.Seconds) * number(time.Second))
	return int(u.Usage.Prompt + u.Usage.Input), int(u.Usage.Completion + u.Usage.Output), heard
}

// send returns the body of a good answer. The status is 0 where there was none.
func (c *caller) send(ctx context.Context, call call) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(call.endpoint...).String(), call.body)
	if err != nil {
		return 0, nil, internal("no request can be made: %w", err)
	}
	request.ContentLength = call.size
	request.Header.Set("Content-Type", call.kind)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "portside")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+string(c.key))
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, broken(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, refusedBy(response)
	}
	body, err = answerOf(ctx, response)
	return response.StatusCode, body, err
}

func answerOf(ctx context.Context, response *http.Response) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, mediaprompt.ErrJunk
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer+1))
	switch {
	case err != nil:
		return nil, broken(ctx, err)
	case len(body) > largestAnswer:
		return nil, mediaprompt.ErrJunk
	}
	return body, nil
}

// broken is a connection that failed. Who gave up waiting gets the context's error; a deadline says that the server is slow.
func broken(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return internal("the call was ended: %w", context.Cause(ctx))
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // without the address
	}
	return &mediaprompt.Busy{Cause: internal("the connection failed: %w", err)}
}

// refusal is what a server says instead of an answer. Its message is for telling what is refused, and goes no further.
type refusal struct {
	status  int
	code    string
	param   string
	message string // lower case
}

// Error says no more than what cannot be a piece of a document.
func (r *refusal) Error() string {
	return internal("status %d, code %q, parameter %q", r.status, r.code, r.param).Error()
}

// refusedBy makes an error of any status but 200.
func refusedBy(response *http.Response) error {
	r := readRefusal(response)
	switch status := r.status; {
	case r.code == "insufficient_quota" || r.code == "billing_hard_limit_reached":
		return fmt.Errorf("%w (%w)", mediaprompt.ErrBusy, r) // trying again at once cannot help
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

func readRefusal(response *http.Response) *refusal {
	r := &refusal{status: response.StatusCode}
	body, err := io.ReadAll(io.LimitReader(response.Body, largestRefusal))
	if err != nil {
		return r
	}
	var said struct {
		Error struct {
			Code    any    `json:"code"`
			Param   string `json:"param"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&said) != nil {
		r.message = strings.ToLower(string(body))
		return r
	}
	code, _ := said.Error.Code.(string)
	r.code, r.param, r.message = word(code), word(said.Error.Param), strings.ToLower(said.Error.Message)
	if r.message == "" {
		r.message = strings.ToLower(string(body))
	}
	return r
}

// word keeps what looks like an identifier.
func word(text string) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.[]-", r)
	}
	if len(text) > 60 || strings.ContainsFunc(text, odd) {
		return ""
	}
	return text
}

// longestWait is as long as a server is believed that it is busy. Whoever cannot wait so long is told at once; callers are told a minute at
// most, see fault.Error.
const longestWait = time.Hour

// retryAfter reads both forms of Retry-After; 0 where there is none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(longestWait/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), longestWait)
	}
	return 0
}
