package distribution

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/containerd/containerd/v2/core/remotes"
	"github.com/containerd/containerd/v2/core/remotes/docker"
	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory" // the driver "inmemory"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/opencontainers/image-spec/specs-go/v1"

	"portside/local/e2e/e2etest"
)

// entrance is a proxy of the API on another host. It records the authentication schemes of clients.
type entrance struct {
	host string

	mu   sync.Mutex
	used map[string]int // requests by the scheme of their Authorization header, and those for a token by "token"
}

func (m shop) entrance(t *testing.T) *entrance {
	t.Helper()
	api, err := url.Parse(m.Info.API)
	if err != nil {
		t.Fatal(err)
	}
	e := &entrance{used: map[string]int{}}
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(api)
		r.Out.Host = r.In.Host
		e.record(r.In)
	}})
	t.Cleanup(server.Close)
	e.host = strings.TrimPrefix(server.URL, "http://")
	return e
}

func (e *entrance) record(r *http.Request) {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if r.URL.Path == "/v2/token" {
		scheme = "token"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used[scheme]++
}

// wantOnly checks that all requests of the client after the first one used either Basic or tokens.
func (e *entrance) wantOnly(t *testing.T, bearer bool) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	t.Logf("requests by scheme: %v", e.used)
	tokens, byBearer, byBasic := e.used["token"], e.used["Bearer"], e.used["Basic"]
	if bearer && (tokens == 0 || byBearer == 0 || byBasic != 0) || !bearer &&
		(tokens != 0 || byBearer != 0 || byBasic == 0) {
		t.Errorf("the client used %v", e.used)
	}
}

func (m shop) bothLogins(t *testing.T) map[string]e2etest.Login {
	t.Helper()
	return map[string]e2etest.Login{"token": m.createToken(t, "read:docker-images:harbor/*"),
		"password": m.requestPassword(t, "images")}
}

// TestMirrorPullsWithBearer pulls an image for several platforms through a mirror: a CNCF registry that knows only the
// address of the API and a login.
func TestMirrorPullsWithBearer(t *testing.T) {
	m := newShop(t)
	for kind, login := range m.bothLogins(t) {
		t.Run(kind, func(t *testing.T) {
			at := m.entrance(t)
			mirror := startMirror(t, "http://"+at.host, login)
			tag, err := name.NewTag(mirror+"/harbor/multi:1.0", name.Insecure)
			if err != nil {
				t.Fatal(err)
			}
			index, err := remote.Index(tag)
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Index(index); err != nil { // reads all images and layers
				t.Error(err)
			}
			if got := digestOf(t, index); got != digestOf(t, m.images.multi) {
				t.Errorf("the mirror has %s", got)
			}
			at.wantOnly(t, true)
		})
	}
}

// startMirror starts a registry in this process, which fetches missing content from the API, and returns its host.
func startMirror(t *testing.T, api string, login e2etest.Login) string {
	t.Helper()
	config := &configuration.Configuration{
		Storage: configuration.Storage{"inmemory": {}, "maintenance": {"uploadpurging": map[any]any{"enabled": false}}},
		Catalog: configuration.Catalog{MaxEntries: 100},
		Proxy:   configuration.Proxy{RemoteURL: api, Username: login.User, Password: login.Password},
	}
	app := handlers.NewApp(context.WithoutCancel(t.Context()), config)
	server := httptest.NewServer(app)
	t.Cleanup(func() {
		server.Close()
		_ = app.Shutdown()
	})
	return strings.TrimPrefix(server.URL, "http://")
}

// TestContainerdPulls pulls with containerd's resolver: with its usual User-Agent, and with an unknown one, which does
// not get the Basic challenge alone.
func TestContainerdPulls(t *testing.T) {
	m := newShop(t)
	logins := m.bothLogins(t)
	for userAgent, bearer := range map[string]bool{"": false, "other/1.0": true} {
		for kind, login := range logins {
			t.Run(kind+" "+userAgent, func(t *testing.T) {
				at := m.entrance(t)
				resolver := containerd(login, userAgent)
				ref, index, err := resolver.Resolve(t.Context(), at.host+"/harbor/multi:1.0")
				if err != nil {
					t.Fatal(err)
				}
				if got := index.Digest.String(); got != digestOf(t, m.images.multi) {
					t.Errorf("the tag is %s", got)
				}
				fetcher, err := resolver.Fetcher(t.Context(), ref)
				if err != nil {
					t.Fatal(err)
				}
				if n := fetchAll(t, fetcher, index); n != 1+2*(1+1+2) { // the index and two images with a configuration and two layers
					t.Errorf("fetched %d objects", n)
				}
				at.wantOnly(t, bearer)
			})
		}
	}
	_, _, err := containerd(e2etest.Login{User: "token", Password: otherEnd(logins["token"].Password)}, "other/1.0").
		Resolve(t.Context(), m.entrance(t).host+"/harbor/multi:1.0")
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("with a wrong password: %v", err)
	}
}

func containerd(login e2etest.Login, userAgent string) remotes.Resolver {
	var header http.Header
	if userAgent != "" {
		header = http.Header{"User-Agent": {userAgent}}
	}
	authorizer := docker.NewDockerAuthorizer(docker.WithAuthHeader(header), docker.WithAuthCreds(func(string) (string, string, error) {
		return login.User, login.Password, nil
	}))
	hosts := docker.ConfigureDefaultRegistries(docker.WithPlainHTTP(docker.MatchAllHosts),
		docker.WithAuthorizer(authorizer))
	return docker.NewResolver(docker.ResolverOptions{Hosts: hosts, Headers: header})
}

// fetchAll fetches an object and everything that it refers to, checks the digests, and returns the number of objects.
func fetchAll(t *testing.T, fetcher remotes.Fetcher, object v1.Descriptor) int {
	t.Helper()
	body, err := fetcher.Fetch(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	if err != nil || object.Digest.Algorithm().FromBytes(content) != object.Digest {
		t.Fatalf("%s: %d bytes, %v", object.Digest, len(content), err)
	}
	var document struct {
		Manifests, Layers []v1.Descriptor
		Config            *v1.Descriptor
	}
	count, isDocument := 1, strings.Contains(object.MediaType, "manifest") || strings.Contains(object.MediaType, "index")
	if !isDocument {
		return count
	}
	if err := json.Unmarshal(content, &document); err != nil {
		t.Fatal(err)
	}
	parts := slices.Concat(document.Manifests, document.Layers)
	if document.Config != nil {
		parts = append(parts, *document.Config)
	}
	for _, part := range parts {
		count += fetchAll(t, fetcher, part)
	}
	return count
}
