package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/demo"
)

// TestDemo runs `make demo`, the commands that it prints, and the commands of docs/install.md.
func TestDemo(t *testing.T) {
	p := newTestStack(t)
	m := &customerStack{testStack: p, dir: t.TempDir()}
	m.wantDemoError(t, "", "no local stack runs in "+p.data)
	p.start(t, noRateLimit())
	m.upstream = strings.TrimPrefix(p.info.Registry, "http://")
	m.wantDemoError(t, "127.0.0.1:1", "serves "+m.host()+", not 127.0.0.1:1")
	m.wantDemoErrorWithout(t, "admin-key")

	first := m.runDemo(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *customerStack)
	}{
		{"a second run", testSecondDemoRun},
		{"an interrupted run", testInterruptedDemo},
		{"a revoked token", testDemoTokenRenewal},
		{"printed commands", func(t *testing.T, m *customerStack) { testPrintedCommands(t, m, first) }},
		{"docs/install.md", testInstallDocument},
		{"errors in docs/install.md", testDocumentedErrors},
		{"addresses in docs/operations.md", testDocumentedAddresses},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, m) })
	}
	if err := os.Remove(filepath.Join(p.data, "demo-token")); err != nil { // this file may contain a secret
		t.Error(err)
	}
	p.checkNoSecretsLeaked(t)
}

// TestDemoKeepsExistingArchives publishes another archive with the demo's name and version. The
// demo must keep and sign it, and push it to the registry.
func TestDemoKeepsExistingArchives(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	m := &customerStack{testStack: p, dir: t.TempDir(), upstream: strings.TrimPrefix(p.info.Registry, "http://")}
	m.vendor = m.machine(t, login{})
	m.vendor.packageChart(t, "hello", "1.0.0")
	m.publish(t, "hello-1.0.0.tgz", m.vendor.read(t, "hello-1.0.0.tgz"))
	if printed := m.runDemo(t); strings.Count(printed, "exists with other contents") != 1 {
		t.Errorf("output: %s", printed)
	}
	c := m.customerMachine(t)
	c.login = m.demoLogin(t)
	c.addRepository(t).wantExit(t, 0)
	c.helm(t, "pull", "portside/hello", "--version", "1.0.0", "--verify", "--keyring", ".portside/keyring.gpg").
		wantExit(t, 0, "Chart Hash Verified")
	c.checkSameFile(t, "hello-1.0.0.tgz")
	c.registryLogin(t).wantExit(t, 0)
	c.helm(t, "pull", "oci://"+m.host()+"/charts/hello", "--version", "1.0.0", "--plain-http").wantExit(t, 0)
	c.checkSameFile(t, "hello-1.0.0.tgz")
	for name := range m.snapshot(t) {
		if strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s was rejected", name)
		}
	}
}

func (m *customerStack) runDemo(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Addr: m.host(), Out: &out}); err != nil {
		t.Fatal(err)
	}
	m.secrets.addFrom(m.dataFile(t, "demo-token"))
	m.secrets.add(strings.TrimSpace(string(m.dataFile(t, "registry-password"))))
	m.checkNoSecretIn(t, "the demo's output", out.Bytes())
	return out.String()
}

// dataFile returns the content of a file in the data folder.
func (m *customerStack) dataFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(m.data, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// wantDemoError runs the demo, which must fail with the reason in one line.
func (m *customerStack) wantDemoError(t *testing.T, addr, reason string) {
	t.Helper()
	var out bytes.Buffer
	err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Addr: addr, Out: &out})
	if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
		t.Errorf("%v, want %q; printed %q", err, reason, &out)
	}
}

func (m *customerStack) wantDemoErrorWithout(t *testing.T, name string) {
	t.Helper()
	path, content := filepath.Join(m.data, name), m.dataFile(t, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.wantDemoError(t, "", path+" is missing: ")
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.wantDemoError(t, "", path+" is empty: ")
	if err := os.WriteFile(path, []byte("psk_000000000000_000000000000000000000000000000000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}()
	if err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Out: &bytes.Buffer{}}); err == nil ||
		!strings.Contains(err.Error(), "cannot create a token with the key in "+path+": 401 ") {
		t.Errorf("with a wrong key: %v", err)
	}
}

// snapshot returns everything that a run can change: the bucket, the tags of the registry, and the
// files.
func (m *customerStack) snapshot(t *testing.T) map[string]string {
	t.Helper()
	state := map[string]string{}
	objects, err := m.s3Client().ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: m.bucket()})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects.Contents {
		state[*object.Key] = fmt.Sprint(*object.ETag, object.LastModified)
	}
	c := m.withLogin(t, m.demoLogin(t))
	for _, image := range []string{"acme/hello", "charts/hello"} {
		for _, version := range []string{"1.0.0", "1.1.0"} {
			head := m.sendOCI(c, http.MethodHead, "/v2/"+image+"/manifests/"+version).WantStatus(http.StatusOK)
			state[image+":"+version] = head.Header.Get("Docker-Content-Digest")
		}
	}
	for _, name := range []string{"demo-token", "demo-keyring.gpg"} {
		state[name] = fmt.Sprintf("%x", sha256.Sum256(m.dataFile(t, name)))
	}
	return state
}

func (m *customerStack) demoLogin(t *testing.T) login {
	t.Helper()
	return login{"token", strings.TrimSpace(string(m.dataFile(t, "demo-token")))}
}

func testSecondDemoRun(t *testing.T, m *customerStack) {
	before := m.snapshot(t)
	if n := strings.Count(m.runDemo(t), "already exists\n"); n != 8 {
		t.Errorf("%d items already exist, want 8", n)
	}
	if after := m.snapshot(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the second run changed\n%v\nto\n%v", before, after)
	}
	want := []string{
		"archives/hello-1.0.0.tgz", "archives/hello-1.1.0.tgz", "charts/hello-1.0.0.tgz", "charts/hello-1.0.0.tgz.prov",
		"charts/hello-1.1.0.tgz", "charts/hello-1.1.0.tgz.prov", "index.yaml",
	}
	for name := range before {
		if strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s was rejected", name)
		}
	}
	for _, name := range want {
		if before[name] == "" {
			t.Errorf("%s is not in the bucket", name)
		}
	}
	for _, name := range []string{"demo-token", "demo-keyring.gpg"} {
		if info, err := os.Stat(filepath.Join(m.data, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// testInterruptedDemo deletes objects, as if a run was interrupted, and checks that the next run
// publishes them again.
func testInterruptedDemo(t *testing.T, m *customerStack) {
	before := m.snapshot(t)
	for _, key := range []string{"charts/hello-1.0.0.tgz", "charts/hello-1.1.0.tgz.prov"} {
		if _, err := m.s3Client().DeleteObject(t.Context(), &s3.DeleteObjectInput{
			Bucket: m.bucket(), Key: &key,
		}); err != nil {
			t.Fatal(err)
		}
	}
	printed := m.runDemo(t)
	if strings.Count(printed, "published") != 2 || strings.Count(printed, "already exists\n") != 6 {
		t.Errorf("output: %s", printed)
	}
	after := m.snapshot(t)
	for _, name := range []string{"charts/hello-1.0.0.tgz", "acme/hello:1.1.0", "archives/hello-1.0.0.tgz"} {
		if !strings.HasPrefix(after[name], strings.Split(before[name], " ")[0]) {
			t.Errorf("%s is %s, was %s", name, after[name], before[name])
		}
	}
	for name := range after {
		if strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s was rejected", name)
		}
	}
}

func testDemoTokenRenewal(t *testing.T, m *customerStack) {
	old := m.demoLogin(t)
	m.admin(t).Delete("/api/v1/tokens/" + old.id()).WantStatus(http.StatusNoContent)
	m.runDemo(t)
	renewed := m.demoLogin(t)
	if renewed == old {
		t.Error("a revoked token was kept")
	}
	m.withLogin(t, renewed).Get("/charts/index.yaml").WantStatus(http.StatusOK)
}

// testPrintedCommands runs the commands that the demo prints.
func testPrintedCommands(t *testing.T, m *customerStack, printed string) {
	c := m.customerMachine(t)
	ran := 0
	for line := range strings.Lines(printed) {
		command, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if !indented {
			continue
		}
		command, _, _ = strings.Cut(command, " && docker pull")                    // needs a daemon
		c.shell(t, strings.ReplaceAll(command, "--plain-http", "")).wantExit(t, 0) // shell adds it
		ran++
	}
	if ran < 12 {
		t.Errorf("%d commands were printed", ran)
	}
	for _, file := range []string{"hello-1.0.0.tgz", "hello-1.1.0.tgz", "hello-1.1.0.tgz.prov"} {
		if !slices.Contains(c.files(t), file) {
			t.Errorf("there is no %s", file)
		}
	}
}
