package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"portside/local/browser"
)

// runImageCommands runs the commands that the page shows for the clients of images, with the placeholders filled in.
func (c machine) runImageCommands(t *testing.T, page *browser.Page) {
	t.Helper()
	c.write(t, ".config/containers/policy.json", c.read(t, "policy.json"))
	c.write(t, "config/containers/policy.json", c.read(t, "policy.json"))
	c.write(t, "storage.conf", "[storage]\ndriver = \"vfs\"\ngraphroot = \""+c.path("root")+"\"\nrunroot = \""+c.path("runroot")+"\"\n")
	digest := digestOf(t, c.images.api)
	for _, client := range []struct{ tab, output string }{
		{"Docker", "Login Succeeded"}, {"Podman", "Login Succeeded!"}, {"skopeo", digest}, {"crane", digest},
	} {
		page.Click(browser.Role("tab", client.tab))
		region := page.Within(browser.Role("region", "Commands for "+client.tab))
		script := strings.NewReplacer("IMAGE", "acme/api", "TAG", "1.0").Replace(region.Text())
		script, _, _ = strings.Cut(script, "docker pull ") // needs a daemon
		c.shell(t, script).wantExit(t, 0, client.output)
	}
}

// testAttachments publishes an image with a signature and an SBOM, and reads its page.
func testAttachments(t *testing.T, m *customerStack, page *browser.Page) {
	m.upstreamPassword = strings.TrimSpace(string(m.dataFile(t, "registry-password")))
	signed := randomImage(t, "amd64", 1<<10, 1)
	if err := remote.Write(m.tag(t, "acme/signed:1.0"), signed, m.pusher()); err != nil {
		t.Fatal(err)
	}
	subject, err := remote.Head(m.tag(t, "acme/signed:1.0"), m.pusher())
	if err != nil {
		t.Fatal(err)
	}
	for name, artifactType := range map[string]string{
		"signature": "application/vnd.dev.cosign.artifact.sig.v1+json", "sbom": "application/spdx+json",
	} {
		m.attach(t, "acme/signed:"+name, artifactType, subject)
	}
	page.Open("/portal/images/acme%2Fsigned/1.0")
	page.WaitFor(browser.Heading("acme/signed:1.0"))
	page.Within(browser.Row("Signature")).WaitText("sha256:")
	page.Within(browser.Row("SBOM")).WaitText("SPDX")
	page.WaitText("does not verify it")
	checkPage(t, m.testStack, page, "/portal/images/acme%2Fsigned/1.0")
}

// attach pushes an artifact that refers to a manifest of the same repository. Its blob is the empty object.
func (m *customerStack) attach(t *testing.T, at, artifactType string, subject *v1.Descriptor) {
	t.Helper()
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.MediaType(artifactType))
	attached, isImage := mutate.Subject(artifact, *subject).(v1.Image)
	if !isImage {
		t.Fatalf("the artifact %s is no image", at)
	}
	if err := remote.Write(m.tag(t, at), attached, m.pusher()); err != nil {
		t.Fatal(err)
	}
}
