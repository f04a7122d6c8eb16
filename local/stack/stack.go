// Package stack composes the local stack from template.yaml: engines, functions, mail, events and
// schedules behind one API.
//
// Only one stack can use a data folder. When Stop returns, all parts have ended, also after a
// failed start. Every failed start returns one line that says what to do. Start first acquires the
// data folder and the port, so that a user who starts a second stack by mistake gets the error at
// once. It removes a folder that it created if the port or a parameter cannot be used.
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
	"portside/local/dynamoproxy"
	"portside/local/gateway"
	"portside/local/iam"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/registryevents"
	"portside/local/s3events"
	"portside/local/secrets"
	"portside/local/ses"
	"portside/local/template"
	"portside/local/usage"
)

// templateFile is the template's name in the repository.
const templateFile = "template.yaml"

// Stack is a running local stack.
type Stack struct {
	options           Options
	startedAt         time.Time
	console           *console
	listener          net.Listener
	template          atomic.Pointer[template.Stack]
	builder           *build.Builder
	engines           *engineBuilds // nil unless BuildEngines
	operatorPath      string        // path of cmd/portside's binary
	signInLink        string        // of the first admin; empty if there is none
	watcher           *build.Watcher
	runtime           *lambda.Runtime
	dynamoDB          *dynamoproxy.Proxy
	outbox            *ses.Outbox
	events            *async.Queue
	objects           *s3events.Receiver
	eventsURL         string // where the S3 engine posts changes of objects
	registryEventsURL string // where the registry engine posts notifications
	images            *registryevents.Receiver
	authorizer        *iam.Authorizer
	authorizeURL      string // where the S3 engine and the registry ask the authorizer
	logs              *logs.Groups
	used              usage.Counter
	secrets           *secrets.Store
	api               atomic.Pointer[http.Handler]
	failed            chan error

	mu       sync.Mutex
	info     Info
	closers  []func(context.Context) error // in the order in which the parts were started
	schedule *scheduleRun
	stopping bool
	dataLost sync.Once
	diskFull atomic.Bool // and reported
}

// Start returns when the stack is ready. Canceling ctx cancels the start; later it has no effect.
// The caller must call Stop.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s := &Stack{startedAt: time.Now(), options: o, failed: make(chan error, 8)}
	steps := []func(context.Context) error{
		s.prepare,
		s.lock,
		s.listen,
		s.load,
		s.openLogFile,
		s.createAuthorizer,
		s.createEventQueues,
		s.createBuilder,
		s.startParts,
		s.startRuntime,
		s.watch,
		s.startEventDelivery,
		s.bootstrap,
		s.serve,
		s.startSchedules,
		s.publishInfo,
		s.buildEngines,
	}
	for _, step := range steps {
		err := step(ctx)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, errors.Join(s.explainFullDisk(err), s.Stop(context.WithoutCancel(ctx)))
		}
	}
	return s, nil
}

// Print writes a line to the log.
func (s *Stack) Print(line string) { s.console.writeLine(line) }

// Info returns the addresses of the stack's parts.
func (s *Stack) Info() Info { return s.info }

// Failed receives an error if a part of the stack ends unexpectedly.
func (s *Stack) Failed() <-chan error { return s.failed }

// Stop ends the parts in reverse order of their starts. Running requests may finish until ctx ends.
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

// onStop registers a function that ends a part.
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
	if o.FreeBytes == nil {
		o.FreeBytes = freeBytes
	}
	s.console = &console{screen: o.Log}
	repo, err := filepath.Abs(cmp.Or(o.RepoDir, "."))
	if err != nil {
		return err
	}
	o.RepoDir = repo
	o.DataDir, err = filepath.Abs(o.Data())
	return err
}

func (s *Stack) lock(ctx context.Context) error {
	dir := s.options.DataDir
	_, err := os.Stat(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	file, err := s.lockData(ctx)
	if err != nil {
		return err
	}
	s.onStop(func(context.Context) error {
		if isNew && s.template.Load() == nil { // the start failed before it stored anything
			_ = os.Remove(lockPath(dir))
			_ = os.Remove(dir) // fails if somebody has put a file there
		}
		return file.Close()
	})
	return nil
}

func (s *Stack) listen(context.Context) error {
	listener, err := s.listenAt(s.options.Addr)
	if err != nil {
		return err
	}
	s.listener = listener
	s.onStop(func(context.Context) error {
		_ = listener.Close() // usually the server has already closed it
		return nil
	})
	s.info = Info{
		API:     "http://" + listener.Addr().String(),
		Portal:  portalAddress(listener.Addr().String()),
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
	s.info.Tables, s.info.Buckets, s.info.Outputs = map[string]string{}, map[string]string{}, loaded.Outputs
	for _, table := range loaded.Tables {
		s.info.Tables[table.ID] = table.Name
	}
	for _, bucket := range loaded.Buckets {
		s.info.Buckets[bucket.ID] = bucket.Name
	}
	return nil
}

func (s *Stack) readTemplate() (*template.Stack, error) {
	parameters := requiredParameters()
	parameters["BaseUrl"] = s.info.Portal
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

// requiredParameters returns values for the parameters that have no default. The local registry has only the developer's images, and
// only pages on this machine can reach the stack.
func requiredParameters() map[string]string {
	return map[string]string{"ImageRepositories": "*", "CorsAllowOrigins": "*"}
}

// startParts runs the slow parts of the start concurrently.
func (s *Stack) startParts(ctx context.Context) error {
	return runConcurrently(ctx, s.buildAll, s.startDynamoDB, s.startS3AndRegistry, s.startSES, s.startSecrets)
}

// runConcurrently runs the tasks concurrently. The first error cancels the other tasks and is
// returned.
func runConcurrently(ctx context.Context, tasks ...func(context.Context) error) error {
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
		Emulator:    s.options.Emulator,
		Concurrency: s.options.Concurrency,
		Log:         s.console,
		Lines:       s.logLine,
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
			Environment: s.functionEnvironment(f),
			Timeout:     f.Timeout,
			MemoryMB:    f.MemoryMB,
			LogGroup:    f.LogGroup,
			Concurrency: f.ReservedConcurrency,
		})
	}
	return list
}

func (s *Stack) serve(context.Context) error {
	if err := s.setRoutes(s.template.Load()); err != nil {
		return err
	}
	pages, err := s.pages()
	if err != nil {
		return err
	}
	// http.ServeMux would redirect unclean paths, which API Gateway passes on unchanged.
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
	s.onStop(func(ctx context.Context) error { return shutDown(ctx, server) })
	return nil
}

// drainTimeout bounds the wait for running requests when the stack stops.
const drainTimeout = 1500 * time.Millisecond

func shutDown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// setRoutes replaces the API's routes by those of t.
func (s *Stack) setRoutes(t *template.Stack) error {
	handler, err := gateway.New(gateway.Config{
		Routes:    t.Routes,
		Invoker:   built{s},
		Ready:     s.mistakeIn,
		CORS:      t.CORS,
		Throttle:  t.Throttle,
		Throttles: t.RouteThrottles,
		AccountID: accountID,
		Log:       s.logRequest,
		AccessLog: s.accessLog(t.AccessLog),
	})
	if err != nil {
		return err
	}
	s.api.Store(&handler)
	return nil
}

// publishInfo writes stack.json for other commands.
func (s *Stack) publishInfo(context.Context) error {
	s.onStop(func(context.Context) error {
		err := os.Remove(filepath.Join(s.options.DataDir, infoFile))
		if errors.Is(err, fs.ErrNotExist) { // the data folder was deleted
			return nil
		}
		return err
	})
	return s.info.write(s.options.DataDir)
}
