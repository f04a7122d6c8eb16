package engines_test

import (
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/engines"
	"portside/local/template"
)

// registryserver builds the server. With a build cache, that takes seconds.
func registryserver(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "registryserver")
	out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", path, "../registryserver").CombinedOutput()
	if err != nil {
		tb.Fatalf("build registryserver: %v\n%s", err, out)
	}
	return path
}

func startBucket(t *testing.T, bucket string) engines.S3Access {
	t.Helper()
	access := engines.S3Access{AccessKey: "local", SecretKey: "secret"}
	p, err := engines.StartS3(t.Context(), engines.S3{
		Binary: s3server(t), Dir: t.TempDir(), AccessKey: access.AccessKey, SecretKey: access.SecretKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	access.Endpoint = p.Endpoint
	if err := engines.CreateBuckets(t.Context(), access, []template.Bucket{{Name: bucket}}); err != nil {
		t.Fatal(err)
	}
	return access
}

func TestRegistryKeepsItsAddress(t *testing.T) {
	c := engines.Registry{Binary: registryserver(t), Password: "p", S3: startBucket(t, "images"), Bucket: "images"}
	start := func() *engines.Process {
		p, err := engines.StartRegistry(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Kill)
		return p
	}
	first := start()
	c.Addr = strings.TrimPrefix(first.Endpoint, "http://")
	first.Stop(stopTimeout)
	if first.Err() != nil || first.Tail() != "" {
		t.Errorf("the registry exited with %v: %q", first.Err(), first.Tail())
	}
	second := start()
	if second.Endpoint != first.Endpoint {
		t.Errorf("the address changed from %s to %s", first.Endpoint, second.Endpoint)
	}
	third := start()
	if third.Endpoint == second.Endpoint {
		t.Errorf("two registries have the address %s", third.Endpoint)
	}
	for _, p := range []*engines.Process{second, third} {
		expectCatalog(t, p.Endpoint, c.Password)
	}
}

func expectCatalog(t *testing.T, endpoint, password string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint+"/v2/_catalog", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("AWS", password)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s answers %s", endpoint, response.Status)
	}
}

func TestStartRegistryReportsFailures(t *testing.T) {
	binary := registryserver(t)
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	for want, c := range map[string]engines.Registry{
		"no such file":      {Binary: filepath.Join(t.TempDir(), "none")},
		"must be host:port": {Binary: binary, Addr: "5000"},
		"-s3 is missing":    {Binary: binary, Addr: busy.Addr().String(), Password: "p"},
		"set REGISTRYSERVER_PASSWORD": {
			Binary: binary, Bucket: "images",
			S3: engines.S3Access{Endpoint: "http://localhost:1", AccessKey: "a", SecretKey: "b"},
		},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := engines.StartRegistry(t.Context(), c)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
