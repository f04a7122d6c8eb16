package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"strings"
	"time"
)

// call is one call of an operation. Generated methods fill it.
type call struct {
	method    string
	path      string
	query     url.Values
	body      payload
	takesKey  bool // the operation has the parameter Idempotency-Key
	startsJob bool // the answer is wanted as a job

	header http.Header    // set by options
	save   []*http.Header // receive the header of the answer
	text   []byte         // the encoded body
}

// payload is the body of a request.
type payload interface {
	encode() (contentType string, text []byte, err error)
}

// CallOption changes one call.
type CallOption func(*call)

// IfMatch lets a PUT or DELETE take effect only if the resource still has this ETag. Otherwise the error has the status
// 412. Get the ETag with [SaveHeader].
func IfMatch(etag string) CallOption { return setHeader("If-Match", etag) }

// IdempotencyKey replaces the key that a creating method sends. Repeat a call with the same key and body within 24
// hours, and nothing is created twice. For a resource with a secret, the key must be a random UUID (version 4).
func IdempotencyKey(key string) CallOption { return setHeader(idempotencyHeader, key) }

// SaveHeader stores the header of the answer in h, also of a refusal.
func SaveHeader(h *http.Header) CallOption { return func(c *call) { c.save = append(c.save, h) } }

func setHeader(name, value string) CallOption { return func(c *call) { c.header.Set(name, value) } }

// maxAnswer is more than Portside sends: 6 MB, the most that Lambda returns, which compression can hide.
const maxAnswer = 64 << 20

// answer is a response that was read completely.
type answer struct {
	status int
	header http.Header
	text   []byte
}

// send sends a call and decodes the answer.
func send[T any](ctx context.Context, c *Client, r call, options []CallOption) (T, error) {
	var result T
	err := c.send(ctx, r, options, &result)
	return result, err
}

// sendForData is send for an answer that has only the member data.
func sendForData[T any](ctx context.Context, c *Client, r call, options []CallOption) (T, error) {
	answer, err := send[envelope[T]](ctx, c, r, options)
	if err != nil {
		var none T
		return none, err
	}
	return *answer.Data, nil
}

// envelope is an answer that has only the member data.
type envelope[T any] struct {
	Data *T `json:"data"`
}

func (e envelope[T]) hasData() bool { return e.Data != nil }

// sendWithoutResult is send for an answer without a body.
func sendWithoutResult(ctx context.Context, c *Client, r call, options []CallOption) error {
	return c.send(ctx, r, options, nil)
}

func (c *Client) send(ctx context.Context, r call, options []CallOption, result any) error {
	if err := r.prepare(options); err != nil {
		return fmt.Errorf("portside: %s %s: %w", r.method, r.path, err)
	}
	a, err := c.attempts(ctx, &r)
	if err != nil {
		return fmt.Errorf("portside: %s %s: %w", r.method, r.path, err)
	}
	for _, header := range r.save {
		*header = a.header
	}
	return a.decode(&r, result)
}

// prepare sets what all attempts have in common.
func (r *call) prepare(options []CallOption) error {
	r.header = http.Header{"Accept": {"application/json"}}
	for _, set := range options {
		set(r)
	}
	hasKey := r.header.Get(idempotencyHeader) != ""
	switch {
	case hasKey && !r.takesKey:
		return errors.New("the operation has no Idempotency-Key")
	case !hasKey && r.takesKey:
		r.header.Set(idempotencyHeader, newIdempotencyKey())
	}
	if r.startsJob {
		r.header.Set("Prefer", "respond-async")
	}
	if r.body == nil {
		return nil
	}
	contentType, text, err := r.body.encode()
	r.header.Set("Content-Type", contentType)
	r.text = text
	return err
}

// attempt sends the request once and reads the answer.
func (c *Client) attempt(ctx context.Context, r *call) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.attemptTimeout)
	defer cancel()
	target := c.address + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(r.text))
	if err != nil {
		return nil, err
	}
	request.Header = r.header.Clone()
	request.Header.Set("User-Agent", c.userAgent)
	c.authorize(request.Header)
	// The transport itself follows no redirects, so the credential never reaches another host.
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrUnreadable, maxAnswer)
	}
	return &answer{response.StatusCode, response.Header, text}, nil
}

// decode stores the result, or returns the problem in the answer.
func (a *answer) decode(r *call, result any) error {
	switch {
	case a.status < http.StatusOK || a.status >= http.StatusMultipleChoices:
		return newError(r, a)
	case result == nil && (a.status == http.StatusNoContent || a.status == http.StatusAccepted):
		return nil
	case result == nil:
		return fmt.Errorf("portside: %s %s: %w: status %d", r.method, r.path, ErrUnreadable, a.status)
	}
	if _, wantsJob := result.(*Job); a.status == http.StatusAccepted && !wantsJob {
		return &JobStartedError{JobID: path.Base(a.header.Get("Location"))}
	}
	if err := json.Unmarshal(a.text, result); err != nil {
		return fmt.Errorf("portside: %s %s: %w: status %d, %w", r.method, r.path, ErrUnreadable, a.status, err)
	}
	if decoded, ok := result.(interface{ hasData() bool }); ok && !decoded.hasData() {
		return fmt.Errorf("portside: %s %s: %w: it has no data", r.method, r.path, ErrUnreadable)
	}
	return nil
}

// jsonBody returns the payload of a JSON body.
func jsonBody(value any) payload { return jsonPayload{value} }

type jsonPayload struct{ value any }

func (p jsonPayload) encode() (contentType string, text []byte, err error) {
	text, err = json.Marshal(p.value)
	return "application/json", text, err
}

// fillPath replaces the {names} of a path by values.
func fillPath(pattern string, values ...string) string {
	for _, value := range values {
		before, rest, _ := strings.Cut(pattern, "{")
		_, after, _ := strings.Cut(rest, "}")
		pattern = before + url.PathEscape(value) + after
	}
	return pattern
}

// setQuery sets a query parameter. A nil pointer leaves it out. A list has commas between its values.
func setQuery(q url.Values, name string, value any) {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Slice {
		q.Set(name, queryText(v.Interface()))
		return
	}
	texts := make([]string, v.Len())
	for i := range texts {
		texts[i] = queryText(v.Index(i).Interface())
	}
	q.Set(name, strings.Join(texts, ","))
}

func queryText(value any) string {
	if t, ok := value.(time.Time); ok {
		return t.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}
