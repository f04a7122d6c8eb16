package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// addRepository has helm fetch the index.
func (c machine) addRepository(t *testing.T) ran {
	t.Helper()
	args := []string{"repo", "add", "portside", c.info.API + "/charts", "--force-update"}
	if c.login == (login{}) {
		return c.run(t, "helm", args...)
	}
	return c.typing().run(t, "helm", append(args, "--username", c.name, "--password-stdin")...)
}

// signIn has helm keep the login for the registry, if the registry takes it.
func (c machine) signIn(t *testing.T) ran {
	t.Helper()
	return c.typing().run(t, "helm", "registry", "login", c.host(), "--plain-http", "-u", c.name, "--password-stdin")
}

func (c machine) artifact() string { return "oci://" + c.host() + "/charts/compass" }

// pullArtifact signs in and pulls a chart from the registry.
func (c machine) pullArtifact(t *testing.T) ran {
	t.Helper()
	if c.login != (login{}) {
		if r := c.signIn(t); r.code != 0 {
			return r
		}
	}
	return c.run(t, "helm", "pull", c.artifact(), "--version", "2.0.0", "--plain-http")
}

// sameFile compares what was pulled with what the vendor has made.
func (c machine) sameFile(t *testing.T, file string) {
	t.Helper()
	if c.read(t, file) != c.vendor.read(t, file) {
		t.Errorf("%s is another than the vendor has published", file)
	}
}

func (c machine) helm(t *testing.T, args ...string) ran {
	t.Helper()
	return c.run(t, "helm", args...)
}

func chartRepository(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:helm-charts"))
	c.addRepository(t).is(t, 0)
	c.helm(t, "search", "repo", "portside/", "--versions").is(t, 0, "portside/anchor\t1.1.0", "portside/anchor\t1.0.0", "The anchor")

	m.vendor.chart(t, "anchor", "1.2.0")
	m.publish(t, "anchor-1.2.0.tgz", m.vendor.read(t, "anchor-1.2.0.tgz"))
	await(t, "helm finds the new version", func() bool {
		c.helm(t, "repo", "update").is(t, 0, "Update Complete")
		return strings.Contains(c.helm(t, "search", "repo", "portside/anchor").stdout, "1.2.0")
	})
	for _, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
		c.helm(t, "pull", "portside/anchor", "--version", version).is(t, 0)
		c.sameFile(t, "anchor-"+version+".tgz")
	}
	c.helm(t, "pull", "portside/anchor", "--version", "~1.1").is(t, 0)
	c.helm(t, "pull", "portside/anchor", "--version", "9.9.9").is(t, 1, "9.9.9", "not found")
	c.helm(t, "template", "berth", "portside/anchor").is(t, 0, "name: berth", `greeting: "hello from anchor 1.2.0"`)
	c.helm(t, "template", "berth", "portside/anchor", "--version", "1.0.0", "--set", "greeting=ahoy").is(t, 0, `greeting: "ahoy"`)
	c.helm(t, "show", "chart", "portside/anchor", "--version", "1.0.0").is(t, 0, "version: 1.0.0", "appVersion: \"7\"")
	c.helm(t, "show", "values", "portside/anchor").is(t, 0, "greeting: hello from anchor 1.2.0")
	c.helm(t, "pull", "anchor", "--repo", m.info.API+"/charts", "--username", c.name, "--password", c.password, "--untar").is(t, 0)
	if text := c.read(t, "anchor/values.yaml"); text != "greeting: hello from anchor 1.2.0\n" {
		t.Errorf("the values are %q", text)
	}

	m.revoke(t, c.login) // helm has the index, and asks for the archive in vain
	c.helm(t, "pull", "portside/anchor").is(t, 1, "anchor-1.2.0.tgz : 401 Unauthorized")
	c.helm(t, "repo", "update", "--fail-on-repo-update-fail").is(t, 1, "Unable to get an update", "401 Unauthorized")
}

// signedCharts verifies with the vendor's public key, and with another's.
func signedCharts(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:helm-charts"))
	c.addRepository(t).is(t, 0)
	await(t, "the signed chart is published", func() bool {
		c.helm(t, "repo", "update").is(t, 0)
		return strings.Contains(c.helm(t, "search", "repo", "portside/beacon").stdout, "0.3.0")
	})
	verify := func(chart, keyring string) ran {
		return c.helm(t, "pull", chart, "--verify", "--keyring", m.vendor.path(keyring))
	}
	verify("portside/beacon", "pubring.gpg").is(t, 0, "Signed by: Vendor <vendor@example.com>", "Chart Hash Verified: sha256:")
	c.sameFile(t, "beacon-0.3.0.tgz")
	c.sameFile(t, "beacon-0.3.0.tgz.prov")
	if err := os.Remove(c.path("beacon-0.3.0.tgz")); err != nil {
		t.Fatal(err)
	}
	verify("portside/beacon", "stranger.gpg").is(t, 1, "signature made by unknown entity")
	verify("portside/anchor", "pubring.gpg").is(t, 1, "failed to fetch provenance", "/charts/anchor-1.2.0.tgz.prov")
}

// refusedCharts has the vendor make mistakes, which customers do not notice, and take a version back, which they do.
func refusedCharts(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:helm-charts"))
	c.addRepository(t).is(t, 0)
	other := m.machine(t, login{})
	other.chart(t, "anchor", "1.0.0", "--app-version", "8")
	m.publish(t, "anchor-1.0.0.tgz", other.read(t, "anchor-1.0.0.tgz"))
	m.awaitReason(t, "anchor-1.0.0.tgz", "this version was published before with other contents")
	m.publish(t, "wreck-1.0.0.tgz", "no archive at all")
	m.awaitReason(t, "wreck-1.0.0.tgz", "the file is no gzip-compressed tar archive")
	c.helm(t, "repo", "update").is(t, 0)
	c.helm(t, "search", "repo", "wreck").is(t, 0, "No results found")
	c.helm(t, "pull", "portside/anchor", "--version", "1.0.0").is(t, 0)
	c.sameFile(t, "anchor-1.0.0.tgz")

	m.withdraw(t, "anchor-1.1.0.tgz")
	await(t, "helm no longer finds the version", func() bool {
		c.helm(t, "repo", "update").is(t, 0)
		return !strings.Contains(c.helm(t, "search", "repo", "portside/anchor", "--versions").stdout, "1.1.0")
	})
	c.helm(t, "pull", "portside/anchor", "--version", "1.1.0").is(t, 1, "no chart version found for anchor-1.1.0")
	m.as(t, c.login).get("/charts/anchor-1.1.0.tgz").is(http.StatusNotFound)
}

// chartArtifacts are charts that lie in the registry.
func chartArtifacts(t *testing.T, m *market) {
	c := m.machine(t, m.token(t, "read:helm-charts"))
	c.signIn(t).is(t, 0, "Login Succeeded")
	c.helm(t, "pull", c.artifact(), "--plain-http").is(t, 0, "/charts/compass:2.0.0") // the newest tag
	c.sameFile(t, "compass-2.0.0.tgz")
	c.helm(t, "template", "berth", c.artifact(), "--version", "2.0.0", "--plain-http").is(t, 0, `greeting: "hello from compass 2.0.0"`)
	c.helm(t, "show", "chart", c.artifact(), "--plain-http").is(t, 0, "name: compass")
	c.helm(t, "pull", c.artifact(), "--version", "3.0.0", "--plain-http").is(t, 1, "3.0.0", "not found")
	c.helm(t, "pull", "oci://"+m.host()+"/acme/api", "--version", "1.0", "--plain-http").is(t, 1, "denied")

	narrow := m.machine(t, m.token(t, "read:helm-charts:charts/compass"))
	narrow.pullArtifact(t).is(t, 0)
	m.machine(t, m.token(t, "read:helm-charts:charts/other")).pullArtifact(t).is(t, 1, "denied")
	m.revoke(t, narrow.login)
	narrow.helm(t, "pull", c.artifact(), "--plain-http").is(t, 1, "unauthorized")
}
