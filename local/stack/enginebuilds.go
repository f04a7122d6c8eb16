package stack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portside/local/ecr"
	"portside/local/engines"
	"portside/local/iam"
	"portside/local/template"
)

// Names of the engines that the Makefile builds, in .local/bin.
const (
	s3Engine       = "s3server"
	registryEngine = "registryserver"
)

// engineBuilds has the state of the S3 server and the registry while they are being built. Their addresses are reserved when the stack
// starts, so that the functions and stack.json have the final addresses from the start.
type engineBuilds struct {
	s3, registry     *placeholder
	s3Settings       engines.S3
	registrySettings engines.Registry
	processes        []*engines.Process // in start order; read it only after ended is closed

	stopped chan struct{} // closed when the stack stops
	ended   chan struct{} // closed when the builds have ended
}

// reserveEngines reserves the addresses of S3 and the registry, and starts ECR, which does not need them yet.
func (s *Stack) reserveEngines() error {
	b := &engineBuilds{stopped: make(chan struct{}), ended: make(chan struct{})}
	s.engines = b
	if err := s.reserveAddresses(b); err != nil {
		return err
	}
	var err error
	if b.s3Settings, err = s.s3Settings(); err != nil {
		return err
	}
	if b.registrySettings, err = s.registrySettings(); err != nil {
		return err
	}
	b.s3Settings.Addr, b.registrySettings.Addr = b.s3.address, b.registry.address
	s.onStop(func(context.Context) error {
		for _, p := range slices.Backward(b.processes) {
			p.Stop(engineStopTimeout)
		}
		return nil
	})
	return s.startECR(ecr.Config{Registry: s.info.Registry, Password: b.registrySettings.Password, Now: time.Now})
}

func (s *Stack) reserveAddresses(b *engineBuilds) (err error) {
	if b.s3, err = s.reserve(refusal{"application/xml", s3Refusal}, ""); err != nil {
		return err
	}
	s.setS3(engines.S3Endpoint(b.s3.address))
	if b.registry, err = s.reserveRegistry(s.lastRegistryAddr()); err != nil {
		return err
	}
	s.setInfo(func(i *Info) { i.Registry = "http://" + b.registry.address })
	return s.saveRegistryPort(s.info.Registry)
}

const (
	s3Refusal       = "<Error><Code>ServiceUnavailable</Code><Message>" + refusalText + "</Message></Error>\n"
	registryRefusal = `{"errors":[{"code":"UNAVAILABLE","message":"` + refusalText + `"}]}` + "\n"
	refusalText     = "this engine of the local stack is being built, see the terminal of make run; try again later"
)

// reserveRegistry reserves the address, or another one that can stay the same if that is empty or in use.
func (s *Stack) reserveRegistry(address string) (*placeholder, error) {
	r := refusal{"application/json", registryRefusal}
	if address != "" {
		if p, err := s.reserve(r, address); err == nil {
			return p, nil
		}
	}
	address, err := engines.StableAddr()
	if err != nil {
		return nil, err
	}
	return s.reserve(r, address)
}

func (s *Stack) reserve(r refusal, address string) (*placeholder, error) {
	p, err := newPlaceholder(address, r, s.builder.PutEnginesFirst)
	if err != nil {
		return nil, err
	}
	s.onStop(func(context.Context) error { return p.close() })
	return p, nil
}

// buildEngines begins to build the engines, and starts each when it is built. The registry stores in S3, so S3 is first.
func (s *Stack) buildEngines(ctx context.Context) error {
	b := s.engines
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(b.ended)
		err := s.builder.Engines(ctx, []string{s3Engine, registryEngine}, s.startBuiltEngine)
		if err != nil && ctx.Err() == nil {
			s.failed <- fmt.Errorf("%w\nThe local stack needs this engine: correct the error, and start the stack again", err)
		}
	}()
	s.onStop(func(context.Context) error {
		close(b.stopped)
		cancel()
		<-b.ended
		return nil
	})
	return nil
}

func (s *Stack) startBuiltEngine(ctx context.Context, name string) error {
	if name == s3Engine {
		return s.startBuiltS3(ctx)
	}
	return s.startBuiltRegistry(ctx)
}

func (s *Stack) startBuiltS3(ctx context.Context) error {
	b := s.engines
	if err := b.s3.close(); err != nil {
		return err
	}
	p, err := engines.StartS3(ctx, b.s3Settings)
	if err != nil {
		return err
	}
	b.processes = append(b.processes, p)
	s.reportExit("S3", p)
	if err := engines.CreateBuckets(ctx, s3Access(p.Endpoint), s.template.Load().Buckets); err != nil {
		return err
	}
	close(b.s3.ready)
	return nil
}

func (s *Stack) startBuiltRegistry(ctx context.Context) error {
	b := s.engines
	if err := engines.CreateBuckets(ctx, b.registrySettings.S3, []template.Bucket{{Name: registryBucket}}); err != nil {
		return err
	}
	if err := b.registry.close(); err != nil {
		return err
	}
	p, err := engines.StartRegistry(ctx, b.registrySettings)
	if err != nil {
		return err
	}
	b.processes = append(b.processes, p)
	s.reportExit("The container registry", p)
	if p.Endpoint != s.Info().Registry {
		return errors.New("another program took the address of the container registry")
	}
	close(b.registry.ready)
	return nil
}

// waitForEngines waits until the engines that a function may call answer.
func (s *Stack) waitForEngines(ctx context.Context, function string) error {
	if s.engines == nil {
		return nil
	}
	role := s.roleOf(function)
	if permits(role, "s3:") {
		if err := s.waitForEngine(ctx, s.engines.s3); err != nil {
			return err
		}
	}
	if permits(role, "ecr:") {
		return s.waitForEngine(ctx, s.engines.registry)
	}
	return nil
}

// waitForEngine waits until an engine answers, and returns errEngineNotBuilt after engineWait.
func (s *Stack) waitForEngine(ctx context.Context, p *placeholder) error {
	select {
	case <-p.ready:
		return nil
	default:
	}
	s.builder.PutEnginesFirst()
	timeout := time.NewTimer(engineWait)
	defer timeout.Stop()
	select {
	case <-p.ready:
		return nil
	case <-timeout.C:
		return errEngineNotBuilt
	case <-s.engines.stopped:
		return errors.New("the local stack is stopping")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// engineWait is shorter than the gateway's limit of 2 minutes for a response, so that the client gets errEngineNotBuilt.
const engineWait = 100 * time.Second

var errEngineNotBuilt = errors.New("an engine that this function needs is still being built, see the terminal of make run; try again later")

func (s *Stack) roleOf(function string) iam.Role {
	t := s.template.Load()
	for _, f := range t.Functions {
		i := slices.IndexFunc(t.Roles, func(r iam.Role) bool { return r.ID == f.Role })
		if f.ID == function && i >= 0 {
			return t.Roles[i]
		}
	}
	return iam.Role{}
}

// permits reports whether a role allows any action of a service. prefix is the service with a colon, such as "s3:". IAM ignores the case of
// actions.
func permits(r iam.Role, prefix string) bool {
	return slices.ContainsFunc(r.Statements, func(statement iam.Statement) bool {
		return !statement.IsDeny && slices.ContainsFunc(statement.Actions, func(action string) bool {
			return action == "*" || strings.HasPrefix(strings.ToLower(action), prefix)
		})
	})
}
