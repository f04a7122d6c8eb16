// Package stack composes the local stack from template.yaml: engines, functions, mail, events and
// schedules behind one API.
//
// Only one stack can use a data folder. When Stop returns, all parts have ended, also after a
// failed start. Every failed start returns one line that says what to do. Start first acquires the
// data folder and the port, so that a user who starts a second stack by mistake gets the error at
// once. It removes a folder that it created if the port or a parameter cannot be used.
package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/stack/access"
	"portside/local/stack/console"
	"portside/local/stack/control"
	"portside/local/stack/delivery"
	"portside/local/stack/deployment"
	"portside/local/stack/folder"
	"portside/local/stack/functions"
	"portside/local/stack/lifetime"
	"portside/local/stack/loopback"
	"portside/local/stack/operator"
	"portside/local/stack/services"
	"portside/local/template"
	"portside/local/usage"
)

// Stack is a running local stack. It starts the parts, connects them, and stops them.
type Stack struct {
	options    Options
	startedAt  time.Time
	folder     folder.Folder
	console    *console.Console
	disk       *folder.Disk
	lifetime   *lifetime.Lifetime
	listener   net.Listener
	deployment *deployment.Deployment
	access     *access.Access
	functions  *functions.Functions
	delivery   *delivery.Delivery
	services   *services.Services
	operator   *operator.Operator
	api        *api
	used       usage.Counter
	info       folder.Info
	signInLink string // of the first admin; empty if there is none
}

// Start returns when the stack is ready. Canceling ctx cancels the start; later it has no effect.
// The caller must call Stop.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s, err := prepare(o)
	if err != nil {
		return nil, err
	}
	steps := []func(context.Context) error{
		s.lock,
		s.listen,
		s.load,
		s.connect,
		s.startServices,
		s.startFunctions,
		s.bootstrap,
		s.serve,
		s.publish,
	}
	for _, step := range steps {
		err := step(ctx)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, errors.Join(s.disk.Explain(err), s.Stop(context.WithoutCancel(ctx)))
		}
	}
	return s, nil
}

func prepare(o Options) (*Stack, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Stack{startedAt: time.Now(), options: o, folder: o.folder(), lifetime: lifetime.New(), console: console.New(o.Log, o.Color)}
	s.disk = &folder.Disk{Folder: s.folder, Free: o.FreeBytes, LogError: s.console.LogError}
	s.operator = &operator.Operator{Repo: o.RepoDir, KeyFile: o.KeyFile(), Log: s.console.WriteLine}
	return s, nil
}

// Print writes a line to the log.
func (s *Stack) Print(line string) { s.console.WriteLine(line) }

// Info returns the addresses of the stack's parts.
func (s *Stack) Info() folder.Info { return s.info }

// Failed receives an error if a part of the stack ends unexpectedly.
func (s *Stack) Failed() <-chan error { return s.lifetime.Failed() }

// Stop ends the parts in reverse order of their starts. Running requests may finish until ctx ends.
func (s *Stack) Stop(ctx context.Context) error { return s.lifetime.Stop(ctx) }

// InvokeAndExplain invokes a function, with all errors in the result as lines for the user.
func (s *Stack) InvokeAndExplain(ctx context.Context, function string, event []byte) functions.Invocation {
	return s.functions.InvokeAndExplain(ctx, function, event)
}

// Functions returns the logical IDs of all functions of the template.
func (s *Stack) Functions() []string { return s.deployment.Functions() }

// IsBusy reports whether a process of a function works on an invocation.
func (s *Stack) IsBusy(function string) bool { return s.functions.IsBusy(function) }

func (s *Stack) lock(ctx context.Context) error {
	lock, err := s.folder.Lock(ctx, s.options.Addr)
	if err != nil {
		return err
	}
	s.lifetime.OnStop(func(context.Context) error {
		hasStored := s.deployment != nil && s.deployment.Template() != nil // load comes before all that stores
		return lock.Release(hasStored)
	})
	return nil
}

func (s *Stack) listen(context.Context) error {
	hint := func(addr string) string { return s.folder.RunHint(addr, s.folder.Path) }
	listener, err := loopback.Listen(s.options.Addr, hint)
	if err != nil {
		return err
	}
	s.listener = listener
	s.lifetime.OnStop(func(context.Context) error {
		_ = listener.Close() // usually the server has already closed it
		return nil
	})
	s.info = folder.Info{
		API:     "http://" + listener.Addr().String(),
		Portal:  loopback.BrowserURL(listener.Addr().String()),
		Region:  deployment.Region,
		PID:     os.Getpid(),
		Control: rand.Text(),
	}
	return nil
}

// load reads the template, and creates the log file.
func (s *Stack) load(context.Context) error {
	addresses := deployment.Addresses{API: s.info.API, Portal: s.info.Portal}
	s.deployment = deployment.New(s.options.RepoDir, addresses, s.options.parameters())
	loaded, err := s.deployment.ReadTemplate()
	if err != nil {
		return err
	}
	s.deployment.SetTemplate(loaded)
	s.info.Tables, s.info.Buckets, s.info.Outputs = map[string]string{}, map[string]string{}, loaded.Outputs
	for _, table := range loaded.Tables {
		s.info.Tables[table.ID] = table.Name
	}
	for _, bucket := range loaded.Buckets {
		s.info.Buckets[bucket.ID] = bucket.Name
	}
	if !s.options.KeepLog {
		return nil
	}
	file, err := s.folder.CreateStackLog(s.lifetime)
	if err != nil {
		return err
	}
	s.console.KeepDetails(file)
	return nil
}

// connect creates the parts. They call each other only after all exist.
func (s *Stack) connect(context.Context) (err error) {
	o := s.options
	s.access, err = access.Start(access.Config{
		Lifetime: s.lifetime, Deployment: s.deployment, LogError: s.console.LogError, Used: &s.used,
		Crash: o.Crash, Kill: func(function string) { s.functions.KillBusy(function) },
	})
	if err != nil {
		return err
	}
	s.functions, err = functions.New(functions.Config{
		Folder: s.folder, Console: s.console, Deployment: s.deployment, Lifetime: s.lifetime, Used: &s.used,
		Emulator: o.Emulator, IsLazy: o.BuildOnRequest, Concurrency: o.Concurrency, Variables: s.access.Variables,
		Lines:    func(l lambda.Line) { s.delivery.Logs().PutLine(l) },
		Wait:     func(ctx context.Context, function string) error { return s.services.Wait(ctx, function) },
		DataLost: sync.OnceFunc(s.reportDataLost),
	})
	if err != nil {
		return err
	}
	s.delivery, err = delivery.New(delivery.Config{
		Lifetime: s.lifetime, Deployment: s.deployment, Console: s.console, Invoker: s.functions, Used: &s.used,
		RetryDelays: o.RetryDelays, DataDir: s.folder.Relative(s.folder.Path),
		LogLost: func(line string) {
			s.console.LogError(line)
			s.disk.Report()
		},
		Put: func(ctx context.Context, bucket, key string, content []byte) error {
			return s.services.PutJSON(ctx, bucket, key, content)
		},
	})
	if err != nil {
		return err
	}
	c := services.Config{
		Folder: s.folder, Lifetime: s.lifetime, Console: s.console, Deployment: s.deployment, Access: s.access,
		ObjectsURL: s.delivery.ObjectsURL(), ImagesURL: s.delivery.ImagesURL(),
		DynamoDBDelay: o.DynamoDBDelay, DynamoDBUnits: o.DynamoDBUnits, RotateStep: s.functions.RotateStep,
	}
	if o.BuildEngines {
		c.Builder = s.functions.Builder()
	}
	s.services = services.New(c)
	s.api = &api{functions: s.functions, logs: s.delivery.Logs(), console: s.console, disk: s.disk}
	return nil
}

// reportDataLost stops a stack whose data folder was deleted or moved. The engines' open files
// would be lost with the next start anyway.
func (s *Stack) reportDataLost() {
	if !s.lifetime.IsStopping() {
		s.lifetime.Fail(fmt.Errorf("%s was deleted or moved: stop the stack before you do that; `make run` starts with empty data",
			s.folder.Relative(s.folder.Path)))
	}
}

// startServices runs the slow parts of the start concurrently.
func (s *Stack) startServices(ctx context.Context) error {
	buildOperator := func(ctx context.Context) error { return s.operator.Build(ctx, s.functions.Builder().Command) }
	if err := lifetime.Concurrently(ctx, s.functions.Build, buildOperator, s.services.Start); err != nil {
		return err
	}
	s.services.AddTo(&s.info)
	return nil
}

func (s *Stack) startFunctions(ctx context.Context) error {
	if err := s.functions.Start(s.info.Environment()); err != nil {
		return err
	}
	if err := s.functions.Watch(ctx, s.reload); err != nil {
		return err
	}
	s.delivery.Start()
	return nil
}

// bootstrap creates the first admin.
func (s *Stack) bootstrap(ctx context.Context) (err error) {
	s.signInLink, err = s.operator.Bootstrap(ctx, s.info.Portal, s.info.CommandEnvironment())
	return err
}

func (s *Stack) serve(context.Context) error {
	if err := s.api.setRoutes(s.deployment.Template()); err != nil {
		return err
	}
	pages, err := control.New(control.Config{
		Info: s.info, Data: s.folder.Path, Deployment: s.deployment, Services: s.services, Used: &s.used,
		Invoke: s.functions.InvokeAndExplain,
	})
	if err != nil {
		return err
	}
	// http.ServeMux would redirect unclean paths, which API Gateway passes on unchanged.
	server := gateway.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_local" || strings.HasPrefix(r.URL.Path, "/_local/") {
			pages.ServeHTTP(w, r)
			return
		}
		s.api.ServeHTTP(w, r)
	}))
	s.lifetime.ServeGracefully("the API's port", s.listener, server)
	return nil
}

// publish starts the schedules, writes stack.json for other commands, and begins to build engines that are missing.
func (s *Stack) publish(ctx context.Context) error {
	if err := s.delivery.StartSchedules(ctx); err != nil {
		return err
	}
	s.lifetime.OnStop(func(context.Context) error { return s.folder.Withdraw() })
	if err := s.folder.Publish(s.info); err != nil {
		return err
	}
	s.services.Build(ctx)
	return nil
}

// reload applies changed routes, environments, limits, schedules, notifications and
// subscriptions. New functions, tables and buckets need a restart.
func (s *Stack) reload(ctx context.Context) {
	loaded, err := s.deployment.ReadTemplate()
	if err != nil {
		s.console.LogError(err.Error() + "; the stack keeps using the template from before this change")
		return
	}
	if !s.deployment.HasSameParts(loaded) {
		s.console.WriteLine("template.yaml: the functions, tables or buckets have changed: restart `make run` to apply that")
		return
	}
	if err := s.apply(ctx, loaded); err != nil {
		s.console.LogError("template.yaml: " + err.Error() + "; the stack keeps using the template from before this change")
		return
	}
	s.console.WriteLine("template.yaml: the changes are applied")
}

func (s *Stack) apply(ctx context.Context, t *template.Stack) error {
	if err := s.api.setRoutes(t); err != nil {
		return err
	}
	s.deployment.SetTemplate(t)
	s.functions.Configure(t)
	s.access.SetRoles(t.Roles)
	return s.delivery.Configure(ctx, t)
}
