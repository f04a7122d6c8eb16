// Package gateway emulates an API Gateway HTTP API with payload format 2.0, as an http.Handler in
// front of the functions.
//
// Functions get the same events and clients the same responses as on AWS, including oddities: a
// decoded rawPath, forms in base64, 413 above Lambda's payload limit. Otherwise bugs would show
// only in production. Query strings and headers are never logged, because they may contain tokens.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"portside/local/drain"
	"portside/local/lambda"
	"portside/local/template"
)

// Quotas of HTTP APIs.
const (
	maxBodyBytes          = 10 << 20
	maxHeaderBytes        = 10240
	maxIntegrationTimeout = 30 * time.Second
)

// Invoker invokes a function. lambda.Runtime implements it. As on AWS, an invocation continues when
// the client disconnects or the gateway's timeout ends.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error)
}

// Config holds the parameters of New. Only Routes and Invoker are required.
type Config struct {
	Routes  []template.Route
	Invoker Invoker
	// CORS is nil if the functions answer preflight requests themselves.
	CORS *template.CORS
	// Throttle is the limit of the whole API. The zero value means no limit.
	Throttle template.Throttle
	// Throttles are the limits of routes by their keys. Requests for these routes do not count for Throttle.
	Throttles map[string]template.Throttle
	// AccountID and APIID appear in events. Empty values mean the template's defaults.
	AccountID, APIID string
	// Ready waits until a function can be invoked; the timeout does not include this wait. If the function does not
	// compile, it returns the errors, which the caller gets as the response. It may be nil.
	Ready func(ctx context.Context, function string) (mistake string, err error)
	// Timeout bounds the wait for a function; 0 means API Gateway's 30 s.
	Timeout time.Duration
	// Log receives one Record for each request, from several goroutines concurrently. It may be
	// nil.
	Log func(Record)
	// AccessLog receives a line for each request. It may be nil.
	AccessLog *AccessLog
	// Now and RequestID make events reproducible in tests. Nil means the clock and random IDs.
	Now       func() time.Time
	RequestID func() string
}

type gateway struct {
	Config
	table   []pattern
	limiter *rate.Limiter
	routes  map[string]*rate.Limiter // by the keys of routes
}

// New returns the API's handler. Its error names an invalid route.
func New(c Config) (http.Handler, error) {
	table, err := compile(c.Routes)
	if err != nil {
		return nil, err
	}
	if c.Invoker == nil {
		return nil, errors.New("the gateway needs an Invoker")
	}
	g := &gateway{Config: c, table: table, limiter: rate.NewLimiter(rate.Inf, 0), routes: map[string]*rate.Limiter{}}
	if c.Throttle != (template.Throttle{}) {
		g.limiter = newLimiter(c.Throttle)
	}
	for key, throttle := range c.Throttles {
		g.routes[key] = newLimiter(throttle)
	}
	g.setDefaults()
	return g, nil
}

func newLimiter(t template.Throttle) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(t.Rate), t.Burst)
}

// limiterOf returns the limiter of the request's route, or else of the API.
func (g *gateway) limiterOf(c *call) *rate.Limiter {
	if found, ok := findRoute(g.table, c.request.Method, c.path); ok && g.routes[found.key] != nil {
		return g.routes[found.key]
	}
	return g.limiter
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
	if g.Ready == nil {
		g.Ready = func(context.Context, string) (string, error) { return "", nil }
	}
	if g.Now == nil {
		g.Now = time.Now
	}
	if g.RequestID == nil {
		g.RequestID = randomID
	}
}

// NewServer returns a server with limits on the time and memory of a connection. Headers above API
// Gateway's quota still reach the handler, which answers them as AWS does. Clients get the answer also
// if the handler does not read their bodies.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: drain.Handler(h),
		// The gateway itself answers and logs "OPTIONS *".
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
	if !g.limiterOf(c).AllowN(c.record.Time, 1) {
		return errorResponse(http.StatusTooManyRequests)
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
	mistake, err := g.Ready(ctx, c.match.function)
	switch {
	case err != nil:
		return c.toResponse(outcome{err: err})
	case mistake != "":
		summary, _, _ := strings.Cut(mistake, "\n") // the log has the other lines once
		c.record.Err = errors.New(summary)
		return notReady(mistake)
	}
	return g.run(ctx, c)
}

// readBody reads the body. If it fails, it returns the response.
func (c *call) readBody() *response {
	if c.request.ContentLength > maxBodyBytes {
		return errorResponse(http.StatusRequestEntityTooLarge)
	}
	body, err := io.ReadAll(io.LimitReader(c.request.Body, maxBodyBytes+1))
	if err != nil {
		c.record.Err = fmt.Errorf("reading the request body: %w", err)
		return errorResponse(http.StatusBadRequest)
	}
	if len(body) > maxBodyBytes {
		return errorResponse(http.StatusRequestEntityTooLarge)
	}
	c.body = body
	return nil
}

type outcome struct {
	result lambda.Result
	err    error
}

// run invokes the function and waits for it until the timeout. As on AWS, neither the client nor
// the gateway stops the function; only its own timeout does.
func (g *gateway) run(ctx context.Context, c *call) *response {
	payload, start := g.event(c), g.Now()
	defer func() { c.integration.called, c.integration.latency = true, g.Now().Sub(start) }()
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
		c.record.Err = fmt.Errorf("the function did not respond within %v, the timeout of HTTP APIs", g.Timeout)
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
		c.record.Err = fmt.Errorf("API Gateway would reject the function's response: %w", err)
		return errorResponse(http.StatusInternalServerError)
	}
	c.integration.status = answer.status
	return answer
}

// statusClientClosed is what nginx logs if the client closed the connection before the response. It is not a failure of
// the service.
const statusClientClosed = 499

// failureStatus returns the status of HTTP APIs for an error of Lambda. A function's timeout counts
// as a failure of the function.
func failureStatus(err error) int {
	switch {
	case errors.Is(err, context.Canceled): // only while the function is built, because Lambda does not learn that a client left
		return statusClientClosed
	case errors.Is(err, lambda.ErrPayloadTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, lambda.ErrThrottled), errors.Is(err, lambda.ErrStopped):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
