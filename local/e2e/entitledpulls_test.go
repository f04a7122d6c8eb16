package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// buyer is a customer in the story, with the computer of its manager.
type buyer struct {
	machine

	manager client
	path    string // of the customer
}

// TestEntitledPulls is a story: a vendor makes two customers with different entitlements. Each of them pulls with real
// clients what it has bought, and nothing shows it what the other one has bought. An entitlement changes, and one of the customers is
// suspended; both take effect at once.
func TestEntitledPulls(t *testing.T) {
	m := startCustomerStack(t)
	servers := map[string]v1.Image{}
	for _, version := range []string{"1.0.0", "2.0.0"} {
		servers[version] = randomImage(t, "amd64", 1<<10, 2)
		if err := remote.Write(m.tag(t, "acme/server:"+version), servers[version], m.pusher()); err != nil {
			t.Fatal(err)
		}
	}
	nothing := m.buyer(t, "newcomer")
	nothing.addRepository(t).wantExit(t, 0)
	nothing.helm(t, "search", "repo", "portside/").wantExit(t, 0, "No results found")
	nothing.registryLogin(t).wantExit(t, 0)
	nothing.pullArtifact(t).wantExit(t, 1, "not found")

	acme := m.buyer(t, "acme", `"artifact":"chart","repository":"anchor","versions":"~1.1.0"`,
		`"artifact":"image","repository":"acme/*","versions":"^1.0.0"`, `"artifact":"chart","repository":"charts/compass"`)
	globex := m.buyer(t, "globex", `"artifact":"chart","repository":"beacon"`, `"artifact":"image","repository":"globex/*"`)

	t.Run("charts", func(t *testing.T) { acme.pullCharts(t, globex) })
	t.Run("images", func(t *testing.T) { acme.pullImages(t, servers) })
	t.Run("neighbor", func(t *testing.T) { globex.pullAsNeighbor(t) })
	t.Run("pulls", func(t *testing.T) { acme.seesOwnPulls(t, globex) })
	t.Run("upgrade", func(t *testing.T) { acme.buysNextVersion(t, servers) })
	t.Run("suspension", func(t *testing.T) { acme.isSuspended(t, globex) })
	m.checkNoSecretsLeaked(t)
}

// buyer creates a customer with entitlements, and a manager with a token for charts and images.
func (m *customerStack) buyer(t *testing.T, slug string, entitlements ...string) buyer {
	t.Helper()
	root := m.admin(t)
	id := root.Post("/v1/customers", fmt.Sprintf(`{"name":"Company %[1]s","slug":%[1]q}`, slug)).WantStatus(http.StatusCreated).Text("data.id")
	b := buyer{path: "/v1/customers/" + id}
	for _, fields := range entitlements {
		root.Post(b.path+"/entitlements", "{"+fields+"}").WantStatus(http.StatusCreated).WantValue("data.status", "active")
	}
	s := &isolation{m.testStack, t}
	b.manager = s.member(company{name: slug, ids: map[string]string{"customerId": id}}, "manager")
	made := b.manager.Post("/api/v1/tokens", `{"name":"machine","scopes":["read:helm-charts","read:docker-images"]}`)
	b.machine = m.machine(t, login{"any-name", made.WantStatus(http.StatusCreated).Text("data.token")})
	return b
}

// pullCharts pulls with helm from the repository and the registry.
func (b buyer) pullCharts(t *testing.T, other buyer) {
	b.addRepository(t).wantExit(t, 0)
	found := b.helm(t, "search", "repo", "portside/", "--versions")
	found.wantExit(t, 0, "portside/anchor", "1.1.0")
	for _, hidden := range []string{"1.0.0", "beacon"} {
		if strings.Contains(found.stdout, hidden) {
			t.Errorf("helm finds %s: %s", hidden, found.stdout)
		}
	}
	b.helm(t, "pull", "portside/anchor").wantExit(t, 0)
	b.checkSameFile(t, "anchor-1.1.0.tgz")
	b.helm(t, "pull", "portside/anchor", "--version", "1.0.0").wantExit(t, 1, "not found")
	b.helm(t, "pull", b.info.API+"/charts/anchor-1.0.0.tgz", "--username", b.name, "--password", b.password).wantExit(t, 1, "404 Not Found")
	b.pullArtifact(t).wantExit(t, 0)
	b.checkSameFile(t, "compass-2.0.0.tgz")
	other.pullArtifact(t).wantExit(t, 1, "not found")
}

// pullImages pulls with skopeo, crane and podman, by tags and by digests.
func (b buyer) pullImages(t *testing.T, servers map[string]v1.Image) {
	b.craneLogin(t)
	at := func(image string) string { return b.host() + "/" + image }
	const catalog = "acme/api acme/big acme/multi acme/server charts/compass"
	if got := strings.Fields(b.crane(t, "catalog", b.host()).stdout); strings.Join(got, " ") != catalog {
		t.Errorf("the catalog has %v", got)
	}
	if got := strings.TrimSpace(b.crane(t, "ls", at("acme/server")).stdout); got != "1.0.0" {
		t.Errorf("the tags are %q", got)
	}
	b.crane(t, "validate", "--remote", at("acme/server:1.0.0")).wantExit(t, 0, "PASS")
	b.crane(t, "digest", at("acme/server:2.0.0")).wantExit(t, 1, "MANIFEST_UNKNOWN")
	b.crane(t, "digest", at("acme/api:latest")).wantExit(t, 1, "MANIFEST_UNKNOWN")
	b.crane(t, "digest", at("globex/tool:1.0")).wantExit(t, 1, "NAME_UNKNOWN")
	b.crane(t, "digest", at("globex/none:1.0")).wantExit(t, 1, "NAME_UNKNOWN")

	// A computer that pulls a digest has never asked for its tag.
	fresh := b.customerStack.machine(t, b.login)
	fresh.podman(t, append([]string{"pull", "-q"}, fresh.pullArguments("acme/server@"+digestOf(t, servers["1.0.0"]))...)...).
		wantExit(t, 0, configOf(t, servers["1.0.0"]))
	fresh.podman(t, append([]string{"pull"}, fresh.pullArguments("acme/server@"+digestOf(t, servers["2.0.0"]))...)...).
		wantExit(t, 125, "manifest unknown")
	b.skopeo(t, "copy", "--src-creds", b.name+":"+b.password, "--src-tls-verify=false",
		"docker://"+at("acme/server:1.0.0"), "dir:"+b.machine.path("server")).wantExit(t, 0)
	b.checkBlobs(t, "server", servers["1.0.0"])
}

// pullAsNeighbor pulls what the other customer may not.
func (b buyer) pullAsNeighbor(t *testing.T) {
	b.addRepository(t).wantExit(t, 0)
	if found := b.helm(t, "search", "repo", "portside/", "--versions").stdout; strings.Contains(found, "anchor") {
		t.Errorf("helm finds %s", found)
	}
	b.helm(t, "pull", "portside/beacon").wantExit(t, 0)
	b.craneLogin(t)
	if got := strings.TrimSpace(b.crane(t, "catalog", b.host()).stdout); got != "globex/tool" {
		t.Errorf("the catalog has %q", got)
	}
	b.crane(t, "validate", "--remote", b.host()+"/globex/tool:1.0").wantExit(t, 0, "PASS")
	b.crane(t, "digest", b.host()+"/acme/server:1.0.0").wantExit(t, 1, "NAME_UNKNOWN")
}

// seesOwnPulls waits for the pulls of both customers. Each sees only its own, in the pull log and in the portal's lists.
func (b buyer) seesOwnPulls(t *testing.T, other buyer) {
	for _, c := range []struct {
		who          buyer
		pulled, none string
	}{{b, "acme/server", "globex/tool"}, {other, "globex/tool", "acme/server"}} {
		list := c.who.manager.For(t)
		await(t, "the pull of "+c.pulled+" to be recorded", func() bool {
			page := list.Get("/api/v1/pulls?repository=" + c.pulled).WantStatus(http.StatusOK)
			return len(page.List("data")) > 0
		})
		list.Get("/api/v1/pulls?repository="+c.none).WantStatus(http.StatusOK).WantValue("data", []any{})
		list.Get("/v1/images/tags?repository=" + c.pulled).WantStatus(http.StatusOK)
		list.Get("/v1/images/tags?repository=" + c.none).WantStatus(http.StatusNotFound)
		list.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
		list.Get(c.who.path+"/entitlements").WantStatus(http.StatusOK).WantValue("pagination.hasMore", false)
	}
	b.manager.For(t).Get(other.path + "/entitlements").WantStatus(http.StatusNotFound)
}

// buysNextVersion changes an entitlement. The next request finds the new version, and the old one is gone, also its blobs.
func (b buyer) buysNextVersion(t *testing.T, servers map[string]v1.Image) {
	root := b.admin(t)
	id := root.Get(b.path + "/entitlements").WantStatus(http.StatusOK).Text("data.1.id")
	root.Put(b.path+"/entitlements/"+id, `{"versions":"^2.0.0"}`).WantStatus(http.StatusOK)
	b.crane(t, "validate", "--remote", b.host()+"/acme/server:2.0.0").wantExit(t, 0, "PASS")
	b.crane(t, "digest", b.host()+"/acme/server:1.0.0").wantExit(t, 1, "MANIFEST_UNKNOWN")
	layers, err := servers["1.0.0"].Layers()
	if err != nil {
		t.Fatal(err)
	}
	layer, err := layers[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	b.crane(t, "blob", b.host()+"/acme/server@"+layer.String()).wantExit(t, 1, "BLOB_UNKNOWN")
}

// isSuspended suspends the customer. Its clients fail at once, and the neighbor's go on.
func (b buyer) isSuspended(t *testing.T, other buyer) {
	b.admin(t).Put(b.path, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	b.helm(t, "repo", "update", "--fail-on-repo-update-fail").wantExit(t, 1, "401 Unauthorized")
	b.crane(t, "digest", b.host()+"/acme/server:2.0.0").wantExit(t, 1, "UNAUTHORIZED")
	b.manager.For(t).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	other.helm(t, "repo", "update", "--fail-on-repo-update-fail").wantExit(t, 0)
	other.crane(t, "validate", "--remote", other.host()+"/globex/tool:1.0").wantExit(t, 0, "PASS")
}
