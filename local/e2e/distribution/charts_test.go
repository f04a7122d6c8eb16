package distribution

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// addRepository adds the chart repository to helm, which fetches the index.
func (c machine) addRepository(t *testing.T) e2etest.Exit {
	t.Helper()
	args := []string{"repo", "add", "portside", c.Info.API + "/charts", "--force-update"}
	if c.Login == (e2etest.Login{}) {
		return c.RunClient(t, "helm", args...)
	}
	return c.WithPasswordInput().RunClient(t, "helm", append(args, "--username", c.User, "--password-stdin")...)
}

// registryLogin logs helm in to the registry.
func (c machine) registryLogin(t *testing.T) e2etest.Exit {
	t.Helper()
	return c.WithPasswordInput().
		RunClient(t, "helm", "registry", "login", c.Host(), "--plain-http", "-u", c.User, "--password-stdin")
}

func (c machine) artifact() string { return "oci://" + c.Host() + "/charts/compass" }

// pullArtifact logs in and pulls a chart from the registry.
func (c machine) pullArtifact(t *testing.T) e2etest.Exit {
	t.Helper()
	if c.Login != (e2etest.Login{}) {
		if r := c.registryLogin(t); r.Code != 0 {
			return r
		}
	}
	return c.RunClient(t, "helm", "pull", c.artifact(), "--version", "2.0.0", "--plain-http")
}

// checkSameFile compares a pulled file with the vendor's.
func (c machine) checkSameFile(t *testing.T, file string) {
	t.Helper()
	if c.ReadFile(t, file) != published.files[file] {
		t.Errorf("%s differs from the vendor's file", file)
	}
}

func (c machine) helm(t *testing.T, args ...string) e2etest.Exit {
	t.Helper()
	return c.RunClient(t, "helm", args...)
}

func TestChartRepository(t *testing.T) {
	m := newShop(t)
	vendor := m.machine(t, e2etest.Login{})
	chart := m.publishVersions(t, vendor, "1.0.0", "1.1.0")
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).WantExit(t, 0)
	c.awaitVersion(t, chart, "1.1.0")
	c.helm(t, "search", "repo", "portside/"+chart, "--versions").
		WantExit(t, 0, "portside/"+chart+"\t1.1.0", "portside/"+chart+"\t1.0.0", "The "+chart)

	m.publishVersions(t, vendor, "1.2.0")
	c.awaitVersion(t, chart, "1.2.0")
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		c.helm(t, "pull", "portside/"+chart, "--version", version).WantExit(t, 0)
		if file := chart + "-" + version + ".tgz"; c.ReadFile(t, file) != vendor.ReadFile(t, file) {
			t.Errorf("%s differs from the vendor's file", file)
		}
	}
	c.helm(t, "pull", "portside/"+chart, "--version", "~1.1").WantExit(t, 0)
	c.helm(t, "pull", "portside/"+chart, "--version", "9.9.9").WantExit(t, 1, "9.9.9", "not found")
	c.helm(t, "template", "berth", "portside/"+chart).
		WantExit(t, 0, "name: berth", `greeting: "hello from `+chart+` 1.2.0"`)
	c.helm(t, "template", "berth", "portside/"+chart, "--version", "1.0.0", "--set", "greeting=ahoy").
		WantExit(t, 0, `greeting: "ahoy"`)
	c.helm(t, "show", "chart", "portside/"+chart, "--version", "1.0.0").
		WantExit(t, 0, "version: 1.0.0", "appVersion: \"7\"")
	c.helm(t, "show", "values", "portside/"+chart).WantExit(t, 0, "greeting: hello from "+chart+" 1.2.0")
	c.helm(t, "pull", chart, "--repo", m.Info.API+"/charts", "--username", c.User, "--password", c.Password, "--untar").
		WantExit(t, 0)
	if text := c.ReadFile(t, chart+"/values.yaml"); text != "greeting: hello from "+chart+" 1.2.0\n" {
		t.Errorf("the values are %q", text)
	}

	m.revoke(t, c.Login) // helm has the index, but the archive needs a credential
	c.helm(t, "pull", "portside/"+chart).WantExit(t, 1, chart+"-1.2.0.tgz : 401 Unauthorized")
	c.helm(t, "repo", "update", "--fail-on-repo-update-fail").WantExit(t, 1, "Unable to get an update", "401 Unauthorized")
}

// TestChartWithUpperCase publishes a chart whose name has upper-case letters, and pulls it with a token for this chart
// only.
func TestChartWithUpperCase(t *testing.T) {
	m := newShop(t)
	vendor, chart := m.machine(t, e2etest.Login{}), m.Name("Anchor")+"-Chart"
	vendor.packageChart(t, chart, "1.0.0")
	file := chart + "-1.0.0.tgz"
	m.publish(t, file, vendor.ReadFile(t, file))
	c := m.machine(t, m.createToken(t, "read:helm-charts:"+chart))
	c.addRepository(t).WantExit(t, 0)
	c.awaitVersion(t, chart, "1.0.0")
	c.helm(t, "pull", "portside/"+chart).WantExit(t, 0)
	if c.ReadFile(t, file) != vendor.ReadFile(t, file) {
		t.Errorf("%s differs from the vendor's file", file)
	}
	other := m.machine(t, m.createToken(t, "read:helm-charts:"+strings.ToLower(chart)))
	other.addRepository(t).WantExit(t, 0)
	other.helm(t, "pull", "portside/"+chart).WantExit(t, 1, "not found")
}

// awaitVersion waits until helm finds a version of a chart.
func (c machine) awaitVersion(t *testing.T, chart, version string) {
	t.Helper()
	e2etest.Await(t, "helm to find the new version", func() bool {
		c.helm(t, "repo", "update").WantExit(t, 0, "Update Complete")
		return strings.Contains(c.helm(t, "search", "repo", "portside/"+chart).Stdout, version)
	})
}

// TestSignedCharts verifies signatures with the vendor's public key and with another key.
func TestSignedCharts(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).WantExit(t, 0)
	c.awaitVersion(t, "beacon", "0.3.0")
	c.awaitVersion(t, "anchor", "1.1.0")
	for _, keyring := range []string{"pubring.gpg", "stranger.gpg"} {
		c.WriteFile(t, keyring, m.files[keyring])
	}
	verify := func(chart, keyring string) e2etest.Exit {
		return c.helm(t, "pull", chart, "--verify", "--keyring", keyring)
	}
	verify("portside/beacon", "pubring.gpg").
		WantExit(t, 0, "Signed by: Vendor <vendor@example.com>", "Chart Hash Verified: sha256:")
	c.checkSameFile(t, "beacon-0.3.0.tgz")
	c.checkSameFile(t, "beacon-0.3.0.tgz.prov")
	if err := os.Remove(c.Path("beacon-0.3.0.tgz")); err != nil {
		t.Fatal(err)
	}
	verify("portside/beacon", "stranger.gpg").WantExit(t, 1, "signature made by unknown entity")
	verify("portside/anchor", "pubring.gpg").WantExit(t, 1, "failed to fetch provenance", "/charts/anchor-1.1.0.tgz.prov")
}

// TestRejectedCharts publishes invalid charts, which customers must not see, and deletes a version, which customers
// must notice.
func TestRejectedCharts(t *testing.T) {
	m := newShop(t)
	vendor, other := m.machine(t, e2etest.Login{}), m.machine(t, e2etest.Login{})
	chart, wreck := m.publishVersions(t, vendor, "1.0.0", "1.1.0"), m.Name("wreck")
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.addRepository(t).WantExit(t, 0)
	c.awaitVersion(t, chart, "1.1.0")
	first := chart + "-1.0.0.tgz"
	other.packageChart(t, chart, "1.0.0", "--app-version", "8")
	m.publish(t, first, other.ReadFile(t, first))
	m.awaitRejection(t, first, "this version was published before with other contents")
	m.publish(t, wreck+"-1.0.0.tgz", "no archive at all")
	m.awaitRejection(t, wreck+"-1.0.0.tgz", "the file is not a gzip-compressed tar archive")
	c.helm(t, "repo", "update").WantExit(t, 0)
	c.helm(t, "search", "repo", wreck).WantExit(t, 0, "No results found")
	c.helm(t, "pull", "portside/"+chart, "--version", "1.0.0").WantExit(t, 0)
	if c.ReadFile(t, first) != vendor.ReadFile(t, first) {
		t.Errorf("%s differs from the vendor's file", first)
	}

	m.deleteChart(t, chart+"-1.1.0.tgz")
	e2etest.Await(t, "helm to lose the version", func() bool {
		c.helm(t, "repo", "update").WantExit(t, 0)
		return !strings.Contains(c.helm(t, "search", "repo", "portside/"+chart, "--versions").Stdout, "1.1.0")
	})
	c.helm(t, "pull", "portside/"+chart, "--version", "1.1.0").WantExit(t, 1, "no chart version found for "+chart+"-1.1.0")
	m.WithLogin(t, c.Login).Get("/charts/" + chart + "-1.1.0.tgz").WantStatus(http.StatusNotFound)
}

// TestChartsInRegistry pulls charts from the registry.
func TestChartsInRegistry(t *testing.T) {
	m := newShop(t)
	c := m.machine(t, m.createToken(t, "read:helm-charts"))
	c.registryLogin(t).WantExit(t, 0, "Login Succeeded")
	c.helm(t, "pull", c.artifact(), "--plain-http").WantExit(t, 0, "/charts/compass:2.0.0") // the newest tag
	c.checkSameFile(t, "compass-2.0.0.tgz")
	c.helm(t, "template", "berth", c.artifact(), "--version", "2.0.0", "--plain-http").
		WantExit(t, 0, `greeting: "hello from compass 2.0.0"`)
	c.helm(t, "show", "chart", c.artifact(), "--plain-http").WantExit(t, 0, "name: compass")
	c.helm(t, "pull", c.artifact(), "--version", "3.0.0", "--plain-http").WantExit(t, 1, "3.0.0", "not found")
	c.helm(t, "pull", "oci://"+m.Host()+"/harbor/api", "--version", "1.0", "--plain-http").WantExit(t, 1, "denied")

	narrow := m.machine(t, m.createToken(t, "read:helm-charts:charts/compass"))
	narrow.pullArtifact(t).WantExit(t, 0)
	m.machine(t, m.createToken(t, "read:helm-charts:charts/other")).pullArtifact(t).WantExit(t, 1, "denied")
	m.revoke(t, narrow.Login)
	narrow.helm(t, "pull", c.artifact(), "--plain-http").WantExit(t, 1, "unauthorized")
}
