// Command s3server is the local stack's S3 server: versitygw on a folder. It verifies signatures as
// S3 does.
//
// It is a separate process because versitygw changes the working directory and allows only one
// gateway per process. That also keeps its dependencies and crashes out of the stack. It reads the
// keys from the environment (S3SERVER_ACCESS_KEY, S3SERVER_SECRET_KEY), because every user of the
// machine can read command lines. It prints only errors and exits with status 0 on SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
	"github.com/versity/versitygw/s3api"
)

const (
	// maxCopyBytes is S3's limit for one copy. Without a limit, versitygw refuses every copy.
	maxCopyBytes = 5 << 30
	// maxRequests run at the same time. Each can change an object, so that a deletion that creations wait for never
	// waits for them.
	maxRequests = 512
)

type settings struct {
	addr, dir, region       string
	eventsURL, authorizeURL string
	accessKey, secretKey    string
}

func main() {
	var s settings
	flag.StringVar(&s.addr, "addr", "127.0.0.1:9000", "`address` to listen on")
	flag.StringVar(&s.dir, "dir", "", "data `folder`, created if missing")
	flag.StringVar(&s.region, "region", "us-east-1", "`region` of the signatures")
	flag.StringVar(&s.eventsURL, "events-url", "",
		"`URL` to which the server posts a change.Change for each change of an object; empty means none")
	flag.StringVar(&s.authorizeURL, "authorize-url", "",
		"`URL` of the iam.Authorizer that the server asks about requests of roles; empty permits only the keys of the environment")
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
		return errors.New("-dir is missing: set the data folder")
	case s.accessKey == "" || s.secretKey == "":
		return errors.New("set S3SERVER_ACCESS_KEY and S3SERVER_SECRET_KEY in the environment")
	}
	store, err := openStorage(s.dir)
	if err != nil {
		return err
	}
	objects, err := posix.New(store.buckets, store.metadata,
		posix.PosixOpts{Concurrency: maxRequests, CopyObjectThreshold: maxCopyBytes})
	if err != nil {
		return fmt.Errorf("open the storage: %w", err)
	}
	service := newRoles(auth.Account{Access: s.accessKey, Secret: s.secretKey, Role: auth.RoleAdmin}, s.authorizeURL)
	storage := roleBackend{withEvents(safeKeyBackend{withStableFolders(objects)}, s.eventsURL), service}
	config := gateway(s, addCORSToErrors(storage))
	config.IAMService = service
	return embedgw.RunVersityGW(ctx, storage, config)
}

func gateway(s settings, first fiber.Handler) *embedgw.Config {
	return &embedgw.Config{
		RootUserAccess:    s.accessKey,
		RootUserSecret:    s.secretKey,
		Region:            s.region,
		Ports:             []string{s.addr},
		MaxConnections:    1024,
		MaxRequests:       maxRequests,
		MultipartMaxParts: 10000,
		Quiet:             true,
		KeepAlive:         true,
		DisableACLs:       true,
		HealthPath:        "/healthz",
		S3Options: []s3api.Option{
			s3api.WithMiddleware("/", readRefusedBodies),
			s3api.WithMiddleware("/", first),
			s3api.WithMiddleware("/", refuseTwoSignatures),
			s3api.WithMiddleware("/", refuseUnsafeKeys),
		},
	}
}
