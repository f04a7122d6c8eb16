// Package gateway is the HTTP API in front of the functions: an http.Handler that does what an API
// Gateway HTTP API does with payload format 2.0.
//
// What must stay true: a function sees the event that it would see on AWS, and a client the answer
// that it would get there, oddities included (a decoded rawPath, forms as base64, 413 above what
// Lambda takes), for a bug that only one of the two shows is found in production. Nothing of a
// query string or a header is ever logged: tokens travel there.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"portside/local/lambda"
	"portside/local/template"
)

// The quotas of HTTP APIs.
const (
	maxBodyBytes          = 10 << 20
	maxHeaderBytes        = 10240
	maxIntegrationTimeout = 30 * time.Second
)

// Invoker runs a function; lambda.Runtime is one. An invocation outlives the request that caused
// it when the client goes away or the gateway has waited long enough, as on AWS.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config is what a gateway needs; only Routes and Invoker have to be set.
type Config struct {
	Routes  []template.Route
	Invoker Invoker
	// CORS is nil when the functions answer preflights themselves.
	CORS *template.CORS
	// AccountID and APIID appear in events; empty takes the template's defaults.
	AccountID, APIID string
	// Timeout is how long a function may take; 0 takes API Gateway's 30 s.
	Timeout time.Duration
	// Log gets one Record for each request, from several goroutines at once. It may be nil.
	Log func(Record)
	// AccessLog gets a line for each request; nil where the template has none.
	AccessLog *AccessLog
	// Now and RequestID make events repeatable; nil takes the clock and random IDs.
	Now       func() time.Time
	RequestID func() string
}

type gateway struct {
	Config
	table []pattern
}

// New makes the API. Its error names the route that cannot be served.
func New(c Config) (http.Handler, error) {
	table, err := compile(c.Routes)
	if err != nil {
		return nil, err
	}
	if c.Invoker == nil {
		return nil, errors.New("the gateway has no Invoker to run functions with")
	}
	g := &gateway{Config: c, table: table}
	g.setDefaults()
	return g, nil
}

func (g *gateway) setDefaults() {
	if g.AccountID == "" {
		g.AccountID = "123456789012"
	}
	if g.APIID == "" {
		g.APIID = template.APIID
	}
	if g.Timeout == 0 {
		g.Timeout = maxIntegrationTimeout
	}
	if g.Log == nil {
		g.Log = func(Record) {}
	}
	if g.Now == nil {
		g.Now = time.Now
	}
	if g.RequestID == nil {
		g.RequestID = randomID
	}
}

// NewServer is a server for the handler with the time and memory of a connection bounded. Headers
// above API Gateway's quota still reach the handler, which answers them as AWS does.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h,
		// The gateway answers "OPTIONS *" too, and logs it.
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  time.Minute,
		WriteTimeout:                 2 * time.Minute,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               64 << 10,
	}
}

// call is one request on its way through the gateway.
type call struct {
	request *http.Request
	record  Record
	path    string
	match   match
	body    []byte

	integration integration
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := decodedPath(r)
	c := &call{request: r, path: path, record: Record{
		Time: g.Now(), RequestID: g.RequestID(), Method: r.Method, Path: path,
	}}
	answer := g.answer(r.Context(), c)
	g.addCORS(answer.header, r)
	answer.header.Set("Apigw-Requestid", c.record.RequestID)
	c.record.Status, c.record.Bytes = answer.status, answer.write(w, r.Method)
	c.record.Duration = g.Now().Sub(c.record.Time)
	g.Log(c.record)
	g.logAccess(c)
}

func (g *gateway) answer(ctx context.Context, c *call) *response {
	if headerBytes(c.request) > maxHeaderBytes {
		return errorResponse(http.StatusRequestHeaderFieldsTooLarge)
	}
	if g.isPreflight(c.request) {
		return g.preflight(c.request)
	}
	var ok bool
	if c.match, ok = findRoute(g.table, c.request.Method, c.path); !ok {
		return errorResponse(http.StatusNotFound)
	}
	c.record.Function, c.record.RouteKey = c.match.function, c.match.key
	if answer := c.readBody(); answer != nil {
		return answer
	}
	return g.run(ctx, c)
}

// readBody is nil when the body was read.
func (c *call) readBody() *response {
	if c.request.ContentLength > maxBodyBytes {
		return c.tooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(c.request.Body, maxBodyBytes+1))
	if err != nil {
		c.record.Err = fmt.Errorf("reading the request body: %w", err)
		return errorResponse(http.StatusBadRequest)
	}
	if len(body) > maxBodyBytes {
		return c.tooLarge()
	}
	c.body = body
	return nil
}

// maxDrainBytes is how much of a body that is too large is read and thrown away: many clients look at
// the answer only after they have sent everything.
const maxDrainBytes = 64 << 20

func (c *call) tooLarge() *response {
	if c.request.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, c.request.Body, maxDrainBytes) // the answer is the same if it fails
	}
	return errorResponse(http.StatusRequestEntityTooLarge)
}

type outcome struct {
	result lambda.Result
	err    error
}

// run waits for the function no longer than the timeout. The function is left to end by itself, at
// the latest by its own timeout: neither the client nor the gateway stops it, on AWS or here.
func (g *gateway) run(ctx context.Context, c *call) *response {
	payload, began := g.event(c), g.Now()
	defer func() { c.integration.called, c.integration.latency = true, g.Now().Sub(began) }()
	done := make(chan outcome, 1)
	go func() {
		result, err := g.Invoker.Invoke(context.WithoutCancel(ctx), c.match.function, payload)
		done <- outcome{result, err}
	}()
	timer := time.NewTimer(g.Timeout)
	defer timer.Stop()
	select {
	case o := <-done:
		return c.toResponse(o)
	case <-timer.C:
		c.record.Err = fmt.Errorf("no answer from the function within %v, the most that an HTTP API waits", g.Timeout)
		return errorResponse(http.StatusServiceUnavailable)
	}
}

func (c *call) toResponse(o outcome) *response {
	c.record.Cold = o.result.Cold
	c.record.Err = o.err
	switch {
	case o.err != nil:
		return errorResponse(failureStatus(o.err))
	case o.result.FunctionError != "":
		c.record.Err = fmt.Errorf("the function failed: %s", o.result.Payload)
		return errorResponse(http.StatusInternalServerError)
	}
	answer, err := decode(o.result.Payload)
	if err != nil {
		c.record.Err = fmt.Errorf("the function's response is not one that API Gateway takes: %w", err)
		return errorResponse(http.StatusInternalServerError)
	}
	c.integration.status = answer.status
	return answer
}

// failureStatus is what HTTP APIs answer when Lambda refuses. A function that runs into its own
// timeout has failed like any other.
func failureStatus(err error) int {
	switch {
	case errors.Is(err, lambda.ErrPayloadTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, lambda.ErrThrottled), errors.Is(err, lambda.ErrStopped):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
