package lambda

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"portside/local/process"
)

// stopTimeout is the time that a process has to exit before it is killed.
const stopTimeout = time.Second

// sandbox is one process and its Runtime API. It accepts an invocation only while its process
// requests one, so that a process never has two invocations.
type sandbox struct {
	id         string // secret, so that a function cannot answer another's invocations
	function   Function
	arn        string
	generation int
	work       chan *invocation
	ready      chan struct{} // closed by the first request for an invocation
	readyOnce  sync.Once     // closes ready
	launched   chan struct{} // closed when process is set or failed to start

	process *process.Process

	mu        sync.Mutex
	current   *invocation // from its delivery to the process's next request
	initError []byte
}

func newSandbox(f Function, generation int) *sandbox {
	return &sandbox{
		id:         randomHex(16),
		function:   f,
		generation: generation,
		work:       make(chan *invocation),
		ready:      make(chan struct{}),
		launched:   make(chan struct{}),
	}
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// start starts a sandbox for the slot and waits until it is ready. If that fails, it returns the
// outcome of the invocation.
func (p *pool) start(s *slot, inv *invocation) *outcome {
	inv.cold = true
	box := newSandbox(p.current())
	if err := p.runtime.launch(p, box); err != nil {
		return &outcome{err: err}
	}
	limit := time.NewTimer(p.runtime.config.InitTimeout)
	defer limit.Stop()
	select {
	case <-box.ready:
		s.sandbox = box
		return nil
	case <-box.process.Done():
		return p.failed(inv, box.exitFailure(inv.id))
	case <-limit.C:
		box.process.Kill()
		return p.failed(inv, initTimeout(inv.id, p.runtime.config.InitTimeout))
	}
}

// failed finishes an invocation that no process accepted.
func (p *pool) failed(inv *invocation, a answer) *outcome {
	inv.finish(a)
	o := p.outcome(inv)
	return &o
}

// outcome returns the invocation's outcome. If the function could not log its failure, outcome logs
// it.
func (p *pool) outcome(inv *invocation) outcome {
	if inv.answer.platform == "" {
		return inv.outcome()
	}
	if p.isStopped() {
		return outcome{err: ErrStopped}
	}
	function, _ := p.current()
	_, _ = fmt.Fprintf(p.runtime.config.Log, "%s | %s\n", function.Name, inv.answer.platform)
	return inv.outcome()
}

// launch starts the process. It registers the sandbox first, so that Stop does not miss a process
// that is just starting.
func (r *Runtime) launch(p *pool, s *sandbox) error {
	defer close(s.launched)
	s.arn = fmt.Sprintf("arn:aws:lambda:%s:%s:function:%s", r.config.Region, r.config.AccountID, s.function.Name)
	if err := r.register(s); err != nil {
		return err
	}
	path, arguments := s.function.Binary, []string(nil)
	if r.config.Emulator != "" {
		path, arguments = r.config.Emulator, []string{s.function.Binary}
	}
	started, err := process.Start(process.Options{
		Name:   s.function.Name,
		Path:   path,
		Args:   arguments,
		Dir:    filepath.Dir(s.function.Binary),
		Env:    r.environment(s),
		Output: output{r.config, s},
	})
	if err != nil {
		r.forget(s)
		return err
	}
	s.process = started
	go func() {
		<-started.Done()
		r.forget(s)
		p.drop(s)
	}()
	return nil
}

func (r *Runtime) register(s *sandbox) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return ErrStopped
	}
	r.sandboxes[s.id] = s
	return nil
}

func (r *Runtime) forget(s *sandbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sandboxes, s.id)
}

// run delivers the invocation and waits for its answer; after a failure, it also waits until the
// process is reusable. It returns false if the process exited before it accepted the invocation.
func (s *sandbox) run(inv *invocation) bool {
	if s.hasExited() { // the server may not have noticed that the process's request is broken
		return false
	}
	inv.delivered = time.Now()
	limit := time.NewTimer(s.function.Timeout)
	defer limit.Stop()
	select {
	case s.work <- inv:
	case <-s.process.Done():
		return false
	case <-limit.C:
		s.timeOut(inv)
		return true
	}
	select {
	case <-inv.answered:
	case <-s.process.Done():
		inv.finish(s.exitFailure(inv.id))
	case <-limit.C:
		s.timeOut(inv)
	}
	if inv.answer.functionError != "" { // after a panic, the answer arrives before the process exits
		s.waitUntilReusable(inv, limit)
	}
	return true
}

// waitUntilReusable waits until the process requests its next invocation or exits.
func (s *sandbox) waitUntilReusable(inv *invocation, limit *time.Timer) {
	select {
	case <-inv.completed:
	case <-s.process.Done():
	case <-limit.C:
		s.process.Kill()
	}
}

func (s *sandbox) timeOut(inv *invocation) {
	inv.finish(timeoutFailure(inv.id, s.function.Timeout))
	s.process.Kill()
}

// isBusy reports whether the process works on an invocation.
func (s *sandbox) isBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return false
	}
	select {
	case <-s.current.answered:
		return false
	default:
		return true
	}
}

func (s *sandbox) hasExited() bool {
	select {
	case <-s.process.Done():
		return true
	default:
		return false
	}
}

// retire stops a sandbox that gets no more invocations. It does not wait.
func (s *sandbox) retire() {
	go s.process.Stop(stopTimeout)
}

// end stops the process and returns when it has exited. If ctx ends first, it kills the process.
func (s *sandbox) end(ctx context.Context) {
	<-s.launched
	if s.process == nil {
		return
	}
	stopped := context.AfterFunc(ctx, s.process.Kill)
	defer stopped()
	s.process.Stop(stopTimeout)
}
