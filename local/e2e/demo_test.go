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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/local/demo"
)

// TestTheDemo runs `make demo` as a developer does, tries what it prints, and then all that docs/install.md tells customers.
func TestTheDemo(t *testing.T) {
	p := newPortal(t)
	m := &market{portal: p, dir: t.TempDir()}
	m.refuses(t, "", "no local stack runs in "+p.data)
	p.start(t, new(int))
	m.upstream = strings.TrimPrefix(p.info.Registry, "http://")
	m.refuses(t, "127.0.0.1:1", "serves "+m.host()+", not 127.0.0.1:1")
	m.refusesWithout(t, "admin-key")

	first := m.demo(t)
	for _, part := range []struct {
		name string
		play func(*testing.T, *market)
	}{
		{"a second run", demoAgain},
		{"a run that was stopped", demoInPieces},
		{"a token that does not work", demoToken},
		{"what it prints", func(t *testing.T, m *market) { printedCommands(t, m, first) }},
		{"docs/install.md", installation},
		{"messages in docs/install.md", messages},
	} {
		t.Run(part.name, func(t *testing.T) { part.play(t, m) })
	}
	if err := os.Remove(filepath.Join(p.data, "demo-token")); err != nil { // which is a place for a secret
		t.Error(err)
	}
	p.secretsAreNowhere(t)
}

// TestAnotherDemoBefore has other archives published where the demo would put its own: they stay, are signed, and are what
// the registry gets.
func TestAnotherDemoBefore(t *testing.T) {
	p := newPortal(t)
	p.start(t, new(int))
	m := &market{portal: p, dir: t.TempDir(), upstream: strings.TrimPrefix(p.info.Registry, "http://")}
	m.vendor = m.machine(t, login{})
	m.vendor.chart(t, "hello", "1.0.0")
	m.publish(t, "hello-1.0.0.tgz", m.vendor.read(t, "hello-1.0.0.tgz"))
	if printed := m.demo(t); strings.Count(printed, "there with other contents, which stay") != 1 {
		t.Errorf("it says %s", printed)
	}
	c := m.customerMachine(t)
	c.login = m.demoLogin(t)
	c.addRepository(t).is(t, 0)
	c.helm(t, "pull", "portside/hello", "--version", "1.0.0", "--verify", "--keyring", ".portside/keyring.gpg").is(t, 0, "Chart Hash Verified")
	c.sameFile(t, "hello-1.0.0.tgz")
	c.signIn(t).is(t, 0)
	c.helm(t, "pull", "oci://"+m.host()+"/charts/hello", "--version", "1.0.0", "--plain-http").is(t, 0)
	c.sameFile(t, "hello-1.0.0.tgz")
	for name := range m.state(t) {
		if strings.HasPrefix(name, "rejected/") {
			t.Errorf("%s was rejected", name)
		}
	}
}

func (m *market) demo(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	if err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Addr: m.host(), Out: &out}); err != nil {
		t.Fatal(err)
	}
	m.secrets.find(m.file(t, "demo-token"))
	m.secrets.keep(strings.TrimSpace(string(m.file(t, "registry-password"))))
	m.lookInto(t, "what the demo prints", out.Bytes())
	return out.String()
}

// file is one of the data folder.
func (m *market) file(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(m.data, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// refuses wants a refusal in one line.
func (m *market) refuses(t *testing.T, addr, reason string) {
	t.Helper()
	var out bytes.Buffer
	err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Addr: addr, Out: &out})
	if err == nil || !strings.Contains(err.Error(), reason) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
		t.Errorf("%v, want %q; printed %q", err, reason, &out)
	}
}

func (m *market) refusesWithout(t *testing.T, name string) {
	t.Helper()
	path, content := filepath.Join(m.data, name), m.file(t, name)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	m.refuses(t, "", path+" is missing: ")
	if err := os.WriteFile(path, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.refuses(t, "", path+" is empty: ")
	if err := os.WriteFile(path, []byte("psk_000000000000_000000000000000000000000000000000000"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}()
	if err := demo.Run(t.Context(), demo.Options{Repo: repository, Data: m.data, Out: &bytes.Buffer{}}); err == nil ||
		!strings.Contains(err.Error(), "cannot make a token with the key in "+path+": 401 ") {
		t.Errorf("with a wrong key: %v", err)
	}
}

// state is all that a run could change: the bucket, the tags of the registry, and the files.
func (m *market) state(t *testing.T) map[string]string {
	t.Helper()
	state := map[string]string{}
	objects, err := m.objects().ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String(m.info.Buckets["ChartsBucket"])})
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects.Contents {
		state[*object.Key] = fmt.Sprint(*object.ETag, object.LastModified)
	}
	c := m.as(t, m.demoLogin(t))
	for _, image := range []string{"acme/hello", "charts/hello"} {
		for _, version := range []string{"1.0.0", "1.1.0"} {
			head := m.oci(c, http.MethodHead, "/v2/"+image+"/manifests/"+version).is(http.StatusOK)
			state[image+":"+version] = head.header.Get("Docker-Content-Digest")
		}
	}
	for _, name := range []string{"demo-token", "demo-keyring.gpg"} {
		state[name] = fmt.Sprintf("%x", sha256.Sum256(m.file(t, name)))
	}
	return state
}

func (m *market) objects() *s3.Client {
	return s3.New(s3.Options{Region: m.info.Region, BaseEndpoint: &m.info.S3, Credentials: m.keys(), UsePathStyle: true})
}

func (m *market) demoLogin(t *testing.T) login {
	t.Helper()
	return login{"token", strings.TrimSpace(string(m.file(t, "demo-token")))}
}

func demoAgain(t *testing.T, m *market) {
	before := m.state(t)
	if n := strings.Count(m.demo(t), "already there\n"); n != 8 {
		t.Errorf("%d things are already there, want 8", n)
	}
	if after := m.state(t); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("a second run has changed\n%v\nto\n%v", before, after)
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

// demoInPieces takes away what a run that was stopped would not have made, and has a run make up for it.
func demoInPieces(t *testing.T, m *market) {
	before := m.state(t)
	for _, key := range []string{"charts/hello-1.0.0.tgz", "charts/hello-1.1.0.tgz.prov"} {
		if _, err := m.objects().DeleteObject(t.Context(), &s3.DeleteObjectInput{
			Bucket: aws.String(m.info.Buckets["ChartsBucket"]), Key: &key,
		}); err != nil {
			t.Fatal(err)
		}
	}
	printed := m.demo(t)
	if strings.Count(printed, "published") != 2 || strings.Count(printed, "already there\n") != 6 {
		t.Errorf("it says %s", printed)
	}
	after := m.state(t)
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

func demoToken(t *testing.T, m *market) {
	old := m.demoLogin(t)
	m.root(t).delete("/api/v1/tokens/" + old.id()).is(http.StatusNoContent)
	m.demo(t)
	renewed := m.demoLogin(t)
	if renewed == old {
		t.Error("a revoked token was kept")
	}
	m.as(t, renewed).get("/charts/index.yaml").is(http.StatusOK)
}

// printedCommands runs what the demo prints, line by line.
func printedCommands(t *testing.T, m *market, printed string) {
	c := m.customerMachine(t)
	ran := 0
	for line := range strings.Lines(printed) {
		command, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if !indented {
			continue
		}
		command, _, _ = strings.Cut(command, " && docker pull")              // for which there must be a daemon
		c.shell(t, strings.ReplaceAll(command, "--plain-http", "")).is(t, 0) // which shell adds
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
