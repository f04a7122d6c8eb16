package distribution

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"

	"portside/local/e2e/e2etest"
)

// buyer is a customer in the story, with the computer of its manager.
type buyer struct {
	machine

	manager e2etest.Client
	path    string // of the customer
}

// market is a vendor with two customers, who have different entitlements. Nothing shows one of them what the other has
// bought.
type market struct {
	shop

	acme, globex buyer
	name         string              // of acme, which begins its repositories
	servers      map[string]v1.Image // in the repository server of acme, by version
}

func newMarket(t *testing.T) market {
	t.Helper()
	m := market{shop: newShop(t), servers: map[string]v1.Image{}}
	m.name = m.Name("acme") + "-co" // no prefix of the name of another test's
	for _, version := range []string{"1.0.0", "2.0.0"} {
		m.servers[version] = randomImage(t, "amd64", 1<<10, 2)
		m.push(t, m.name+"/server:"+version, m.servers[version])
	}
	api := randomImage(t, "amd64", 1<<10, 1)
	m.push(t, m.name+"/api:1.0", api)
	m.push(t, m.name+"/api:latest", api)
	m.acme = m.buyer(t, "acme", `"artifact":"chart","repository":"anchor","versions":"~1.1.0"`,
		`"artifact":"image","repository":"`+m.name+`/*","versions":"^1.0.0"`,
		`"artifact":"chart","repository":"charts/compass"`)
	m.globex = m.buyer(t, "globex", `"artifact":"chart","repository":"beacon"`,
		`"artifact":"image","repository":"globex/*"`)
	for _, b := range []buyer{m.acme, m.globex} {
		b.addRepository(t).WantExit(t, 0)
		b.craneLogin(t)
	}
	return m
}

// server returns the image of acme in the version, as clients name it.
func (m market) server(version string) string { return m.Host() + "/" + m.name + "/server:" + version }

// buyer creates a customer with entitlements, and a manager with a token for charts and images.
func (s shop) buyer(t *testing.T, slug string, entitlements ...string) buyer {
	t.Helper()
	id := s.CreateCustomer(t, "Company "+slug, slug)
	b := buyer{path: "/v1/customers/" + id}
	for _, fields := range entitlements {
		s.Admin(t).Post(b.path+"/entitlements", "{"+fields+"}").WantStatus(http.StatusCreated).
			WantValue("data.status", "active")
	}
	_, key := s.Users.CreateOf(t, id, slug, "manager")
	b.manager = s.As(t, key)
	made := b.manager.Post("/api/v1/tokens", `{"name":"machine","scopes":["read:helm-charts","read:docker-images"]}`)
	b.machine = s.machine(t, login("any-name", made.WantStatus(http.StatusCreated).Text("data.token")))
	return b
}

//proves:docs/security.md
func TestCustomersWithoutEntitlementsPullNothing(t *testing.T) {
	s := newShop(t)
	nothing := s.buyer(t, "newcomer")
	nothing.addRepository(t).WantExit(t, 0)
	nothing.helm(t, "search", "repo", "portside/").WantExit(t, 0, "No results found")
	nothing.registryLogin(t).WantExit(t, 0)
	nothing.pullArtifact(t).WantExit(t, 1, "not found")
}

// TestEntitledCharts pulls with helm from the repository and the registry.
func TestEntitledCharts(t *testing.T) {
	m := newMarket(t)
	b := m.acme
	found := b.helm(t, "search", "repo", "portside/", "--versions")
	found.WantExit(t, 0, "portside/anchor", "1.1.0")
	for _, hidden := range []string{"1.0.0", "beacon"} {
		if strings.Contains(found.Stdout, hidden) {
			t.Errorf("helm finds %s: %s", hidden, found.Stdout)
		}
	}
	b.helm(t, "pull", "portside/anchor").WantExit(t, 0)
	b.checkSameFile(t, "anchor-1.1.0.tgz")
	b.helm(t, "pull", "portside/anchor", "--version", "1.0.0").WantExit(t, 1, "not found")
	b.helm(t, "pull", m.Info.API+"/charts/anchor-1.0.0.tgz", "--username", b.User, "--password", b.Password).
		WantExit(t, 1, "404 Not Found")
	b.pullArtifact(t).WantExit(t, 0)
	b.checkSameFile(t, "compass-2.0.0.tgz")
	m.globex.pullArtifact(t).WantExit(t, 1, "not found")
}

// TestEntitledImages pulls with skopeo, crane and podman, by tags and by digests.
func TestEntitledImages(t *testing.T) {
	m := newMarket(t)
	b, at := m.acme, m.Host()+"/"
	catalog := m.name + "/api " + m.name + "/server charts/compass"
	if got := strings.Fields(b.crane(t, "catalog", m.Host()).Stdout); strings.Join(got, " ") != catalog {
		t.Errorf("the catalog has %v", got)
	}
	if got := strings.TrimSpace(b.crane(t, "ls", at+m.name+"/server").Stdout); got != "1.0.0" {
		t.Errorf("the tags are %q", got)
	}
	b.crane(t, "validate", "--remote", m.server("1.0.0")).WantExit(t, 0, "PASS")
	b.crane(t, "digest", m.server("2.0.0")).WantExit(t, 1, "MANIFEST_UNKNOWN")
	b.crane(t, "digest", at+m.name+"/api:latest").WantExit(t, 1, "MANIFEST_UNKNOWN")
	b.crane(t, "digest", at+"globex/tool:1.0").WantExit(t, 1, "NAME_UNKNOWN")
	b.crane(t, "digest", at+"globex/none:1.0").WantExit(t, 1, "NAME_UNKNOWN")

	// A computer that pulls a digest has never asked for its tag.
	fresh := m.machine(t, b.Login)
	fresh.podman(t, append([]string{"pull", "-q"},
		fresh.pullArguments(m.name+"/server@"+digestOf(t, m.servers["1.0.0"]))...)...).
		WantExit(t, 0, configOf(t, m.servers["1.0.0"]))
	fresh.podman(t, append([]string{"pull"},
		fresh.pullArguments(m.name+"/server@"+digestOf(t, m.servers["2.0.0"]))...)...).
		WantExit(t, 125, "manifest unknown")
	b.skopeo(t, "copy", "--src-creds", b.User+":"+b.Password, "--src-tls-verify=false",
		"docker://"+m.server("1.0.0"), "dir:"+b.Path("server")).WantExit(t, 0)
	b.checkBlobs(t, "server", m.servers["1.0.0"])
}

// TestLayersAfterARenewal fetches layers with a token that has fetched no manifest. Clients do so if they renew their
// token after the manifest.
func TestLayersAfterARenewal(t *testing.T) {
	m := newMarket(t)
	made := m.acme.manager.Post("/api/v1/tokens", `{"name":"renewed","scopes":["read:docker-images"]}`)
	token := m.Anonymous(t).With("Authorization", "Bearer "+made.WantStatus(http.StatusCreated).Text("data.token"))
	for version, want := range map[string]int{"1.0.0": http.StatusTemporaryRedirect, "2.0.0": http.StatusNotFound} {
		manifest, err := m.servers[version].Manifest()
		if err != nil {
			t.Fatal(err)
		}
		for _, blob := range append(manifest.Layers, manifest.Config) {
			if got := m.SendOCI(token, http.MethodGet, "/v2/"+m.name+"/server/blobs/"+blob.Digest.String()); got.Status != want {
				t.Errorf("%s: status %d, want %d", got.Request(), got.Status, want)
			}
		}
	}
}

// TestDigestsOfMovedTag moves a permitted tag several times. Each time, the event of the registry makes the new digest
// accessible to a client that never asks for the tag.
func TestDigestsOfMovedTag(t *testing.T) {
	m := newMarket(t)
	made := m.acme.manager.Post("/api/v1/tokens", `{"name":"pinned","scopes":["read:docker-images"]}`)
	token := m.Anonymous(t).With("Authorization", "Bearer "+made.WantStatus(http.StatusCreated).Text("data.token"))
	for range 3 {
		image := randomImage(t, "amd64", 1<<10, 1)
		m.push(t, m.name+"/server:1.0.0", image)
		e2etest.Await(t, "the new digest to be accessible", func() bool {
			return m.SendOCI(token, http.MethodGet, "/v2/"+m.name+"/server/manifests/"+digestOf(t, image)).
				Status == http.StatusOK
		})
	}
}

// TestNeighborPullsNothingElse pulls as the other customer.
func TestNeighborPullsNothingElse(t *testing.T) {
	m := newMarket(t)
	b := m.globex
	if found := b.helm(t, "search", "repo", "portside/", "--versions").Stdout; strings.Contains(found, "anchor") {
		t.Errorf("helm finds %s", found)
	}
	b.helm(t, "pull", "portside/beacon").WantExit(t, 0)
	if got := strings.TrimSpace(b.crane(t, "catalog", b.Host()).Stdout); got != "globex/tool" {
		t.Errorf("the catalog has %q", got)
	}
	b.crane(t, "validate", "--remote", b.Host()+"/globex/tool:1.0").WantExit(t, 0, "PASS")
	b.crane(t, "digest", m.server("1.0.0")).WantExit(t, 1, "NAME_UNKNOWN")
}

// TestCustomersSeeOwnPulls waits for the pulls of both customers. Each sees only its own, in the pull log and in the
// portal's lists.
func TestCustomersSeeOwnPulls(t *testing.T) {
	m := newMarket(t)
	server := m.name + "/server"
	m.acme.crane(t, "validate", "--remote", m.server("1.0.0")).WantExit(t, 0, "PASS")
	m.globex.crane(t, "validate", "--remote", m.Host()+"/globex/tool:1.0").WantExit(t, 0, "PASS")
	for _, c := range []struct {
		who          buyer
		pulled, none string
	}{{m.acme, server, "globex/tool"}, {m.globex, "globex/tool", server}} {
		t.Run(c.pulled, func(t *testing.T) {
			list := c.who.manager
			e2etest.Await(t, "the pull of "+c.pulled+" to be recorded", func() bool {
				return len(list.Get("/api/v1/pulls?repository="+c.pulled).WantStatus(http.StatusOK).List("data")) > 0
			})
			list.Get("/api/v1/pulls?repository="+c.none).WantStatus(http.StatusOK).WantValue("data", []any{})
			list.Get("/v1/images/tags?repository=" + c.pulled).WantStatus(http.StatusOK)
			list.Get("/v1/images/tags?repository=" + c.none).WantStatus(http.StatusNotFound)
			list.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1)
			list.Get(c.who.path+"/entitlements").WantStatus(http.StatusOK).WantValue("pagination.hasMore", false)
		})
	}
	m.acme.manager.Get(m.globex.path + "/entitlements").WantStatus(http.StatusNotFound)
}

// TestChangedEntitlement changes an entitlement. The next request finds the new version, and the old one is gone, also
// its blobs.
func TestChangedEntitlement(t *testing.T) {
	m := newMarket(t)
	root, b := m.Admin(t), m.acme
	id := root.Get(b.path + "/entitlements").WantStatus(http.StatusOK).Text("data.1.id")
	root.Put(b.path+"/entitlements/"+id, `{"versions":"^2.0.0"}`).WantStatus(http.StatusOK)
	b.crane(t, "validate", "--remote", m.server("2.0.0")).WantExit(t, 0, "PASS")
	b.crane(t, "digest", m.server("1.0.0")).WantExit(t, 1, "MANIFEST_UNKNOWN")
	layers, err := m.servers["1.0.0"].Layers()
	if err != nil {
		t.Fatal(err)
	}
	b.crane(t, "blob", m.Host()+"/"+m.name+"/server@"+digestOf(t, layers[0])).WantExit(t, 1, "BLOB_UNKNOWN")
}

// TestSuspendedCustomersPullNothing suspends a customer. Its clients fail at once, and the neighbor's go on.
func TestSuspendedCustomersPullNothing(t *testing.T) {
	m := newMarket(t)
	m.Admin(t).Put(m.acme.path, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	m.acme.helm(t, "repo", "update", "--fail-on-repo-update-fail").WantExit(t, 1, "401 Unauthorized")
	m.acme.crane(t, "digest", m.server("1.0.0")).WantExit(t, 1, "UNAUTHORIZED")
	m.acme.manager.Get("/v1/users").WantStatus(http.StatusUnauthorized)
	m.globex.helm(t, "repo", "update", "--fail-on-repo-update-fail").WantExit(t, 0)
	m.globex.crane(t, "validate", "--remote", m.Host()+"/globex/tool:1.0").WantExit(t, 0, "PASS")
}
