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

// creds returns the options for a login of skopeo and podman.
func (c machine) creds() []string {
	if c.login == (login{}) {
		return nil
	}
	return []string{"--creds", c.name + ":" + c.password}
}

func (c machine) dockerLogin(t *testing.T) result {
	t.Helper()
	return c.withPasswordInput().run(t, "docker", "--config", c.path(".docker"), "login", "--username", c.name, "--password-stdin", c.host())
}

func (c machine) skopeo(t *testing.T, command string, args ...string) result {
	t.Helper()
	return c.run(t, "skopeo", append([]string{"--policy", c.path("policy.json"), command}, args...)...)
}

func (c machine) skopeoInspect(t *testing.T) result {
	t.Helper()
	return c.skopeo(t, "inspect", append(c.creds(), "--tls-verify=false", "docker://"+c.host()+"/acme/api:1.0")...)
}

// podman runs podman with its storage in the machine's folder, whose path must be short.
func (c machine) podman(t *testing.T, args ...string) result {
	t.Helper()
	store := []string{"--root", c.path("root"), "--runroot", c.path("runroot"), "--storage-driver", "vfs"}
	return c.run(t, "podman", append(store, args...)...)
}

func (c machine) podmanPull(t *testing.T) result {
	t.Helper()
	return c.podman(t, append([]string{"pull"}, c.pullArguments("acme/api:1.0")...)...)
}

func (c machine) pullArguments(image string, options ...string) []string {
	options = append(options, c.creds()...)
	return append(options, "--tls-verify=false", "--signature-policy", c.path("policy.json"), c.host()+"/"+image)
}

func (c machine) crane(t *testing.T, args ...string) result {
	t.Helper()
	return c.run(t, "crane", append([]string{"--insecure"}, args...)...)
}

// craneLogin stores the login. crane does not check it with the registry.
func (c machine) craneLogin(t *testing.T) {
	t.Helper()
	if c.login != (login{}) {
		c.withPasswordInput().crane(t, "auth", "login", c.host(), "-u", c.name, "--password-stdin").wantExit(t, 0)
	}
}

func (c machine) craneManifest(t *testing.T) result {
	t.Helper()
	c.craneLogin(t)
	return c.crane(t, "manifest", c.host()+"/acme/api:1.0")
}

// testDockerLogin checks docker's stored login, a wrong password, and logout.
func testDockerLogin(t *testing.T, m *customerStack) {
	c := m.machine(t, m.requestPassword(t, "full"))
	c.dockerLogin(t).wantExit(t, 0, "Login Succeeded")
	var config struct {
		Auths map[string]struct{ Auth string }
	}
	if err := json.Unmarshal([]byte(c.read(t, ".docker/config.json")), &config); err != nil {
		t.Fatal(err)
	}
	want := base64.StdEncoding.EncodeToString([]byte(c.name + ":" + c.password))
	if got := config.Auths[m.host()].Auth; got != want {
		t.Errorf("docker stored %q for %s", got, m.host())
	}
	c.crane(t, "digest", m.host()+"/acme/api:1.0").wantExit(t, 0, digestOf(t, m.images.api)) // crane reads docker's file

	c.input = "wrong"
	c.run(t, "docker", "--config", c.path(".docker"), "login", "-u", c.name, "--password-stdin", m.host()).
		wantExit(t, 1, "401 Unauthorized")
	c.run(t, "docker", "--config", c.path(".docker"), "logout", m.host()).wantExit(t, 0)
	c.crane(t, "digest", m.host()+"/acme/api:1.0").wantExit(t, 1, "UNAUTHORIZED")
}

func testSkopeo(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:docker-images"))
	c.withPasswordInput().run(t, "skopeo", "login", "--tls-verify=false", "-u", c.name, "--password-stdin", m.host()).
		wantExit(t, 0, "Login Succeeded!")
	inspected := c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.host()+"/acme/api:1.0")
	inspected.wantExit(t, 0)
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
		c.skopeo(t, "copy", options...).wantExit(t, 0)
	}
	copied("acme/api:1.0", "api")
	c.checkBlobs(t, "api", m.images.api)
	copied("acme/big@"+digestOf(t, m.images.big), "big")
	c.checkBlobs(t, "big", m.images.big)
	copied("acme/multi:1.0", "arm", "--override-arch", "arm64")
	c.checkBlobs(t, "arm", m.images.arm)
	copied("acme/multi:1.0", "all", "--all")
	c.checkBlobs(t, "all", m.images.arm)
	c.skopeo(t, "sync", "--src", "docker", "--dest", "dir", "--src-tls-verify=false", m.host()+"/acme/api", c.path("mirror")).
		wantExit(t, 0)
	for _, tag := range []string{"1.0", "latest"} {
		c.checkBlobs(t, "mirror/api:"+tag, m.images.api)
	}
	c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.host()+"/acme/api:none").wantExit(t, 1, "manifest unknown")
}

// checkBlobs checks that the files of an image that skopeo has copied to a folder match their
// digests.
func (c machine) checkBlobs(t *testing.T, dir string, image v1.Image) {
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
			t.Errorf("%s/%s does not match its digest", dir, blob.Digest.Hex)
		}
	}
}

// testPodman pulls images by tag, by digest and by architecture, and images that it may not pull.
func testPodman(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:docker-images:acme/*"))
	c.withPasswordInput().podman(t, "login", "--tls-verify=false", "-u", c.name, "--password-stdin", m.host()).
		wantExit(t, 0, "Login Succeeded!")
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("acme/api:1.0")...)...).
		wantExit(t, 0, configOf(t, m.images.api))
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("acme/big@"+digestOf(t, m.images.big))...)...).
		wantExit(t, 0, configOf(t, m.images.big))
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("acme/multi:1.0", "--arch", "arm64")...)...).
		wantExit(t, 0, configOf(t, m.images.arm))
	c.podman(t, append([]string{"pull"}, c.pullArguments("globex/tool:1.0")...)...).wantExit(t, 125, "denied")
	c.podman(t, append([]string{"pull"}, c.pullArguments("acme/none:1.0")...)...).wantExit(t, 125, "unknown")
	c.podman(t, append([]string{"pull"}, c.pullArguments("acme/api:none")...)...).wantExit(t, 125, "manifest unknown")
	c.podman(t, "images", "--format", "{{.Repository}}:{{.Tag}}").wantExit(t, 0, m.host()+"/acme/api:1.0")
}

func testCrane(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:docker-images"))
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
	c.crane(t, "digest", "--platform", "linux/arm64", at("acme/multi:1.0")).wantExit(t, 0, digestOf(t, m.images.arm))
	for _, image := range []string{"acme/api:1.0", "acme/big:1.0", "acme/multi:1.0", "charts/compass:2.0.0"} {
		c.crane(t, "validate", "--remote", at(image)).wantExit(t, 0, "PASS") // compares all bytes with their digests
	}
	c.crane(t, "pull", at("acme/big:1.0"), "big.tar").wantExit(t, 0)
	c.crane(t, "validate", "--tarball", "big.tar").wantExit(t, 0, "PASS")

	for args, want := range map[string]string{
		"ls " + at("acme/api"): "1.0 latest",
		"catalog " + m.host():  "acme/api acme/big acme/multi charts/compass globex/tool",
	} {
		if got := strings.Fields(c.crane(t, strings.Fields(args)...).stdout); strings.Join(got, " ") != want {
			t.Errorf("crane %s: %q", args, got)
		}
	}
	c.crane(t, "manifest", at("acme/api:none")).wantExit(t, 1, "MANIFEST_UNKNOWN")
	c.crane(t, "manifest", at("acme/none:1.0")).wantExit(t, 1, "_UNKNOWN")
	c.crane(t, "delete", at("acme/api:1.0")).wantExit(t, 1, "UNSUPPORTED: This registry is read-only")
	c.crane(t, "tag", at("acme/api:1.0"), "mine").wantExit(t, 1, "UNSUPPORTED: This registry is read-only")
	narrowedCatalog(t, m)
}

// narrowedCatalog checks that the catalog lists only repositories that the token may fetch.
func narrowedCatalog(t *testing.T, m *customerStack) {
	for scope, want := range map[string]string{
		"read:docker-images:acme/*": "acme/api acme/big acme/multi", "read:docker-images:globex/tool": "globex/tool",
		"read:docker-images:initech/*": "", "read:helm-charts:charts/compass": "charts/compass",
	} {
		c := m.machine(t, m.createToken(t, scope))
		c.craneLogin(t)
		listed := c.crane(t, "catalog", m.host())
		listed.wantExit(t, 0)
		if got := strings.Join(strings.Fields(listed.stdout), " "); got != want {
			t.Errorf("with %s the catalog is %q", scope, got)
		}
		c.crane(t, "ls", m.host()+"/hooli/secret").wantExit(t, 1, "DENIED")
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

// configOf returns the digest of the config, which podman and docker use as image ID.
func configOf(t *testing.T, image v1.Image) string {
	t.Helper()
	digest, err := image.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	return digest.Hex
}
