// Package stack composes the local stack: engines, functions, mail and schedules behind one API, all
// as template.yaml says.
//
// What must stay true: one data folder belongs to one stack; whatever a stack started has ended when
// Stop returns, also after a start that failed half-way; and every failure of a start is one line
// that says what to do. The order of a start is that of its steps in Start: the port and the folder
// are taken first, since a user who starts a second stack by mistake should hear it at once.
package stack

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"portside/local/async"
	"portside/local/build"
	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/s3events"
	"portside/local/secrets"
	"portside/local/ses"
	"portside/local/template"
)

// templateFile is what the stack is made of.
const templateFile = "template.yaml"

// Options say what to run and where. Empty fields take what `make run` has.
type Options struct {
	Addr      string // 127.0.0.1:3000; port 0 is a free one
	RepoDir   string // the working directory; template.yaml and Makefile are there
	DataDir   string // .local/data below RepoDir
	RateLimit *int   // RateLimitPerMinute; nil leaves the template's default
	// Parameters are the template's, by name; those that are not here have their defaults.
	Parameters map[string]string
	Color      bool // of the request log
	Log        io.Writer
	// RetryDelays are those of async.Config, between the tries of an event that nobody waits for.
	RetryDelays []time.Duration
}

// Data is the data folder.
func (o Options) Data() string {
	return cmp.Or(o.DataDir, filepath.Join(o.RepoDir, ".local", "data"))
}

// Stack is a running local stack.
type Stack struct {
	options  Options
	began    time.Time
	console  *console
	listener net.Listener
	template atomic.Pointer[template.Stack]
	builder  *build.Builder
	operator string // path of cmd/portside's binary
	watcher  *build.Watcher
	runtime  *lambda.Runtime
	outbox   *ses.Outbox
	events   *async.Queue
	objects  *s3events.Receiver
	notifyAt string // where objects hears of them
	logs     *logs.Groups
	secrets  *secrets.Store
	api      atomic.Pointer[http.Handler]
	failed   chan error

	mu       sync.Mutex
	info     Info
	closers  []func(context.Context) error // in the order of the starts
	schedule *scheduling
	stopping bool
	lost     sync.Once
}

// Start returns when the stack is ready. Ending ctx during the start ends the start; afterwards it
// has no effect, and Stop must be called.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s := &Stack{began: time.Now(), options: o, failed: make(chan error, 8)}
	steps := []func(context.Context) error{
		s.prepare,
		s.lock,
		s.listen,
		s.load,
		s.receive,
		s.startParts,
		s.startRuntime,
		s.watch,
		s.deliver,
		s.bootstrap,
		s.serve,
		s.startSchedules,
		s.publish,
	}
	for _, step := range steps {
		err := step(ctx)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
		}
	}
	return s, nil
}

// Print writes a line to the log.
func (s *Stack) Print(line string) { s.console.say(line) }

// Info is where everything is.
func (s *Stack) Info() Info { return s.info }

// Failed brings an error when a part of the stack has ended on its own.
func (s *Stack) Failed() <-chan error { return s.failed }

// Invoke runs one event of a function, after a rebuild of it that is due.
func (s *Stack) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	if err := s.watcher.Wait(ctx, function); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			s.lose()
		}
		return lambda.Result{}, err
	}
	return s.runtime.Invoke(ctx, function, payload)
}

// Stop ends the parts in the reverse order of their starts; requests that run may finish until ctx
// ends.
func (s *Stack) Stop(ctx context.Context) error {
	s.mu.Lock()
	closers := s.closers
	s.closers = nil
	s.stopping = true
	s.mu.Unlock()
	var failed []error
	for _, end := range slices.Backward(closers) {
		failed = append(failed, end(ctx))
	}
	return errors.Join(failed...)
}

// onStop registers the end of a part. A part that starts while the stack stops ends at once.
func (s *Stack) onStop(end func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closers = append(s.closers, end)
}

func (s *Stack) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

func (s *Stack) prepare(context.Context) error {
	o := &s.options
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:3000")
	if o.Log == nil {
		o.Log = io.Discard
	}
	s.console = &console{to: o.Log}
	repo, err := filepath.Abs(cmp.Or(o.RepoDir, "."))
	if err != nil {
		return err
	}
	o.RepoDir = repo
	o.DataDir, err = filepath.Abs(o.Data())
	return err
}

func (s *Stack) lock(ctx context.Context) error {
	file, err := s.lockData(ctx)
	if err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return file.Close() })
	return nil
}

func (s *Stack) listen(context.Context) error {
	listener, err := s.listenAt(s.options.Addr)
	if err != nil {
		return err
	}
	s.listener = listener
	s.onStop(func(context.Context) error {
		_ = listener.Close() // the server has closed it, unless the start did not get so far
		return nil
	})
	s.info = Info{
		API:     "http://" + listener.Addr().String(),
		Region:  region,
		PID:     os.Getpid(),
		Control: rand.Text(),
	}
	return nil
}

func (s *Stack) load(context.Context) error {
	loaded, err := s.readTemplate()
	if err != nil {
		return err
	}
	s.template.Store(loaded)
	s.info.Tables, s.info.Buckets = map[string]string{}, map[string]string{}
	for _, table := range loaded.Tables {
		s.info.Tables[table.ID] = table.Name
	}
	for _, bucket := range loaded.Buckets {
		s.info.Buckets[bucket.ID] = bucket.Name
	}
	return nil
}

func (s *Stack) readTemplate() (*template.Stack, error) {
	parameters := map[string]string{"BaseUrl": s.info.API}
	if s.options.RateLimit != nil {
		parameters["RateLimitPerMinute"] = strconv.Itoa(*s.options.RateLimit)
	}
	maps.Copy(parameters, s.options.Parameters)
	return template.Load(filepath.Join(s.options.RepoDir, templateFile), template.Options{
		Parameters: parameters,
		Region:     region,
		AccountID:  accountID,
		APIURL:     s.info.API,
	})
}

// startParts does at the same time what takes long.
func (s *Stack) startParts(ctx context.Context) error {
	return together(ctx, s.buildAll, s.startDynamoDB, s.startObjects, s.startMail, s.startSecrets)
}

// together runs the tasks at the same time. The first that fails ends the others, and its error is
// the one that is returned.
func together(ctx context.Context, tasks ...func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Go(func() {
			if err := task(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (s *Stack) startRuntime(context.Context) error {
	runtime, err := lambda.New(lambda.Config{
		Functions:   s.functions(s.template.Load()),
		Region:      region,
		AccountID:   accountID,
		Environment: s.info.environment(),
		Log:         s.console,
		Lines:       s.putLine,
	})
	if err != nil {
		return err
	}
	s.runtime = runtime
	s.onStop(runtime.Stop)
	return nil
}

func (s *Stack) functions(t *template.Stack) []lambda.Function {
	list := make([]lambda.Function, 0, len(t.Functions))
	for _, f := range t.Functions {
		list = append(list, lambda.Function{
			Name:        f.ID,
			Binary:      s.builder.Binary(f.ID),
			Environment: f.Environment,
			Timeout:     f.Timeout,
			MemoryMB:    f.MemoryMB,
			LogGroup:    f.LogGroup,
			Concurrency: f.ReservedConcurrency,
		})
	}
	return list
}

func (s *Stack) serve(context.Context) error {
	if err := s.route(s.template.Load()); err != nil {
		return err
	}
	pages, err := s.pages()
	if err != nil {
		return err
	}
	// No ServeMux: it redirects paths that are not clean, which API Gateway passes on as they are.
	server := gateway.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_local" || strings.HasPrefix(r.URL.Path, "/_local/") {
			pages.ServeHTTP(w, r)
			return
		}
		(*s.api.Load()).ServeHTTP(w, r)
	}))
	go func() {
		if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the API's port: %w", err)
		}
	}()
	s.onStop(func(ctx context.Context) error { return drain(ctx, server) })
	return nil
}

// drainTime is how long a stop waits for requests that run.
const drainTime = 1500 * time.Millisecond

func drain(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// route puts the template's routes into use.
func (s *Stack) route(t *template.Stack) error {
	handler, err := gateway.New(gateway.Config{
		Routes:    t.Routes,
		Invoker:   s,
		CORS:      t.CORS,
		AccountID: accountID,
		Log:       func(r gateway.Record) { s.console.say(r.Text(s.options.Color)) },
		AccessLog: s.accessLog(t.AccessLog),
	})
	if err != nil {
		return err
	}
	s.api.Store(&handler)
	return nil
}

// publish tells other commands where the stack is.
func (s *Stack) publish(context.Context) error {
	s.onStop(func(context.Context) error {
		err := os.Remove(filepath.Join(s.options.DataDir, infoFile))
		if errors.Is(err, fs.ErrNotExist) { // the whole folder is gone
			return nil
		}
		return err
	})
	return s.info.write(s.options.DataDir)
}
