// Command registryserver is the local stack's upstream container registry, in place of Amazon ECR.
// It is the CNCF distribution registry with a bucket of the local S3 as storage.
//
// As with ECR, every request needs the password of the user AWS, and blobs are redirects to
// presigned S3 URLs. It is a separate process to keep its dependencies and crashes out of the
// stack. It reads secrets from the environment (REGISTRYSERVER_PASSWORD, REGISTRYSERVER_ACCESS_KEY,
// REGISTRYSERVER_SECRET_KEY), because every user of the machine can read command lines. It prints
// only errors and exits with status 0 on SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/distribution/distribution/v3/registry/handlers"
	"github.com/sirupsen/logrus"
)

type settings struct {
	addr                 string
	s3, bucket, region   string
	accessKey, secretKey string
	password             string
	events               string
	authorizeURL, arn    string
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:5000", "`address` to listen on")
	flag.StringVar(&s.s3, "s3", "", "`URL` of S3; clients are redirected to its host")
	flag.StringVar(&s.bucket, "bucket", "", "`name` of the bucket, which must exist")
	flag.StringVar(&s.region, "region", "us-east-1", "`region` of the signatures")
	flag.StringVar(&s.events, "events", "", "`URL` that receives notifications of pushes and deletions; empty for none")
	flag.StringVar(&s.authorizeURL, "authorize-url", "",
		"`URL` of the iam.Authorizer that decides about the logins of roles")
	flag.StringVar(&s.arn, "arn", "", "`prefix` of the ARNs of repositories, which the iam.Authorizer gets")
	flag.Parse()
	s.accessKey, s.secretKey = os.Getenv("REGISTRYSERVER_ACCESS_KEY"), os.Getenv("REGISTRYSERVER_SECRET_KEY")
	s.password = os.Getenv("REGISTRYSERVER_PASSWORD")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "registryserver:", err)
		os.Exit(1)
	}
}

// run checks the settings first, because handlers.NewApp panics if a setting is invalid.
func run(ctx context.Context, s settings) error {
	if err := s.check(); err != nil {
		return err
	}
	events, err := url.Parse(s.events)
	if err != nil {
		return fmt.Errorf("-events: %w", err)
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return err
	}
	logrus.SetLevel(logrus.ErrorLevel)
	logrus.SetFormatter(errorFormatter{})
	relay := newRelay(events)
	if s.events != "" {
		s.events = "http://" + listener.Addr().String() + relay.path
	}
	// The registry's context is not canceled, so that running requests can finish.
	app := handlers.NewApp(context.WithoutCancel(ctx), s.configuration())
	handler := relay.Before(whenIdle(requirePassword(s.password, newRoles(s.authorizeURL, s.arn).Guard(app)), freeMemory))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	return errors.Join(serve(ctx, server, listener), app.Shutdown())
}

func (s settings) check() error {
	switch {
	case s.s3 == "":
		return errors.New("-s3 is missing: set the URL of S3")
	case s.bucket == "":
		return errors.New("-bucket is missing: set the bucket of the images")
	case s.accessKey == "" || s.secretKey == "":
		return errors.New("set REGISTRYSERVER_ACCESS_KEY and REGISTRYSERVER_SECRET_KEY in the environment")
	case s.password == "":
		return errors.New("set REGISTRYSERVER_PASSWORD in the environment")
	}
	return nil
}

// drainTimeout bounds running requests after SIGTERM. The stack kills the process after a second.
const drainTimeout = 800 * time.Millisecond

func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if server.Shutdown(drain) != nil {
		return server.Close()
	}
	return nil
}
