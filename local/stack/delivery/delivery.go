// Package delivery invokes functions on events: changes of objects, pushes of images, lines of logs, and schedules.
package delivery

import (
	"context"
	"fmt"
	"time"

	"portside/local/async"
	"portside/local/registryevents"
	"portside/local/s3events"
	"portside/local/stack/console"
	"portside/local/stack/deployment"
	"portside/local/stack/lifetime"
	"portside/local/template"
	"portside/local/usage"
)

// Config holds the parameters of New.
type Config struct {
	Lifetime   *lifetime.Lifetime
	Deployment *deployment.Deployment
	Console    *console.Console
	Invoker    async.Invoker
	Used       *usage.Counter
	// LogLost prints a line about a lost event.
	LogLost func(line string)
	// Put writes an object to a bucket.
	Put func(ctx context.Context, bucket, key string, content []byte) error
	// RetryDelays are those of async.Config, for failed asynchronous invocations.
	RetryDelays []time.Duration
	// DataDir is the stack's folder, as the user writes it in a command.
	DataDir string
}

// Delivery has the events of one stack.
type Delivery struct {
	config    Config
	events    *async.Queue
	logs      *Logs
	objects   *s3events.Receiver
	images    *registryevents.Receiver
	schedules *schedules

	objectsURL, imagesURL string
}

// New creates the receivers of events, which hold events until Start. It runs before anything can send events.
func New(c Config) (*Delivery, error) {
	loaded := c.Deployment.Template()
	d := &Delivery{config: c}
	d.events = async.New(async.Config{
		Invoker: c.Invoker, Policy: d.policy, Keep: d.keepFailure,
		RetryDelays: c.RetryDelays, Log: c.LogLost, RecoveryHint: d.recoveryHint(),
	})
	d.logs = newLogs(c, d.events.Invoke)
	d.logs.subscribe(loaded)
	d.schedules = &schedules{lifetime: c.Lifetime, console: c.Console, invoker: scheduled{d.events}}
	d.objects = s3events.New(s3events.Config{Buckets: loaded.Buckets, Region: deployment.Region, Deliver: d.events.Invoke})
	endpoint, err := c.Lifetime.Serve("S3 events", d.objects)
	if err != nil {
		return nil, err
	}
	d.objectsURL = endpoint + d.objects.Path()
	d.images = registryevents.New(registryevents.Config{
		Rules: loaded.Rules, Region: deployment.Region, AccountID: deployment.AccountID, Deliver: d.events.Invoke,
	})
	endpoint, err = c.Lifetime.Serve("registry events", d.images)
	d.imagesURL = endpoint + d.images.Path()
	return d, err
}

// ObjectsURL is where the S3 engine posts changes of objects.
func (d *Delivery) ObjectsURL() string { return d.objectsURL }

// ImagesURL is where the registry engine posts notifications.
func (d *Delivery) ImagesURL() string { return d.imagesURL }

// Logs returns the log groups.
func (d *Delivery) Logs() *Logs { return d.logs }

// policy returns how the template wants asynchronous invocations of a function to be handled.
func (d *Delivery) policy(function string) async.Policy {
	f, found := d.config.Deployment.Function(function)
	if !found {
		return async.DefaultPolicy
	}
	return async.Policy{
		Retries: f.Async.Retries, MaxAge: f.Async.MaxAge, Destination: f.Async.FailureBucket, Concurrency: f.ReservedConcurrency,
	}
}

// keepFailure writes the record of a failed event to its bucket, as Lambda does.
func (d *Delivery) keepFailure(ctx context.Context, f async.Failure) (location string, err error) {
	now := time.Now()
	content, err := f.Record(now, deployment.Region, deployment.AccountID)
	if err != nil {
		return "", err
	}
	location = fmt.Sprintf("s3://%s/%s", f.Destination, f.Key(now))
	return location, d.config.Put(ctx, f.Destination, f.Key(now), content)
}

// recoveryHint ends the log line about lost events. Only the chart index does not recover from a
// lost event.
func (d *Delivery) recoveryHint() string {
	return "; if one was for a chart, run this after the next start: portside reindex-charts --local " + d.config.DataDir
}

// Start starts to invoke functions on events. When the stack stops, pending events are still delivered, within
// lifetime.DrainTimeout.
func (d *Delivery) Start() {
	d.events.Start()
	d.config.Lifetime.OnStop(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, lifetime.DrainTimeout)
		defer cancel()
		d.logs.groups.Flush()
		d.events.Stop(ctx)
		return nil
	})
}

// StartSchedules starts to invoke functions on their schedules.
func (d *Delivery) StartSchedules(ctx context.Context) error {
	return d.schedules.start(context.WithoutCancel(ctx), d.config.Deployment.Template())
}

// Configure applies the notifications, rules, subscriptions and schedules of a changed template.
func (d *Delivery) Configure(ctx context.Context, t *template.Stack) error {
	d.objects.SetBuckets(t.Buckets)
	d.images.SetRules(t.Rules)
	d.logs.subscribe(t)
	d.schedules.stop()
	return d.schedules.run(ctx, t)
}
