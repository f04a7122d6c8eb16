package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"portside/local/ecr"
	"portside/local/engines"
	"portside/local/template"
)

const (
	registryBucket = "portside-registry" // none of the template's: in the cloud it is ECR's own affair
	// What stays the same in a data folder, so that a login and the names of pushed images stay good.
	registryPasswordFile = "registry-password"
	registryPortFile     = "registry-port"
)

// startObjects starts S3, and then the registry that stores in it.
func (s *Stack) startObjects(ctx context.Context) error {
	if err := s.startS3(ctx); err != nil {
		return err
	}
	return s.startRegistry(ctx)
}

func (s *Stack) startRegistry(ctx context.Context) error {
	c, err := s.registrySettings()
	if err != nil {
		return err
	}
	if err := engines.CreateBuckets(ctx, c.S3, []template.Bucket{{Name: c.Bucket}}); err != nil {
		return err
	}
	p, err := engines.StartRegistry(ctx, c)
	if err != nil {
		return err
	}
	s.keep("The container registry", p)
	s.setInfo(func(i *Info) { i.Registry = p.Endpoint })
	if err := s.keepRegistryPort(p.Endpoint); err != nil {
		return err
	}
	return s.startECR(ecr.Config{Registry: p.Endpoint, Password: c.Password, Now: time.Now})
}

// registrySettings needs S3, which runs.
func (s *Stack) registrySettings() (engines.Registry, error) {
	binary, err := s.binary("registryserver")
	if err != nil {
		return engines.Registry{}, err
	}
	password, err := s.registryPassword()
	if err != nil {
		return engines.Registry{}, err
	}
	log, err := s.engineLog("registry")
	return engines.Registry{
		Binary: binary, Addr: s.lastRegistry(), Password: password, Bucket: registryBucket, Log: log,
		S3: engines.S3Access{Endpoint: s.info.S3, AccessKey: accessKeyID, SecretKey: secretAccessKey},
	}, err
}

func (s *Stack) startECR(c ecr.Config) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: localOnly(c.API()), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("the port of ECR: %w", err)
		}
	}()
	s.onStop(func(context.Context) error { return server.Close() })
	s.setInfo(func(i *Info) { i.ECR = "http://" + listener.Addr().String() })
	return nil
}

// RegistryPasswordFile has the password of the registry's user AWS, for a docker login.
func (s *Stack) RegistryPasswordFile() string {
	return filepath.Join(s.options.DataDir, registryPasswordFile)
}

func (s *Stack) registryPassword() (string, error) {
	content, err := os.ReadFile(s.RegistryPasswordFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if password := strings.TrimSpace(string(content)); password != "" {
		return password, nil
	}
	password := rand.Text()
	return password, replace(s.RegistryPasswordFile(), []byte(password+"\n"))
}

// lastRegistry is where the folder's registry was, or empty when that is not known.
func (s *Stack) lastRegistry() string {
	content, err := os.ReadFile(filepath.Join(s.options.DataDir, registryPortFile))
	if err != nil {
		return "" // whatever it is that cannot be read, keepRegistryPort will have to say
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 16)
	if err != nil || port == 0 {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
}

func (s *Stack) keepRegistryPort(endpoint string) error {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(endpoint, "http://"))
	if err != nil {
		return err
	}
	return replace(filepath.Join(s.options.DataDir, registryPortFile), []byte(port+"\n"))
}

// loginCommand logs docker in to the registry at an address.
func (s *Stack) loginCommand(host string) string {
	return "docker login -u AWS --password-stdin " + host + " < " + s.relative(s.RegistryPasswordFile())
}
