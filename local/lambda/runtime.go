package lambda

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Function is what the Runtime must know to run one function.
type Function struct {
	Name        string
	Binary      string            // path of the executable, which may be replaced by rename at any time
	Environment map[string]string // the function's own variables, which win over Config.Environment
	Timeout     time.Duration     // from delivery of the event to the answer
	MemoryMB    int               // told to the function, not enforced
	LogGroup    string            // its name, as the function is told; empty is Lambda's own choice
	Concurrency int               // the most processes at once if fewer than Config.MaxSandboxes; 0 sets no limit
}

// Config is what New needs. A zero duration or limit stands for the default that is named beside it.
type Config struct {
	Functions    []Function
	Region       string            // us-east-1
	AccountID    string            // 000000000000
	Environment  map[string]string // variables of every function: endpoints, credentials
	Log          io.Writer         // receives what functions print, a line at a time
	Lines        func(Line)        // receives the same once more, apart by function; it must not block
	MaxSandboxes int               // 10 processes per function
	InitTimeout  time.Duration     // 10 s from process start to the first request for work
	ShrinkAfter  time.Duration     // 1 min of idleness, then one process per function stays
	IdleTimeout  time.Duration     // 10 min of idleness, then the last one goes too
}

// Line is one that a function printed. A line of more than 64 KB comes in pieces.
type Line struct {
	Function string
	Stream   string // the log stream, which tells one process from another
	Text     string // without the newline
}

// Runtime runs functions. Its methods may be called from any goroutine.
type Runtime struct {
	config  Config
	address string
	server  *http.Server
	done    chan struct{}

	mu        sync.Mutex
	pools     map[string]*pool
	sandboxes map[string]*sandbox // by the secret path element of its Runtime API
	stopped   bool
}

// New opens the Runtime API on a free loopback port. No function is started before its first
// invocation. The caller must call Stop.
func New(c Config) (*Runtime, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("lambda runtime API: %w", err)
	}
	r := &Runtime{
		config:    c.withDefaults(),
		address:   listener.Addr().String(),
		done:      make(chan struct{}),
		pools:     map[string]*pool{},
		sandboxes: map[string]*sandbox{},
	}
	r.Configure(c.Functions)
	r.server = &http.Server{Handler: r.api(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // returns ErrServerClosed at Stop; no other end of it is of use
	go r.shrinkIdle()
	return r, nil
}

func (c Config) withDefaults() Config {
	c.Region = cmp.Or(c.Region, "us-east-1")
	c.AccountID = cmp.Or(c.AccountID, "000000000000")
	c.MaxSandboxes = cmp.Or(c.MaxSandboxes, 10)
	c.InitTimeout = cmp.Or(c.InitTimeout, 10*time.Second)
	c.ShrinkAfter = cmp.Or(c.ShrinkAfter, time.Minute)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 10*time.Minute)
	if c.Log == nil {
		c.Log = io.Discard
	}
	return c
}

// Invoke runs one event. While all sandboxes are busy it waits until the context's deadline or for
// the function's Timeout, whichever ends first. A caller that leaves does not end the invocation,
// just as in the cloud.
func (r *Runtime) Invoke(ctx context.Context, function string, payload []byte) (Result, error) {
	if len(payload) > MaxPayloadBytes {
		return Result{}, ErrPayloadTooLarge
	}
	p, err := r.pool(function)
	if err != nil {
		return Result{}, err
	}
	s, err := p.acquire(ctx)
	if err != nil {
		return Result{}, err
	}
	done := make(chan outcome, 1)
	go func() { done <- p.serve(s, payload) }()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

func (r *Runtime) pool(function string) (*pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, ErrStopped
	}
	p, ok := r.pools[function]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownFunction, function)
	}
	return p, nil
}

// Reload makes every invocation from now on run in a process that is started from now on. Running
// invocations finish where they are. An unknown name does nothing.
func (r *Runtime) Reload(function string) {
	if p, err := r.pool(function); err == nil {
		p.reload(nil)
	}
}

// Configure replaces the set of functions: new ones can be invoked, changed and unchanged ones are
// reloaded, absent ones become unknown.
func (r *Runtime) Configure(functions []Function) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.pools
	r.pools = make(map[string]*pool, len(functions))
	for _, f := range functions {
		if p, ok := old[f.Name]; ok {
			p.reload(&f)
			r.pools[f.Name] = p
			delete(old, f.Name)
			continue
		}
		r.pools[f.Name] = &pool{runtime: r, function: f}
	}
	for _, p := range old {
		p.stop()
	}
}

// Stop refuses new invocations and ends every process; invocations that are running fail with
// ErrStopped. It returns when the last process is gone; when ctx ends first, it kills them.
func (r *Runtime) Stop(ctx context.Context) error {
	r.mu.Lock()
	if r.stopped {
		r.mu.Unlock()
		return nil
	}
	r.stopped = true
	close(r.done)
	for _, p := range r.pools {
		p.stop()
	}
	r.mu.Unlock()
	r.endAll(ctx)
	return r.server.Close()
}

// endAll goes round until no sandbox is left, as one may just have been starting.
func (r *Runtime) endAll(ctx context.Context) {
	for {
		running := r.running()
		if len(running) == 0 {
			return
		}
		var wg sync.WaitGroup
		for _, s := range running {
			wg.Go(func() { s.end(ctx) })
		}
		wg.Wait()
	}
}

func (r *Runtime) running() []*sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	running := make([]*sandbox, 0, len(r.sandboxes))
	for _, s := range r.sandboxes {
		running = append(running, s)
	}
	return running
}

// shrinkIdle gives the memory of sandboxes back that nobody has used for a while.
func (r *Runtime) shrinkIdle() {
	ticker := time.NewTicker(max(r.config.ShrinkAfter/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-r.done:
			return
		case now := <-ticker.C:
			r.mu.Lock()
			for _, p := range r.pools {
				p.shrink(now)
			}
			r.mu.Unlock()
		}
	}
}
