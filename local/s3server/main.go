// Command s3server is the local stack's S3: versitygw over a folder, checking signatures as S3 does.
//
// It is a process of its own because versitygw changes the working directory and allows one gateway
// in a process; and so its weight stays out of the stack, and a crash of one is not one of both.
// The keys come by environment (S3SERVER_ACCESS_KEY, S3SERVER_SECRET_KEY), since everybody on the
// machine can read a command line. It says nothing but errors, and ends well on SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

// maxCopyBytes is S3's limit for one copy; versitygw without one refuses every copy.
const maxCopyBytes = 5 << 30

type settings struct {
	addr, dir, region, eventsURL string
	accessKey, secretKey         string
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:9000", "`address` to listen on")
	flag.StringVar(&s.dir, "dir", "", "`folder` of the data; it is made when it is not there")
	flag.StringVar(&s.region, "region", "us-east-1", "`region` that signatures must name")
	flag.StringVar(&s.eventsURL, "events-url", "", "`URL` that receives a change.Change for each change of an object; empty sends none")
	flag.Parse()
	s.accessKey, s.secretKey = os.Getenv("S3SERVER_ACCESS_KEY"), os.Getenv("S3SERVER_SECRET_KEY")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "s3server:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	switch {
	case s.dir == "":
		return errors.New("-dir is missing: name the folder of the data")
	case s.accessKey == "" || s.secretKey == "":
		return errors.New("set S3SERVER_ACCESS_KEY and S3SERVER_SECRET_KEY in the environment")
	}
	store, err := openStorage(s.dir)
	if err != nil {
		return err
	}
	backend, err := posix.New(store.buckets, store.metadata, posix.PosixOpts{Concurrency: 256, CopyObjectThreshold: maxCopyBytes})
	if err != nil {
		return fmt.Errorf("open the storage: %w", err)
	}
	return embedgw.RunVersityGW(ctx, withEvents(safeKeyBackend{backend}, s.eventsURL), gateway(s))
}

func gateway(s settings) *embedgw.Config {
	return &embedgw.Config{
		RootUserAccess:    s.accessKey,
		RootUserSecret:    s.secretKey,
		IAMService:        auth.NewIAMServiceSingle(auth.Account{Access: s.accessKey, Secret: s.secretKey, Role: auth.RoleAdmin}),
		Region:            s.region,
		Ports:             []string{s.addr},
		MaxConnections:    1024,
		MaxRequests:       512,
		MultipartMaxParts: 10000,
		Quiet:             true,
		KeepAlive:         true,
		DisableACLs:       true,
		HealthPath:        "/healthz",
		S3Options:         []s3api.Option{s3api.WithMiddleware("/", refuseTwoSignatures), s3api.WithMiddleware("/", refuseUnsafeKeys)},
	}
}
