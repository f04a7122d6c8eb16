package lambda

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"portside/local/drain"
)

// Function is the configuration of one function.
type Function struct {
	Name        string
	Binary      string            // path of the executable; a rename may replace it at any time
	Environment map[string]string // the function's variables; they override Config.Environment
	Timeout     time.Duration     // from delivery of the event to the answer
	MemoryMB    int               // passed to the function, not enforced
	LogGroup    string            // name of the log group, passed to the function; empty means /aws/lambda/NAME
	Concurrency int               // reserved concurrency, above which invocations are throttled; 0 means none
}

// Config holds the parameters of New. A zero value means the default in the field's comment.
type Config struct {
	Functions    []Function
	Region       string            // default us-east-1
	AccountID    string            // default 000000000000
	Environment  map[string]string // variables of every function: endpoints, credentials
	Emulator     string            // program that runs the binaries; empty if this machine runs them
	Log          io.Writer         // receives the functions' output line by line
	Lines        func(Line)        // receives the same lines with their function; must not block
	MaxSandboxes int               // processes per function; default 10. Further invocations wait
	Concurrency  int               // invocations of all functions without reserved concurrency; default 900, of AWS's 1,000
	InitTimeout  time.Duration     // from process start to the first request for an invocation; default 10 s
	ShrinkAfter  time.Duration     // idle time after which only one process per function remains; default 1 min
	IdleTimeout  time.Duration     // idle time after which the last process ends; default 10 min
}

// Line is a line of a function's output. Lines of more than 64 KB arrive in pieces.
type Line struct {
	Function string
	Stream   string // the log stream, which identifies the process
	Text     string // without the newline
}

// Runtime runs functions. It is safe for concurrent use.
type Runtime struct {
	config  Config
	address string
	server  *http.Server
	done    chan struct{}

	unreserved concurrency // of functions without reserved concurrency

	mu        sync.Mutex
	pools     map[string]*pool
	sandboxes map[string]*sandbox // by the secret path element of their Runtime API
	stopped   bool
}

// New opens the Runtime API on a free loopback port. A function's first process starts with its
// first invocation. The caller must call Stop.
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
	r.server = &http.Server{Handler: drain.Handler(r.api()), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(listener) }() // returns ErrServerClosed after Stop
	go r.shrinkIdle()
	return r, nil
}

func (c Config) withDefaults() Config {
	c.Region = cmp.Or(c.Region, "us-east-1")
	c.AccountID = cmp.Or(c.AccountID, "000000000000")
	c.MaxSandboxes = cmp.Or(c.MaxSandboxes, 10)
	c.Concurrency = cmp.Or(c.Concurrency, 900)
	c.InitTimeout = cmp.Or(c.InitTimeout, 10*time.Second)
	c.ShrinkAfter = cmp.Or(c.ShrinkAfter, time.Minute)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 10*time.Minute)
	if c.Log == nil {
		c.Log = io.Discard
	}
	return c
}

// Invoke invokes a function. Above the concurrency of the function or of the account, it returns ErrThrottled at once,
// as Lambda does. Below, AWS would start another sandbox, but this machine has fewer. So while all sandboxes are busy,
// Invoke waits until the context ends, but no longer than the function's Timeout. As in the cloud, canceling the
// context does not stop a running invocation.
func (r *Runtime) Invoke(ctx context.Context, function string, payload []byte) (Result, error) {
	if len(payload) > MaxPayloadBytes {
		return Result{}, ErrPayloadTooLarge
	}
	p, err := r.pool(function)
	if err != nil {
		return Result{}, err
	}
	leave, err := p.enter()
	if err != nil {
		return Result{}, err
	}
	s, err := p.acquire(ctx)
	if err != nil {
		leave()
		return Result{}, err
	}
	done := make(chan outcome, 1)
	go func() {
		o := p.serve(s, payload)
		leave() // before the caller can invoke the next one
		done <- o
	}()
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

// Reload makes later invocations run in new processes. Running invocations finish in their old
// processes. Reload ignores unknown names.
func (r *Runtime) Reload(function string) {
	if p, err := r.pool(function); err == nil {
		p.reload(nil)
	}
}

// KillBusy kills the processes of a function that work on an invocation, as a crash does. Their invocations fail.
// KillBusy returns when the processes have exited.
func (r *Runtime) KillBusy(function string) {
	var wg sync.WaitGroup
	for _, s := range r.running() {
		if s.function.Name == function && s.isBusy() {
			wg.Go(s.process.Kill)
		}
	}
	wg.Wait()
}

// IsBusy reports whether a process of a function works on an invocation.
func (r *Runtime) IsBusy(function string) bool {
	return slices.ContainsFunc(r.running(), func(s *sandbox) bool { return s.function.Name == function && s.isBusy() })
}

// Configure replaces the set of functions. It reloads functions that stay, changed or not; removed
// ones become unknown.
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

// Stop rejects new invocations and ends all processes; running invocations fail with ErrStopped. It
// returns when the last process has exited. If ctx ends first, it kills the remaining processes.
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

// endAll loops until no sandbox is left, because one may just have been starting.
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

// shrinkIdle periodically ends sandboxes that have been idle for a while, to free their memory.
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
