package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/local/engines"
	"portside/local/iam"
	"portside/local/stack/lifetime"
	"portside/local/template"
)

// Names of the engines that the Makefile builds, in .local/bin.
const (
	s3Engine       = "s3server"
	registryEngine = "registryserver"
)

// builds has the state of the S3 server and the registry while they are being built. Their addresses are reserved when
// the stack starts, so that the functions and stack.json have the final addresses from the start.
type builds struct {
	Config
	storage  *storage
	registry *registry

	s3, images       *placeholder // at the addresses of S3 and of the registry
	s3Settings       engines.S3
	registrySettings engines.Registry
	processes        []*engines.Process // in start order; read it only after ended is closed

	stopped chan struct{} // closed when the stack stops
	ended   chan struct{} // closed when the builds have ended
}

func newBuilds(c Config, s *storage, r *registry) *builds {
	return &builds{Config: c, storage: s, registry: r, stopped: make(chan struct{}), ended: make(chan struct{})}
}

// reserve reserves the addresses of S3 and the registry, and starts ECR, which does not need them yet.
func (b *builds) reserve() error {
	if err := b.reserveAddresses(); err != nil {
		return err
	}
	var err error
	if b.s3Settings, err = b.storage.settings(); err != nil {
		return err
	}
	if b.registrySettings, err = b.registry.settings(); err != nil {
		return err
	}
	b.s3Settings.Addr, b.registrySettings.Addr = b.s3.address, b.images.address
	b.Lifetime.OnStop(func(context.Context) error {
		for _, p := range slices.Backward(b.processes) {
			lifetime.StopEngine(p)
		}
		return nil
	})
	return b.registry.startECR(b.registrySettings.Password)
}

func (b *builds) reserveAddresses() (err error) {
	if b.s3, err = b.reserveAt(refusal{"application/xml", s3Refusal}, ""); err != nil {
		return err
	}
	b.storage.endpoint = engines.S3Endpoint(b.s3.address)
	if b.images, err = b.reserveRegistry(b.registry.lastAddr()); err != nil {
		return err
	}
	b.registry.endpoint = "http://" + b.images.address
	return b.registry.savePort()
}

const (
	s3Refusal       = "<Error><Code>ServiceUnavailable</Code><Message>" + refusalText + "</Message></Error>\n"
	registryRefusal = `{"errors":[{"code":"UNAVAILABLE","message":"` + refusalText + `"}]}` + "\n"
	refusalText     = "this engine of the local stack is being built, see the terminal of make run; try again later"
)

// reserveRegistry reserves the address, or another one that can stay the same if that is empty or in use.
func (b *builds) reserveRegistry(address string) (*placeholder, error) {
	r := refusal{"application/json", registryRefusal}
	if address != "" {
		if p, err := b.reserveAt(r, address); err == nil {
			return p, nil
		}
	}
	address, err := engines.StableAddr()
	if err != nil {
		return nil, err
	}
	return b.reserveAt(r, address)
}

func (b *builds) reserveAt(r refusal, address string) (*placeholder, error) {
	p, err := newPlaceholder(address, r, b.Builder.PutEnginesFirst)
	if err != nil {
		return nil, err
	}
	b.Lifetime.OnStop(func(context.Context) error { return p.close() })
	return p, nil
}

// run begins to build the engines, and starts each when it is built. The registry stores in S3, so S3 is first.
func (b *builds) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(b.ended)
		err := b.Builder.Engines(ctx, []string{s3Engine, registryEngine}, b.start)
		if err != nil && ctx.Err() == nil {
			b.Lifetime.Fail(fmt.Errorf("%w\nThe local stack needs this engine: correct the error, and start the stack again", err))
		}
	}()
	b.Lifetime.OnStop(func(context.Context) error {
		close(b.stopped)
		cancel()
		<-b.ended
		return nil
	})
}

// start starts an engine that has been built.
func (b *builds) start(ctx context.Context, name string) error {
	if name == s3Engine {
		return b.startS3(ctx)
	}
	return b.startRegistry(ctx)
}

func (b *builds) startS3(ctx context.Context) error {
	if err := b.s3.close(); err != nil {
		return err
	}
	p, err := engines.StartS3(ctx, b.s3Settings)
	if err != nil {
		return err
	}
	b.processes = append(b.processes, p)
	b.Lifetime.ReportExit("S3", p)
	if err := b.storage.createBuckets(ctx, p); err != nil {
		return err
	}
	close(b.s3.ready)
	return nil
}

func (b *builds) startRegistry(ctx context.Context) error {
	if err := engines.CreateBuckets(ctx, b.registrySettings.S3, []template.Bucket{{Name: registryBucket}}); err != nil {
		return err
	}
	if err := b.images.close(); err != nil {
		return err
	}
	p, err := engines.StartRegistry(ctx, b.registrySettings)
	if err != nil {
		return err
	}
	b.processes = append(b.processes, p)
	b.Lifetime.ReportExit("The container registry", p)
	if p.Endpoint != b.registry.endpoint {
		return errors.New("another program took the address of the container registry")
	}
	close(b.images.ready)
	return nil
}

// wait waits until the engines that a function may call answer.
func (b *builds) wait(ctx context.Context, function string) error {
	role := b.Deployment.RoleOf(function)
	if permits(role, "s3:") {
		if err := b.waitFor(ctx, b.s3); err != nil {
			return err
		}
	}
	if permits(role, "ecr:") {
		return b.waitFor(ctx, b.images)
	}
	return nil
}

// waitFor waits until an engine answers, and returns ErrNotBuilt after engineWait.
func (b *builds) waitFor(ctx context.Context, p *placeholder) error {
	select {
	case <-p.ready:
		return nil
	default:
	}
	b.Builder.PutEnginesFirst()
	timeout := time.NewTimer(engineWait)
	defer timeout.Stop()
	select {
	case <-p.ready:
		return nil
	case <-timeout.C:
		return ErrNotBuilt
	case <-b.stopped:
		return errors.New("the local stack is stopping")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// engineWait is shorter than the gateway's limit of 2 minutes for a response, so that the client gets ErrNotBuilt.
const engineWait = 100 * time.Second

// permits reports whether a role allows any action of a service. prefix is the service with a colon, such as "s3:". IAM
// ignores the case of actions.
func permits(r iam.Role, prefix string) bool {
	return slices.ContainsFunc(r.Statements, func(statement iam.Statement) bool {
		return !statement.IsDeny && slices.ContainsFunc(statement.Actions, func(action string) bool {
			return action == "*" || strings.HasPrefix(strings.ToLower(action), prefix)
		})
	})
}
