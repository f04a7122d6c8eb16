package distribution

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"

	"portside/local/e2e/e2etest"
)

// creds returns the options for a login of skopeo and podman.
func (c machine) creds() []string {
	if c.Login == (e2etest.Login{}) {
		return nil
	}
	return []string{"--creds", c.User + ":" + c.Password}
}

func (c machine) dockerLogin(t *testing.T) e2etest.Exit {
	t.Helper()
	return c.WithPasswordInput().
		RunClient(t, "docker", "--config", c.Path(".docker"), "login", "-u", c.User, "--password-stdin", c.Host())
}

func (c machine) skopeo(t *testing.T, command string, args ...string) e2etest.Exit {
	t.Helper()
	return c.RunClient(t, "skopeo", append([]string{"--policy", c.Path("policy.json"), command}, args...)...)
}

func (c machine) skopeoInspect(t *testing.T) e2etest.Exit {
	t.Helper()
	return c.skopeo(t, "inspect", append(c.creds(), "--tls-verify=false", "docker://"+c.Host()+"/harbor/api:1.0")...)
}

// podman runs podman with its storage in the machine's folder, whose path must be short.
func (c machine) podman(t *testing.T, args ...string) e2etest.Exit {
	t.Helper()
	store := []string{"--root", c.Path("root"), "--runroot", c.Path("runroot"), "--storage-driver", "vfs"}
	return c.RunClient(t, "podman", append(store, args...)...)
}

func (c machine) podmanPull(t *testing.T) e2etest.Exit {
	t.Helper()
	return c.podman(t, append([]string{"pull"}, c.pullArguments("harbor/api:1.0")...)...)
}

func (c machine) pullArguments(image string, options ...string) []string {
	options = append(options, c.creds()...)
	return append(options, "--tls-verify=false", "--signature-policy", c.Path("policy.json"), c.Host()+"/"+image)
}

func (c machine) crane(t *testing.T, args ...string) e2etest.Exit {
	t.Helper()
	return c.RunClient(t, "crane", append([]string{"--insecure"}, args...)...)
}

// craneLogin stores the login. crane does not check it with the registry.
func (c machine) craneLogin(t *testing.T) {
	t.Helper()
	if c.Login != (e2etest.Login{}) {
		c.withPassword().crane(t, "auth", "login", c.Host(), "-u", c.User, "--password-stdin").WantExit(t, 0)
	}
}

func (c machine) craneManifest(t *testing.T) e2etest.Exit {
	t.Helper()
	c.craneLogin(t)
	return c.crane(t, "manifest", c.Host()+"/harbor/api:1.0")
}

// TestDockerLogin checks docker's stored login, a wrong password, and logout.
func TestDockerLogin(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.requestPassword(t, "full"))
	c.dockerLogin(t).WantExit(t, 0, "Login Succeeded")
	var config struct {
		Auths map[string]struct{ Auth string }
	}
	if err := json.Unmarshal([]byte(c.ReadFile(t, ".docker/config.json")), &config); err != nil {
		t.Fatal(err)
	}
	want := base64.StdEncoding.EncodeToString([]byte(c.User + ":" + c.Password))
	if got := config.Auths[m.Host()].Auth; got != want {
		t.Errorf("docker stored %q for %s", got, m.Host())
	}
	c.crane(t, "digest", m.Host()+"/harbor/api:1.0").WantExit(t, 0, digestOf(t, m.images.api)) // crane reads docker's file

	c.Input = "wrong"
	c.RunClient(t, "docker", "--config", c.Path(".docker"), "login", "-u", c.User, "--password-stdin", m.Host()).
		WantExit(t, 1, "401 Unauthorized")
	c.RunClient(t, "docker", "--config", c.Path(".docker"), "logout", m.Host()).WantExit(t, 0)
	c.crane(t, "digest", m.Host()+"/harbor/api:1.0").WantExit(t, 1, "UNAUTHORIZED")
}

func TestSkopeo(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:docker-images"))
	c.WithPasswordInput().RunClient(t, "skopeo", "login", "--tls-verify=false", "-u", c.User, "--password-stdin",
		m.Host()).
		WantExit(t, 0, "Login Succeeded!")
	inspected := c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.Host()+"/harbor/api:1.0")
	inspected.WantExit(t, 0)
	var image struct {
		Digest           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal([]byte(inspected.Stdout), &image); err != nil {
		t.Fatal(err)
	}
	if image.Digest != digestOf(t, m.images.api) || len(image.Layers) != 3 ||
		strings.Join(image.RepoTags, " ") != "1.0 latest" {
		t.Errorf("skopeo sees %+v", image)
	}
	copied := func(image, to string, options ...string) {
		t.Helper()
		options = append(options, "--src-tls-verify=false", "docker://"+m.Host()+"/"+image, "dir:"+c.Path(to))
		c.skopeo(t, "copy", options...).WantExit(t, 0)
	}
	copied("harbor/api:1.0", "api")
	c.checkBlobs(t, "api", m.images.api)
	copied("harbor/big@"+digestOf(t, m.images.big), "big")
	c.checkBlobs(t, "big", m.images.big)
	copied("harbor/multi:1.0", "arm", "--override-arch", "arm64")
	c.checkBlobs(t, "arm", m.images.arm)
	copied("harbor/multi:1.0", "all", "--all")
	c.checkBlobs(t, "all", m.images.arm)
	c.skopeo(t, "sync", "--src", "docker", "--dest", "dir", "--src-tls-verify=false", m.Host()+"/harbor/api",
		c.Path("mirror")).
		WantExit(t, 0)
	for _, tag := range []string{"1.0", "latest"} {
		c.checkBlobs(t, "mirror/api:"+tag, m.images.api)
	}
	c.skopeo(t, "inspect", "--tls-verify=false", "docker://"+m.Host()+"/harbor/api:none").
		WantExit(t, 1, "manifest unknown")
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
		content, err := os.ReadFile(filepath.Join(c.Path(dir), blob.Digest.Hex))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != blob.Digest.Hex {
			t.Errorf("%s/%s does not match its digest", dir, blob.Digest.Hex)
		}
	}
}

// TestPodman pulls images by tag, by digest and by architecture, and images that it may not pull.
func TestPodman(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:docker-images:harbor/*"))
	c.withPassword().podman(t, "login", "--tls-verify=false", "-u", c.User, "--password-stdin", m.Host()).
		WantExit(t, 0, "Login Succeeded!")
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("harbor/api:1.0")...)...).
		WantExit(t, 0, configOf(t, m.images.api))
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("harbor/big@"+digestOf(t, m.images.big))...)...).
		WantExit(t, 0, configOf(t, m.images.big))
	c.podman(t, append([]string{"pull", "-q"}, c.pullArguments("harbor/multi:1.0", "--arch", "arm64")...)...).
		WantExit(t, 0, configOf(t, m.images.arm))
	c.podman(t, append([]string{"pull"}, c.pullArguments("globex/tool:1.0")...)...).WantExit(t, 125, "denied")
	c.podman(t, append([]string{"pull"}, c.pullArguments("harbor/none:1.0")...)...).WantExit(t, 125, "unknown")
	c.podman(t, append([]string{"pull"}, c.pullArguments("harbor/api:none")...)...).WantExit(t, 125, "manifest unknown")
	c.podman(t, "images", "--format", "{{.Repository}}:{{.Tag}}").WantExit(t, 0, m.Host()+"/harbor/api:1.0")
}

func TestCrane(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:docker-images"))
	c.craneLogin(t)
	at := func(image string) string { return m.Host() + "/" + image }
	manifest, err := m.images.api.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.crane(t, "manifest", at("harbor/api:latest")).Stdout; strings.TrimSpace(got) != string(manifest) {
		t.Errorf("crane has the manifest %s", got)
	}
	for image, want := range map[string]string{
		"harbor/api:1.0": digestOf(t, m.images.api), "harbor/multi:1.0": digestOf(t, m.images.multi),
	} {
		if got := strings.TrimSpace(c.crane(t, "digest", at(image)).Stdout); got != want {
			t.Errorf("the digest of %s is %s", image, got)
		}
	}
	c.crane(t, "digest", "--platform", "linux/arm64", at("harbor/multi:1.0")).WantExit(t, 0, digestOf(t, m.images.arm))
	for _, image := range []string{"harbor/api:1.0", "harbor/big:1.0", "harbor/multi:1.0", "charts/compass:2.0.0"} {
		c.crane(t, "validate", "--remote", at(image)).WantExit(t, 0, "PASS") // compares all bytes with their digests
	}
	c.crane(t, "pull", at("harbor/big:1.0"), "big.tar").WantExit(t, 0)
	c.crane(t, "validate", "--tarball", "big.tar").WantExit(t, 0, "PASS")

	if got := strings.Join(strings.Fields(c.crane(t, "ls", at("harbor/api")).Stdout), " "); got != "1.0 latest" {
		t.Errorf("the tags are %q", got)
	}
	all := strings.Fields(c.crane(t, "catalog", m.Host()).Stdout)
	for _, repository := range []string{"charts/compass", "globex/tool", "harbor/api", "harbor/big", "harbor/multi"} {
		if !slices.Contains(all, repository) {
			t.Errorf("the catalog %q lacks %s", all, repository)
		}
	}
	c.crane(t, "manifest", at("harbor/api:none")).WantExit(t, 1, "MANIFEST_UNKNOWN")
	c.crane(t, "manifest", at("harbor/none:1.0")).WantExit(t, 1, "_UNKNOWN")
	c.crane(t, "delete", at("harbor/api:1.0")).WantExit(t, 1, "UNSUPPORTED: This registry is read-only")
	c.crane(t, "tag", at("harbor/api:1.0"), "mine").WantExit(t, 1, "UNSUPPORTED: This registry is read-only")
	narrowedCatalog(t, m)
}

// narrowedCatalog checks that the catalog lists only repositories that the token may fetch.
func narrowedCatalog(t *testing.T, m shop) {
	for scope, want := range map[string]string{
		"read:docker-images:harbor/*": "harbor/api harbor/big harbor/multi", "read:docker-images:globex/tool": "globex/tool",
		"read:docker-images:initech/*": "", "read:helm-charts:charts/compass": "charts/compass",
	} {
		c := m.machine(t, m.createToken(t, scope))
		c.craneLogin(t)
		listed := c.crane(t, "catalog", m.Host())
		listed.WantExit(t, 0)
		if got := strings.Join(strings.Fields(listed.Stdout), " "); got != want {
			t.Errorf("with %s the catalog is %q", scope, got)
		}
		c.crane(t, "ls", m.Host()+"/hooli/secret").WantExit(t, 1, "DENIED")
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
