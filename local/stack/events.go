package stack

import (
	"context"

	"portside/local/async"
	"portside/local/logs"
	"portside/local/s3events"
)

// createEventQueues creates the receivers of events before anything can send events. They hold
// events until startEventDelivery.
func (s *Stack) createEventQueues(context.Context) error {
	loaded := s.template.Load()
	s.events = async.New(async.Config{Invoker: s, RetryDelays: s.options.RetryDelays, Log: s.logError, RecoveryHint: s.recoveryHint()})
	s.logs = logs.New(logs.Config{AccountID: accountID, Deliver: s.events.Invoke})
	s.logs.Subscribe(subscriptions(loaded))
	s.objects = s3events.New(s3events.Config{Buckets: loaded.Buckets, Region: region, Deliver: s.events.Invoke})
	endpoint, err := s.startServer("S3 events", s.objects)
	s.eventsURL = endpoint + s.objects.Path()
	return err
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
