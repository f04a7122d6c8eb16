// Package dynamoproxy is the address at which functions and commands reach the local DynamoDB engine.
//
// It forwards every request, unchanged without Config.Units, over persistent connections on both sides. It counts calls
// by operation, and it can delay each call, because the engine answers in a fraction of the time that DynamoDB takes.
// So the local stack can show how many calls of a request wait for each other. The proxy is an http.Handler: wrap it to
// check or change requests.
package dynamoproxy

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// maxConnections is the number of idle connections to the engine. It exceeds the number of sandboxes that work at once.
const maxConnections = 64

// Config holds the parameters of a Proxy.
type Config struct {
	// Engine is the engine's URL.
	Engine string
	// Delay is added to each call, before it reaches the engine.
	Delay time.Duration
	// Units makes the engine report the units of each call.
	Units bool
	// Now returns the current time; the default is time.Now.
	Now func() time.Time
}

// Proxy forwards requests to the engine.
type Proxy struct {
	forward http.Handler
	log     *callLog
}

// New returns a proxy for the engine. The error means that the URL is invalid.
func New(c Config) (*Proxy, error) {
	engine, err := url.Parse(c.Engine)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	log := newCallLog(c.Now)
	return &Proxy{log: log, forward: &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(engine) },
		Transport:    &transport{next: connections(), delay: c.Delay, units: c.Units, log: log},
		BufferPool:   &buffers{},
		ErrorHandler: refuse,
	}}, nil
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.forward.ServeHTTP(w, r) }

// TakeCalls returns the calls since the last TakeCalls.
func (p *Proxy) TakeCalls() Calls { return p.log.take() }

// connections has no proxy, because the engine is on this machine, and passes compressed responses on as they are.
func connections() *http.Transport {
	return &http.Transport{MaxIdleConns: maxConnections, MaxIdleConnsPerHost: maxConnections, DisableCompression: true}
}

// refuse answers a request that the engine did not. The SDK repeats it. The stack reports an engine that has exited.
func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, "the local DynamoDB engine did not answer: "+err.Error(), http.StatusBadGateway)
}

// buffers reuses the memory that copies a response.
type buffers struct{ pool sync.Pool }

const bufferBytes = 32 << 10

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[bufferBytes]byte); ok {
		return buffer[:]
	}
	return make([]byte, bufferBytes)
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[bufferBytes]byte)(buffer)) }
