package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"portside/local/ecr"
	"portside/local/engines"
	"portside/local/iam"
	"portside/local/template"
)

const (
	registryBucket = "portside-registry" // not in the template, because ECR stores images itself
	// The password and port of a data folder's registry stay the same, so that logins and image
	// names stay valid.
	registryPasswordFile = "registry-password"
	registryPortFile     = "registry-port"
)

// startS3AndRegistry starts S3 and then the registry, which stores its images in S3. If they have yet to be built, it only reserves their
// addresses.
func (s *Stack) startS3AndRegistry(ctx context.Context) error {
	if s.options.BuildEngines {
		return s.reserveEngines()
	}
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
	s.supervise("The container registry", p)
	s.setInfo(func(i *Info) { i.Registry = p.Endpoint })
	if err := s.saveRegistryPort(p.Endpoint); err != nil {
		return err
	}
	return s.startECR(ecr.Config{Registry: p.Endpoint, Password: c.Password, Now: time.Now})
}

// registrySettings returns the registry's settings. The address of S3 must be known.
func (s *Stack) registrySettings() (engines.Registry, error) {
	binary, err := s.binary(registryEngine)
	if err != nil {
		return engines.Registry{}, err
	}
	password, err := s.registryPassword()
	if err != nil {
		return engines.Registry{}, err
	}
	log, err := s.engineLog("registry")
	return engines.Registry{
		Binary: binary, Addr: s.lastRegistryAddr(), Password: password, Bucket: registryBucket, Log: log,
		S3: s3Access(s.info.S3), EventsURL: s.registryEventsURL, AuthorizeURL: s.authorizeURL, RepositoryARN: arn("ecr", "repository/"),
	}, err
}

func (s *Stack) startECR(c ecr.Config) error {
	endpoint, err := s.startServer("ECR", localOnly(iam.ECR(s.authorizer).Guard(c.API())))
	s.setInfo(func(i *Info) { i.ECR = endpoint })
	return err
}

// RegistryPasswordFile returns the path of the file with the password of the registry's user AWS.
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
	return password, writeFileAtomically(s.RegistryPasswordFile(), []byte(password+"\n"))
}

// lastRegistryAddr returns the previous address of the folder's registry, or "".
func (s *Stack) lastRegistryAddr() string {
	content, err := os.ReadFile(filepath.Join(s.options.DataDir, registryPortFile))
	if err != nil {
		return "" // if the file is inaccessible, saveRegistryPort reports that
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 16)
	if err != nil || port == 0 {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
}

func (s *Stack) saveRegistryPort(endpoint string) error {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(endpoint, "http://"))
	if err != nil {
		return err
	}
	return writeFileAtomically(filepath.Join(s.options.DataDir, registryPortFile), []byte(port+"\n"))
}

// loginCommand returns the command that logs docker in to the registry at host.
func (s *Stack) loginCommand(host string) string {
	return "docker login -u AWS --password-stdin " + host + " < " + s.relative(s.RegistryPasswordFile())
}
