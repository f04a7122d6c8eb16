package distribution

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/demo"
	"portside/local/e2e/e2etest"
	"portside/local/stack"
)

// TestDemo runs `make demo` without a stack, without files that it needs, again, and after an interruption.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := e2etest.New(t)
	m := onShelf(p)
	wantDemoError(t, p, "", "no local stack runs in "+p.Data)
	p.Run(t, stack.Options{RateLimit: new(int)})
	wantDemoError(t, p, "127.0.0.1:1", "serves "+p.Host()+", not 127.0.0.1:1")
	wantDemoErrorWithout(t, p, "admin-key")
	p.Operator.Demo(t)
	testSecondDemoRun(t, m)
	testInterruptedDemo(t, m)
	testDemoTokenRenewal(t, m)
}

// TestDemoKeepsExistingArchives publishes another archive with the demo's name and version. The demo must keep and sign
// it, and push it to the registry.
func TestDemoKeepsExistingArchives(t *testing.T) {
	p := e2etest.Start(t)
	m := onShelf(p)
	vendor := m.machine(t, e2etest.Login{})
	vendor.packageChart(t, "hello", "1.0.0")
	archive := vendor.ReadFile(t, "hello-1.0.0.tgz")
	m.publish(t, "hello-1.0.0.tgz", archive)
	if printed := p.Operator.Demo(t); strings.Count(printed, "exists with other contents") != 1 {
		t.Errorf("output: %s", printed)
	}
	c := demoMachine(t, p)
	c.Login = p.Operator.DemoLogin(t)
	c.addRepository(t).WantExit(t, 0)
	c.helm(t, "pull", "portside/hello", "--version", "1.0.0", "--verify", "--keyring", ".portside/keyring.gpg").
		WantExit(t, 0, "Chart Hash Verified")
	pulled := c.ReadFile(t, "hello-1.0.0.tgz")
	c.registryLogin(t).WantExit(t, 0)
	c.helm(t, "pull", "oci://"+p.Host()+"/charts/hello", "--version", "1.0.0", "--plain-http").WantExit(t, 0)
	if pulled != archive || c.ReadFile(t, "hello-1.0.0.tgz") != archive {
		t.Error("the pulled archives differ from the vendor's")
	}
	m.wantNothingRejected(t)
}

// wantNothingRejected checks that the service has accepted all charts.
func (m shop) wantNothingRejected(t *testing.T) {
	t.Helper()
	for name := range m.snapshot(t) {
		if strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s was rejected", name)
		}
	}
}

// wantDemoError runs the demo, which must fail with the reason in one line.
func wantDemoError(t *testing.T, p *e2etest.Stack, addr, reason string) {
	t.Helper()
	var out bytes.Buffer
	err := demo.Run(t.Context(), demo.Options{Repo: e2etest.Repository, Data: p.Data, Addr: addr, Out: &out})
	if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
		t.Errorf("%v, want %q; printed %q", err, reason, &out)
	}
}

func wantDemoErrorWithout(t *testing.T, p *e2etest.Stack, name string) {
	t.Helper()
	path, content := filepath.Join(p.Data, name), p.Operator.File(t, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantDemoError(t, p, "", path+" is missing: ")
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantDemoError(t, p, "", path+" is empty: ")
	if err := os.WriteFile(path, []byte("psk_000000000000_000000000000000000000000000000000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}()
	if err := demo.Run(t.Context(),
		demo.Options{Repo: e2etest.Repository, Data: p.Data, Out: &bytes.Buffer{}}); err == nil ||
		!strings.Contains(err.Error(), "cannot create a token with the key in "+path+": 401 ") {
		t.Errorf("with a wrong key: %v", err)
	}
}

// snapshot returns everything that a run can change: the bucket, the tags of the registry, and the
// files.
func (m shop) snapshot(t *testing.T) map[string]string {
	t.Helper()
	state := map[string]string{}
	objects, err := m.Operator.S3().ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: m.bucket()})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects.Contents {
		state[*object.Key] = fmt.Sprint(*object.ETag, object.LastModified)
	}
	c := m.WithLogin(t, m.Operator.DemoLogin(t))
	for _, image := range []string{"acme/hello", "charts/hello"} {
		for _, version := range []string{"1.0.0", "1.1.0"} {
			head := m.SendOCI(c, http.MethodHead, "/v2/"+image+"/manifests/"+version).WantStatus(http.StatusOK)
			state[image+":"+version] = head.Header.Get("Docker-Content-Digest")
		}
	}
	for _, name := range []string{"demo-token", "demo-keyring.gpg"} {
		state[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(m.Operator.File(t, name))))
	}
	return state
}

func testSecondDemoRun(t *testing.T, m shop) {
	t.Helper()
	before := m.snapshot(t)
	if n := strings.Count(m.Operator.Demo(t), "already exists\n"); n != 8 {
		t.Errorf("%d items already exist, want 8", n)
	}
	if after := m.snapshot(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the second run changed\n%v\nto\n%v", before, after)
	}
	want := []string{
		"archives/hello-1.0.0.tgz", "archives/hello-1.1.0.tgz", "charts/hello-1.0.0.tgz", "charts/hello-1.0.0.tgz.prov",
		"charts/hello-1.1.0.tgz", "charts/hello-1.1.0.tgz.prov", "index.yaml",
	}
	m.wantNothingRejected(t)
	for _, name := range want {
		if before[name] == "" {
			t.Errorf("%s is not in the bucket", name)
		}
	}
	for _, name := range []string{"demo-token", "demo-keyring.gpg"} {
		if info, err := os.Stat(filepath.Join(m.Data, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// testInterruptedDemo deletes objects, as if a run was interrupted, and checks that the next run
// publishes them again.
func testInterruptedDemo(t *testing.T, m shop) {
	t.Helper()
	before := m.snapshot(t)
	for _, key := range []string{"charts/hello-1.0.0.tgz", "charts/hello-1.1.0.tgz.prov"} {
		if _, err := m.Operator.S3().DeleteObject(t.Context(), &s3.DeleteObjectInput{
			Bucket: m.bucket(), Key: &key,
		}); err != nil {
			t.Fatal(err)
		}
	}
	printed := m.Operator.Demo(t)
	if strings.Count(printed, "published") != 2 || strings.Count(printed, "already exists\n") != 6 {
		t.Errorf("output: %s", printed)
	}
	after := m.snapshot(t)
	for _, name := range []string{"charts/hello-1.0.0.tgz", "acme/hello:1.1.0", "archives/hello-1.0.0.tgz"} {
		if !strings.HasPrefix(after[name], strings.Split(before[name], " ")[0]) {
			t.Errorf("%s is %s, was %s", name, after[name], before[name])
		}
	}
	m.wantNothingRejected(t)
}

func testDemoTokenRenewal(t *testing.T, m shop) {
	t.Helper()
	old := m.Operator.DemoLogin(t)
	m.Admin(t).Delete("/api/v1/tokens/" + old.ID()).WantStatus(http.StatusNoContent)
	m.Operator.Demo(t)
	renewed := m.Operator.DemoLogin(t)
	if renewed == old {
		t.Error("a revoked token was kept")
	}
	m.WithLogin(t, renewed).Get("/charts/index.yaml").WantStatus(http.StatusOK)
}
