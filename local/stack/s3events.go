package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"portside/local/async"
	"portside/local/logs"
	"portside/local/s3events"
)

// receive makes what takes events, before there is anything that sends them. They wait for deliver.
func (s *Stack) receive(context.Context) error {
	loaded := s.template.Load()
	s.events = async.New(async.Config{Invoker: s, RetryDelays: s.options.RetryDelays, Log: s.alarm, RecoveryHint: s.mendEvents()})
	s.logs = logs.New(logs.Config{AccountID: accountID, Deliver: s.events.Invoke})
	s.logs.Subscribe(subscriptions(loaded))
	s.objects = s3events.New(s3events.Config{Buckets: loaded.Buckets, Region: region, Deliver: s.events.Invoke})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.objects, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the port of object events: %w", err)
		}
	}()
	s.onStop(func(context.Context) error { return server.Close() })
	s.notifyAt = "http://" + listener.Addr().String() + s.objects.Path()
	return nil
}

// mendEvents tells what to do about events that were lost: the chart index is the one thing that nothing else would mend.
func (s *Stack) mendEvents() string {
	return "; should one have been of a chart, run this after the next start: portside reindex-charts --local " + s.relative(s.options.Data())
}

// deliver begins to invoke functions on events. At the end, what is there already is still delivered if
// that takes no longer than requests may take.
func (s *Stack) deliver(context.Context) error {
	s.events.Start()
	s.onStop(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, drainTime)
		defer cancel()
		s.logs.Flush()
		s.events.Stop(ctx)
		return nil
	})
	return nil
}
