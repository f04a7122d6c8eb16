package stack_test

import (
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"portside/local/stack"
)

// registryLogin gets the registry's address and password from the stack's ECR, as a function does.
func registryLogin(t *testing.T, s *stack.Stack) (host string, auth remote.Option) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Info().ECR, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken")
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		AuthorizationData []struct{ AuthorizationToken, ProxyEndpoint string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.AuthorizationData) != 1 {
		t.Fatalf("%s %v (%v)", response.Status, answer, err)
	}
	token, err := base64.StdEncoding.DecodeString(answer.AuthorizationData[0].AuthorizationToken)
	if err != nil {
		t.Fatal(err)
	}
	if at := answer.AuthorizationData[0].ProxyEndpoint; at != s.Info().Registry {
		t.Errorf("registry address %s, ECR returns %s", s.Info().Registry, at)
	}
	user, password, _ := strings.Cut(string(token), ":")
	basic := &authn.Basic{Username: user, Password: password}
	return strings.TrimPrefix(s.Info().Registry, "http://"), remote.WithAuth(basic)
}

func reference(t *testing.T, text string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(text)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestRegistryKeepsImagesPasswordAndAddress(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	host, auth := registryLogin(t, s)
	ref := reference(t, host+"/acme/api:1.0.0")
	image, err := random.Image(1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, image, remote.WithContext(t.Context()), auth); err != nil {
		t.Fatal(err)
	}
	stop(t, s)
	s = start(t, o)
	pulled, err := remote.Image(ref, remote.WithContext(t.Context()), auth)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Image(pulled); err != nil {
		t.Error(err)
	}
	if again, _ := registryLogin(t, s); again != host {
		t.Errorf("the registry's address changed from %s to %s", host, again)
	}
	if _, err := remote.Image(ref, remote.WithContext(t.Context())); err == nil {
		t.Error("an image was pulled without a password")
	}
}

func TestRegistryChangesAddressIfPortIsTaken(t *testing.T) {
	o := options(repo(t))
	s := start(t, o)
	host, _ := registryLogin(t, s)
	stop(t, s)
	busy, err := net.Listen("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	s = start(t, o)
	moved, _ := registryLogin(t, s)
	if moved == host {
		t.Errorf("the address is still %s", host)
	}
	stop(t, s)
	if err := busy.Close(); err != nil {
		t.Fatal(err)
	}
	if now, _ := registryLogin(t, start(t, o)); now != moved {
		t.Errorf("the address changed from %s to %s although the port was free", moved, now)
	}
}

func TestBannerHasRegistryLogin(t *testing.T) {
	o := options(repo(t))
	o.DataDir = filepath.Join(o.RepoDir, "my data")
	s := start(t, o)
	host, _ := registryLogin(t, s)
	want := "docker login -u AWS --password-stdin " + host + " < 'my data/registry-password'\n"
	if got := s.Banner(); !strings.Contains(got, want) {
		t.Errorf("%s\nlacks %s", got, want)
	}
	perform(t, s.Info().API, step{"GET", "/_local/", "", 200, s.Info().Registry})
	passwordFile := filepath.Join(o.Data(), "registry-password")
	file, err := os.Stat(passwordFile)
	if err != nil || file.Mode().Perm() != 0o600 {
		t.Errorf("the password's file: %v, %v", file, err)
	}
	password, err := os.ReadFile(passwordFile)
	if err != nil {
		t.Fatal(err)
	}
	basic := &authn.Basic{Username: "AWS", Password: strings.TrimSpace(string(password))}
	repositories, err := remote.Catalog(t.Context(), reference(t, host+"/any").Context().Registry, remote.WithAuth(basic))
	if err != nil || len(repositories) != 0 {
		t.Errorf("repositories %v, %v", repositories, err)
	}
}

func TestRegistryStartsWithInvalidFiles(t *testing.T) {
	o := options(repo(t))
	if err := os.MkdirAll(o.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"registry-port": "all", "registry-password": "\n"} {
		if err := os.WriteFile(filepath.Join(o.Data(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, o)
	host, _ := registryLogin(t, s)
	perform(t, "http://"+host, step{"GET", "/v2/", "", 401, "UNAUTHORIZED"})
}

func TestMissingRegistryBinary(t *testing.T) {
	o := options(repo(t))
	remove(".local/bin/registryserver")(&o)
	s, err := stack.Start(t.Context(), o)
	if err == nil {
		stop(t, s)
	}
	if err == nil || err.Error() != ".local/bin/registryserver is missing: run `make engines`" {
		t.Error(err)
	}
}
