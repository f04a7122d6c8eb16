package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"
)

// creds are the options by which skopeo and podman present a login.
func (c machine) creds() []string {
	if c.login == (login{}) {
		return nil
	}
	return []string{"--creds", c.name + ":" + c.password}
}

func (c machine) dockerLogin(t *testing.T) ran {
	t.Helper()
	return c.typing().run(t, "docker", "--config", c.path(".docker"), "login", "--username", c.name, "--password-stdin", c.host())
}

func (c machine) skopeo(t *testing.T, command string, args ...string) ran {
	t.Helper()
	return c.run(t, "skopeo", append([]string{"--policy", c.path("policy.json"), command}, args...)...)
}

func (c machine) skopeoInspect(t *testing.T) ran {
	t.Helper()
	return c.skopeo(t, "inspect", append(c.creds(), "--tls-verify=false", "docker://"+c.host()+"/acme/api:1.0")...)
}

// podman keeps its images on this machine, in a folder whose name must be short.
func (c machine) podman(t *testing.T, args ...string) ran {
	t.Helper()
	store := []string{"--root", c.path("root"), "--runroot", c.path("runroot"), "--storage-driver", "vfs"}
	return c.run(t, "podman", append(store, args...)...)
}

func (c machine) podmanPull(t *testing.T) ran {
	t.Helper()
	return c.podman(t, append([]string{"pull"}, c.pulled("acme/api:1.0")...)...)
}

func (c machine) pulled(image string, options ...string) []string {
	options = append(options, c.creds()...)
	return append(options, "--tls-verify=false", "--signature-policy", c.path("policy.json"), c.host()+"/"+image)
}

func (c machine) crane(t *testing.T, args ...string) ran {
	t.Helper()
	return c.run(t, "crane", append([]string{"--insecure"}, args...)...)
}

// craneLogin keeps the login without asking the registry about it.
func (c machine) craneLogin(t *testing.T) {
	t.Helper()
	if c.login != (login{}) {
		c.typing().crane(t, "auth", "login", c.host(), "-u", c.name, "--password-stdin").is(t, 0)
	}
}

func (c machine) craneManifest(t *testing.T) ran {
	t.Helper()
	c.craneLogin(t)
	return c.crane(t, "manifest", c.host()+"/acme/api:1.0")
}

// dockerKeepsLogins checks what docker writes down, and that a login for charts alone is a login.
func dockerKeepsLogins(t *testing.T, m *market) {
	c := m.machine(t, m.collected(t, "full"))
	c.dockerLogin(t).is(t, 0, "Login Succeeded")
	var config struct {
		Auths map[string]struct{ Auth string }
	}
	if err := json.Unmarshal([]byte(c.read(t, ".docker/config.json")), &config); err != nil {
		t.Fatal(err)
	}
	want := base64.StdEncoding.EncodeToString([]byte(c.name + ":" + c.password))
	if got := config.Auths[m.host()].Auth; got != want {
		t.Errorf("docker keeps %q for %s", got, m.host())
	}
	c.crane(t, "digest", m.host()+"/acme/api:1.0").is(t, 0, digestOf(t, m.images.api)) // which reads that file

	c.input = "wrong"
	c.run(t, "docker", "--config", c.path(".docker"), "login", "-u", c.name, "--password-stdin", m.host()).is(t, 1, "401 Unauthorized")
	c.run(t, "docker", "--config", c.path(".docker"), "logout", m.host()).is(t, 0)
	c.crane(t, "digest", m.host()+"/acme/api:1.0").is(t, 1, "UNAUTHORIZED")
}

func skopeo(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:docker-images"))
	c.typing().run(t, "skopeo", "login", "--tls-verify=false", "-u", c.name, "--password-stdin", m.host()).is(t, 0, "Login Succeeded!")
	inspected := c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.host()+"/acme/api:1.0")
	inspected.is(t, 0)
	var image struct {
		Digest           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal([]byte(inspected.stdout), &image); err != nil {
		t.Fatal(err)
	}
	if image.Digest != digestOf(t, m.images.api) || len(image.Layers) != 3 || strings.Join(image.RepoTags, " ") != "1.0 latest" {
		t.Errorf("skopeo sees %+v", image)
	}
	copied := func(image, to string, options ...string) {
		t.Helper()
		options = append(options, "--src-tls-verify=false", "docker://"+m.host()+"/"+image, "dir:"+c.path(to))
		c.skopeo(t, "copy", options...).is(t, 0)
	}
	copied("acme/api:1.0", "api")
	c.holds(t, "api", m.images.api)
	copied("acme/big@"+digestOf(t, m.images.big), "big")
	c.holds(t, "big", m.images.big)
	copied("acme/multi:1.0", "arm", "--override-arch", "arm64")
	c.holds(t, "arm", m.images.arm)
	copied("acme/multi:1.0", "all", "--all")
	c.holds(t, "all", m.images.arm)
	c.skopeo(t, "sync", "--src", "docker", "--dest", "dir", "--src-tls-verify=false", m.host()+"/acme/api", c.path("mirror")).is(t, 0)
	for _, tag := range []string{"1.0", "latest"} {
		c.holds(t, "mirror/api:"+tag, m.images.api)
	}
	c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.host()+"/acme/api:none").is(t, 1, "manifest unknown")
}

// holds checks the files of an image that skopeo has copied to a folder: each is named by the digest of its bytes.
func (c machine) holds(t *testing.T, dir string, image v1.Image) {
	t.Helper()
	manifest, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range append(manifest.Layers, manifest.Config) {
		content, err := os.ReadFile(filepath.Join(c.path(dir), blob.Digest.Hex))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != blob.Digest.Hex {
			t.Errorf("%s/%s has other bytes", dir, blob.Digest.Hex)
		}
	}
}

// podman pulls two images, the second with a layer that is large and by its digest.
func podman(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:docker-images:acme/*"))
	c.typing().podman(t, "login", "--tls-verify=false", "-u", c.name, "--password-stdin", m.host()).is(t, 0, "Login Succeeded!")
	c.podman(t, append([]string{"pull", "-q"}, c.pulled("acme/api:1.0")...)...).is(t, 0, configOf(t, m.images.api))
	c.podman(t, append([]string{"pull", "-q"}, c.pulled("acme/big@"+digestOf(t, m.images.big))...)...).is(t, 0, configOf(t, m.images.big))
	c.podman(t, append([]string{"pull", "-q"}, c.pulled("acme/multi:1.0", "--arch", "arm64")...)...).is(t, 0, configOf(t, m.images.arm))
	c.podman(t, append([]string{"pull"}, c.pulled("globex/tool:1.0")...)...).is(t, 125, "denied")
	c.podman(t, append([]string{"pull"}, c.pulled("acme/none:1.0")...)...).is(t, 125, "unknown")
	c.podman(t, append([]string{"pull"}, c.pulled("acme/api:none")...)...).is(t, 125, "manifest unknown")
	c.podman(t, "images", "--format", "{{.Repository}}:{{.Tag}}").is(t, 0, m.host()+"/acme/api:1.0")
}

func crane(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:docker-images"))
	c.craneLogin(t)
	at := func(image string) string { return m.host() + "/" + image }
	manifest, err := m.images.api.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.crane(t, "manifest", at("acme/api:latest")).stdout; strings.TrimSpace(got) != string(manifest) {
		t.Errorf("crane has the manifest %s", got)
	}
	for image, want := range map[string]string{
		"acme/api:1.0": digestOf(t, m.images.api), "acme/multi:1.0": digestOf(t, m.images.multi),
	} {
		if got := strings.TrimSpace(c.crane(t, "digest", at(image)).stdout); got != want {
			t.Errorf("the digest of %s is %s", image, got)
		}
	}
	c.crane(t, "digest", "--platform", "linux/arm64", at("acme/multi:1.0")).is(t, 0, digestOf(t, m.images.arm))
	for _, image := range []string{"acme/api:1.0", "acme/big:1.0", "acme/multi:1.0", "charts/compass:2.0.0"} {
		c.crane(t, "validate", "--remote", at(image)).is(t, 0, "PASS") // which compares all bytes with their digests
	}
	c.crane(t, "pull", at("acme/big:1.0"), "big.tar").is(t, 0)
	c.crane(t, "validate", "--tarball", "big.tar").is(t, 0, "PASS")

	for args, want := range map[string]string{
		"ls " + at("acme/api"): "1.0 latest",
		"catalog " + m.host():  "acme/api acme/big acme/multi charts/compass globex/tool",
	} {
		if got := strings.Fields(c.crane(t, strings.Fields(args)...).stdout); strings.Join(got, " ") != want {
			t.Errorf("crane %s: %q", args, got)
		}
	}
	c.crane(t, "manifest", at("acme/api:none")).is(t, 1, "MANIFEST_UNKNOWN")
	c.crane(t, "manifest", at("acme/none:1.0")).is(t, 1, "_UNKNOWN")
	c.crane(t, "delete", at("acme/api:1.0")).is(t, 1, "UNSUPPORTED: This registry is read-only")
	c.crane(t, "tag", at("acme/api:1.0"), "mine").is(t, 1, "UNSUPPORTED: This registry is read-only")
	narrowedCatalog(t, m)
}

// narrowedCatalog shows to each what it may fetch.
func narrowedCatalog(t *testing.T, m *market) {
	for scope, want := range map[string]string{
		"read:docker-images:acme/*": "acme/api acme/big acme/multi", "read:docker-images:globex/tool": "globex/tool",
		"read:docker-images:initech/*": "", "read:helm-charts:charts/compass": "charts/compass",
	} {
		c := m.machine(t, m.token(t, scope))
		c.craneLogin(t)
		listed := c.crane(t, "catalog", m.host())
		listed.is(t, 0)
		if got := strings.Join(strings.Fields(listed.stdout), " "); got != want {
			t.Errorf("with %s the catalog is %q", scope, got)
		}
		c.crane(t, "ls", m.host()+"/hooli/secret").is(t, 1, "DENIED")
	}
}

// digester is an image or an index.
type digester interface{ Digest() (v1.Hash, error) }

func digestOf(t *testing.T, image digester) string {
	t.Helper()
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest.String()
}

// configOf is what podman and docker call the ID of an image.
func configOf(t *testing.T, image v1.Image) string {
	t.Helper()
	digest, err := image.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	return digest.Hex
}
