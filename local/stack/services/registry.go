package services

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
	"portside/local/stack/deployment"
	"portside/local/stack/loopback"
	"portside/local/template"
)

const (
	registryBucket = "portside-registry" // not in the template, because ECR stores images itself
	// The password and port of a data folder's registry stay the same, so that logins and image
	// names stay valid.
	registryPasswordFile = "registry-password"
	registryPortFile     = "registry-port"
)

// registry is the registry of container images and its ECR.
type registry struct {
	Config
	storage  *storage // has the images
	endpoint string
	ecr      string // the address of ECR
}

func (r *registry) start(ctx context.Context) error {
	c, err := r.settings()
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
	r.Lifetime.Supervise("The container registry", p)
	r.endpoint = p.Endpoint
	if err := r.savePort(); err != nil {
		return err
	}
	return r.startECR(c.Password)
}

// settings returns the registry's settings. The address of S3 must be known.
func (r *registry) settings() (engines.Registry, error) {
	binary, err := r.binary(registryEngine)
	if err != nil {
		return engines.Registry{}, err
	}
	password, err := r.password()
	if err != nil {
		return engines.Registry{}, err
	}
	log, err := r.Folder.CreateLog("registry", r.Lifetime)
	return engines.Registry{
		Binary: binary, Addr: r.lastAddr(), Password: password, Bucket: registryBucket, Log: log,
		S3: s3Access(r.storage.endpoint), EventsURL: r.ImagesURL, AuthorizeURL: r.Access.URL(),
		RepositoryARN: deployment.ARN("ecr", "repository/"),
	}, err
}

func (r *registry) startECR(password string) (err error) {
	c := ecr.Config{Registry: r.endpoint, Password: password, Now: time.Now}
	r.ecr, err = r.Lifetime.Serve("ECR", loopback.Only(r.Access.GuardECR(c.API())))
	return err
}

// RegistryPasswordFile returns the path of the file in a data folder with the password of the registry's user AWS.
func RegistryPasswordFile(dataDir string) string { return filepath.Join(dataDir, registryPasswordFile) }

func (r *registry) password() (string, error) {
	content, err := os.ReadFile(RegistryPasswordFile(r.Folder.Path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if password := strings.TrimSpace(string(content)); password != "" {
		return password, nil
	}
	password := rand.Text()
	return password, r.Folder.WriteFile(registryPasswordFile, []byte(password+"\n"))
}

// lastAddr returns the previous address of the folder's registry, or "".
func (r *registry) lastAddr() string {
	content, err := os.ReadFile(filepath.Join(r.Folder.Path, registryPortFile))
	if err != nil {
		return "" // if the file is inaccessible, savePort reports that
	}
	port, err := strconv.ParseUint(strings.TrimSpace(string(content)), 10, 16)
	if err != nil || port == 0 {
		return ""
	}
	return net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
}

func (r *registry) savePort() error {
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.endpoint, "http://"))
	if err != nil {
		return err
	}
	return r.Folder.WriteFile(registryPortFile, []byte(port+"\n"))
}
