package stack

import (
	"context"
	"time"

	"portside/local/async"
	"portside/local/lambda"
	"portside/local/logs"
	"portside/local/registryevents"
	"portside/local/s3events"
)

// createEventQueues creates the receivers of events before anything can send events. They hold
// events until startEventDelivery.
func (s *Stack) createEventQueues(context.Context) error {
	loaded := s.template.Load()
	s.events = async.New(async.Config{
		Invoker: s, Policy: s.asyncPolicy, Keep: s.keepFailure,
		RetryDelays: s.options.RetryDelays, Log: s.logLostEvent, RecoveryHint: s.recoveryHint(),
	})
	s.logs = logs.New(logs.Config{AccountID: accountID, Deliver: s.events.Invoke})
	s.logs.Subscribe(subscriptions(loaded))
	s.objects = s3events.New(s3events.Config{Buckets: loaded.Buckets, Region: region, Deliver: s.events.Invoke})
	endpoint, err := s.startServer("S3 events", s.objects)
	s.eventsURL = endpoint + s.objects.Path()
	if err != nil {
		return err
	}
	s.images = registryevents.New(registryevents.Config{
		Rules: loaded.Rules, Region: region, AccountID: accountID, Deliver: s.events.Invoke,
	})
	endpoint, err = s.startServer("registry events", s.images)
	s.registryEventsURL = endpoint + s.images.Path()
	return err
}

// logLostEvent prints a line about an event that no function has processed.
func (s *Stack) logLostEvent(line string) {
	s.logError(line)
	s.reportFullDisk()
}

// asyncPolicy returns how the template wants asynchronous invocations of a function to be handled.
func (s *Stack) asyncPolicy(function string) async.Policy {
	for _, f := range s.template.Load().Functions {
		if f.ID == function {
			return async.Policy{
				Retries: f.Async.Retries, MaxAge: f.Async.MaxAge, Destination: f.Async.FailureBucket, Concurrency: f.ReservedConcurrency,
			}
		}
	}
	return async.DefaultPolicy
}

// keepFailure writes the record of a failed event to its bucket, as Lambda does.
func (s *Stack) keepFailure(ctx context.Context, f async.Failure) (location string, err error) {
	now := time.Now()
	content, err := f.Record(now, region, accountID)
	if err != nil {
		return "", err
	}
	if s.engines != nil {
		if err := s.waitForEngine(ctx, s.engines.s3); err != nil {
			return "", err
		}
	}
	access := s3Access(s.Info().S3)
	return "s3://" + f.Destination + "/" + f.Key(now), access.PutJSON(ctx, f.Destination, f.Key(now), content)
}

// scheduled invokes functions for the scheduler. It waits for the last attempt, so that the log has
// its result.
type scheduled struct{ events *async.Queue }

// Invoke implements schedule.Invoker. Like EventBridge Scheduler, it invokes the function
// asynchronously.
func (s scheduled) Invoke(ctx context.Context, function string, payload []byte) (lambda.Result, error) {
	type outcome struct {
		result lambda.Result
		err    error
	}
	ended := make(chan outcome, 1)
	s.events.Invoke(async.Event{
		Function: function, Payload: payload, Description: "its schedule",
		Done: func(result lambda.Result, err error) { ended <- outcome{result, err} },
	})
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		return lambda.Result{}, ctx.Err()
	}
}

// recoveryHint ends the log line about lost events. Only the chart index does not recover from a
// lost event.
func (s *Stack) recoveryHint() string {
	return "; if one was for a chart, run this after the next start: portside reindex-charts --local " + s.relative(s.options.Data())
}

// startEventDelivery starts invoking functions on events. When the stack stops, it still delivers
// pending events, within drainTimeout.
func (s *Stack) startEventDelivery(context.Context) error {
	s.events.Start()
	s.onStop(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, drainTimeout)
		defer cancel()
		s.logs.Flush()
		s.events.Stop(ctx)
		return nil
	})
	return nil
}
