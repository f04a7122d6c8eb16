// Package faultproxy stands between a client of AWS and a service, and does what a client of AWS must survive.
//
// The proxy works below the SDK. So its retries take part: after a lost response, the SDK repeats a conditional write,
// which then fails although the first one succeeded. Middleware of the SDK cannot show that. For the same reason,
// refusals have the exact format of the service: the SDK decides by it whether it repeats the call.
package faultproxy

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"portside/local/drain"
)

// Fault is what happens to a request.
type Fault int

// The faults. Where a fault means nothing for a request, the service serves the request.
const (
	None      Fault = iota
	Refuse          // the connection closes, and the service does not get the request
	Lose            // the service serves the request, and the connection closes before the response
	CutOff          // the service serves the request, and the connection closes in the middle of the response
	Overload        // the service does not get the request; the response is 503, which the SDK repeats
	Throttle        // the service does not get the request; the response is its own for too many requests
	Delay           // the service gets the request after a delay
	Conflict        // the service refuses a write because of another write at the same time
	Partial         // the service serves a part of a batch and returns the rest as unprocessed
	EmptyPage       // the service serves a query or scan in small pages, some of them empty
	Stale           // an eventually consistent read has the result of an earlier time
)

var names = []string{
	"none", "refuse", "lose", "cut off", "overload", "throttle", "delay", "conflict", "partial batch", "empty page", "stale read",
}

// All are the faults, without None.
func All() []Fault {
	all := make([]Fault, 0, len(names))
	for i := range names[1:] {
		all = append(all, Fault(i+1))
	}
	return all
}

// String returns the name of the fault.
func (f Fault) String() string { return names[f] }

// AppliesTo reports whether the fault can change the result of an operation. Of Partial and Stale, that also depends on
// the request.
func (f Fault) AppliesTo(c Call) bool {
	switch f {
	case None:
		return false
	case Conflict:
		return c.Service == DynamoDB && conflicts(c.Operation) || c.Service == S3 && c.Operation == http.MethodPut
	case Partial:
		return c.Service == DynamoDB && (c.Operation == batchGet || c.Operation == batchWrite)
	case EmptyPage:
		return c.Service == DynamoDB && (c.Operation == query || c.Operation == scan)
	case Stale:
		return c.Service == DynamoDB && slices.Contains([]string{getItem, batchGet, query, scan}, c.Operation)
	}
	return true
}

// maxIdle is how many connections to the service stay open for the next requests.
const maxIdle = 64

// Proxy is a handler that forwards requests to a service.
type Proxy struct {
	service   string
	decide    func(*http.Request) Fault
	transport *http.Transport
	delay     time.Duration
	applied   atomic.Int64
	done      func(*http.Request, Fault)

	mu       sync.Mutex
	answers  map[string]remembered // of eventually consistent reads, by operation and input
	hasEmpty map[string]bool       // inputs whose last response was an empty page
}

// New returns a Proxy for the service with this URL, which has no path. decide may be called concurrently.
func New(service string, decide func(*http.Request) Fault) *Proxy {
	return &Proxy{
		service: service, decide: decide,
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Second},
		delay:     20 * time.Millisecond, done: func(*http.Request, Fault) {}, answers: map[string]remembered{}, hasEmpty: map[string]bool{},
	}
}

// Observe makes the proxy report each request whose fault was done, before its response. It must be called before the
// first request, and done may be called concurrently.
func (p *Proxy) Observe(done func(*http.Request, Fault)) { p.done = done }

// Applied returns the number of requests that had a fault so far. A fault that means nothing for a request does not
// count.
func (p *Proxy) Applied() int64 { return p.applied.Load() }

// ServeHTTP implements http.Handler. Clients get refusals also if the proxy does not read their bodies.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	drain.Handler(http.HandlerFunc(p.answer)).ServeHTTP(w, r)
}

func (p *Proxy) answer(w http.ResponseWriter, r *http.Request) {
	in, err := readRequest(r)
	if err != nil {
		http.Error(w, "the request did not arrive: "+err.Error(), http.StatusBadRequest)
		return
	}
	fault := p.decide(r)
	if !fault.AppliesTo(in.call) {
		fault = None
	}
	out, done, err := p.serve(fault, in)
	switch {
	case err != nil:
		http.Error(w, "the service did not answer: "+err.Error(), http.StatusBadGateway)
		return
	case done:
		p.applied.Add(1)
		p.done(r, fault)
	default:
		fault = None
	}
	if fault == Refuse || fault == Lose {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	out.send(w, fault == CutOff)
}

// serve returns the response to a request, and whether the fault was done.
func (p *Proxy) serve(fault Fault, in *request) (out *response, done bool, err error) {
	switch fault {
	case Refuse:
		return nil, true, nil
	case Overload, Throttle, Conflict:
		out = refusal(fault, in)
		if out != nil {
			return out, true, nil
		}
	case Partial:
		return p.part(in)
	case EmptyPage:
		return p.page(in)
	case Stale:
		return p.earlier(in)
	case Delay:
		if err := wait(in, p.delay); err != nil {
			return nil, false, err
		}
	}
	out, err = p.forward(in)
	return out, fault == Lose || fault == CutOff || fault == Delay, err
}

func wait(in *request, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-in.raw.Context().Done():
		return fmt.Errorf("the client left: %w", in.raw.Context().Err())
	}
}
