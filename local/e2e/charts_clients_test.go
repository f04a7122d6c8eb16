package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// addRepository adds the chart repository to helm, which fetches the index.
func (c machine) addRepository(t *testing.T) result {
	t.Helper()
	args := []string{"repo", "add", "portside", c.info.API + "/charts", "--force-update"}
	if c.login == (login{}) {
		return c.run(t, "helm", args...)
	}
	return c.withPasswordInput().run(t, "helm", append(args, "--username", c.name, "--password-stdin")...)
}

// registryLogin logs helm in to the registry.
func (c machine) registryLogin(t *testing.T) result {
	t.Helper()
	return c.withPasswordInput().run(t, "helm", "registry", "login", c.host(), "--plain-http", "-u", c.name, "--password-stdin")
}

func (c machine) artifact() string { return "oci://" + c.host() + "/charts/compass" }

// pullArtifact logs in and pulls a chart from the registry.
func (c machine) pullArtifact(t *testing.T) result {
	t.Helper()
	if c.login != (login{}) {
		if r := c.registryLogin(t); r.code != 0 {
			return r
		}
	}
	return c.run(t, "helm", "pull", c.artifact(), "--version", "2.0.0", "--plain-http")
}

// checkSameFile compares a pulled file with the vendor's.
func (c machine) checkSameFile(t *testing.T, file string) {
	t.Helper()
	if c.read(t, file) != c.vendor.read(t, file) {
		t.Errorf("%s differs from the vendor's file", file)
	}
}

func (c machine) helm(t *testing.T, args ...string) result {
	t.Helper()
	return c.run(t, "helm", args...)
}

func testChartRepository(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).wantExit(t, 0)
	c.helm(t, "search", "repo", "portside/", "--versions").
		wantExit(t, 0, "portside/anchor\t1.1.0", "portside/anchor\t1.0.0", "The anchor")

	m.vendor.packageChart(t, "anchor", "1.2.0")
	m.publish(t, "anchor-1.2.0.tgz", m.vendor.read(t, "anchor-1.2.0.tgz"))
	await(t, "helm to find the new version", func() bool {
		c.helm(t, "repo", "update").wantExit(t, 0, "Update Complete")
		return strings.Contains(c.helm(t, "search", "repo", "portside/anchor").stdout, "1.2.0")
	})
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		c.helm(t, "pull", "portside/anchor", "--version", version).wantExit(t, 0)
		c.checkSameFile(t, "anchor-"+version+".tgz")
	}
	c.helm(t, "pull", "portside/anchor", "--version", "~1.1").wantExit(t, 0)
	c.helm(t, "pull", "portside/anchor", "--version", "9.9.9").wantExit(t, 1, "9.9.9", "not found")
	c.helm(t, "template", "berth", "portside/anchor").wantExit(t, 0, "name: berth", `greeting: "hello from anchor 1.2.0"`)
	c.helm(t, "template", "berth", "portside/anchor", "--version", "1.0.0", "--set", "greeting=ahoy").
		wantExit(t, 0, `greeting: "ahoy"`)
	c.helm(t, "show", "chart", "portside/anchor", "--version", "1.0.0").
		wantExit(t, 0, "version: 1.0.0", "appVersion: \"7\"")
	c.helm(t, "show", "values", "portside/anchor").wantExit(t, 0, "greeting: hello from anchor 1.2.0")
	c.helm(t, "pull", "anchor", "--repo", m.info.API+"/charts", "--username", c.name, "--password", c.password, "--untar").
		wantExit(t, 0)
	if text := c.read(t, "anchor/values.yaml"); text != "greeting: hello from anchor 1.2.0\n" {
		t.Errorf("the values are %q", text)
	}

	m.revoke(t, c.login) // helm has the index, but the archive needs a credential
	c.helm(t, "pull", "portside/anchor").wantExit(t, 1, "anchor-1.2.0.tgz : 401 Unauthorized")
	c.helm(t, "repo", "update", "--fail-on-repo-update-fail").wantExit(t, 1, "Unable to get an update", "401 Unauthorized")
}

// testSignedCharts verifies signatures with the vendor's public key and with another key.
func testSignedCharts(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).wantExit(t, 0)
	await(t, "the signed chart to be published", func() bool {
		c.helm(t, "repo", "update").wantExit(t, 0)
		return strings.Contains(c.helm(t, "search", "repo", "portside/beacon").stdout, "0.3.0")
	})
	verify := func(chart, keyring string) result {
		return c.helm(t, "pull", chart, "--verify", "--keyring", m.vendor.path(keyring))
	}
	verify("portside/beacon", "pubring.gpg").
		wantExit(t, 0, "Signed by: Vendor <vendor@example.com>", "Chart Hash Verified: sha256:")
	c.checkSameFile(t, "beacon-0.3.0.tgz")
	c.checkSameFile(t, "beacon-0.3.0.tgz.prov")
	if err := os.Remove(c.path("beacon-0.3.0.tgz")); err != nil {
		t.Fatal(err)
	}
	verify("portside/beacon", "stranger.gpg").wantExit(t, 1, "signature made by unknown entity")
	verify("portside/anchor", "pubring.gpg").wantExit(t, 1, "failed to fetch provenance", "/charts/anchor-1.2.0.tgz.prov")
}

// testRejectedCharts publishes invalid charts, which customers must not see, and deletes a version,
// which customers must notice.
func testRejectedCharts(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).wantExit(t, 0)
	other := m.machine(t, login{})
	other.packageChart(t, "anchor", "1.0.0", "--app-version", "8")
	m.publish(t, "anchor-1.0.0.tgz", other.read(t, "anchor-1.0.0.tgz"))
	m.awaitRejection(t, "anchor-1.0.0.tgz", "this version was published before with other contents")
	m.publish(t, "wreck-1.0.0.tgz", "no archive at all")
	m.awaitRejection(t, "wreck-1.0.0.tgz", "the file is not a gzip-compressed tar archive")
	c.helm(t, "repo", "update").wantExit(t, 0)
	c.helm(t, "search", "repo", "wreck").wantExit(t, 0, "No results found")
	c.helm(t, "pull", "portside/anchor", "--version", "1.0.0").wantExit(t, 0)
	c.checkSameFile(t, "anchor-1.0.0.tgz")

	m.deleteChart(t, "anchor-1.1.0.tgz")
	await(t, "helm to lose the version", func() bool {
		c.helm(t, "repo", "update").wantExit(t, 0)
		return !strings.Contains(c.helm(t, "search", "repo", "portside/anchor", "--versions").stdout, "1.1.0")
	})
	c.helm(t, "pull", "portside/anchor", "--version", "1.1.0").wantExit(t, 1, "no chart version found for anchor-1.1.0")
	m.withLogin(t, c.login).Get("/charts/anchor-1.1.0.tgz").WantStatus(http.StatusNotFound)
}

// testChartsInRegistry pulls charts from the registry.
func testChartsInRegistry(t *testing.T, m *customerStack) {
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.registryLogin(t).wantExit(t, 0, "Login Succeeded")
	c.helm(t, "pull", c.artifact(), "--plain-http").wantExit(t, 0, "/charts/compass:2.0.0") // the newest tag
	c.checkSameFile(t, "compass-2.0.0.tgz")
	c.helm(t, "template", "berth", c.artifact(), "--version", "2.0.0", "--plain-http").
		wantExit(t, 0, `greeting: "hello from compass 2.0.0"`)
	c.helm(t, "show", "chart", c.artifact(), "--plain-http").wantExit(t, 0, "name: compass")
	c.helm(t, "pull", c.artifact(), "--version", "3.0.0", "--plain-http").wantExit(t, 1, "3.0.0", "not found")
	c.helm(t, "pull", "oci://"+m.host()+"/acme/api", "--version", "1.0", "--plain-http").wantExit(t, 1, "denied")

	narrow := m.machine(t, m.createToken(t, "read:helm-charts:charts/compass"))
	narrow.pullArtifact(t).wantExit(t, 0)
	m.machine(t, m.createToken(t, "read:helm-charts:charts/other")).pullArtifact(t).wantExit(t, 1, "denied")
	m.revoke(t, narrow.login)
	narrow.helm(t, "pull", c.artifact(), "--plain-http").wantExit(t, 1, "unauthorized")
}
