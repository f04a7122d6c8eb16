package distribution

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// runImageCommands runs the commands that the page shows for the clients of images, with the placeholders filled in.
func (c machine) runImageCommands(t *testing.T, page *browser.Page) {
	t.Helper()
	digest := digestOf(t, published.images.api)
	for _, client := range []struct{ tab, output string }{
		{"Docker", "Login Succeeded"}, {"Podman", "Login Succeeded!"}, {"skopeo", digest}, {"crane", digest},
	} {
		t.Run(client.tab, func(t *testing.T) {
			page.Click(browser.Role("tab", client.tab))
			region := page.Within(browser.Role("region", "Commands for "+client.tab))
			script := strings.NewReplacer("IMAGE", "harbor/api", "TAG", "1.0").Replace(region.Text())
			script, _, _ = strings.Cut(script, "docker pull ") // needs a daemon
			c.Shell(t, script).WantExit(t, 0, client.output)
		})
	}
}

// TestAttachments publishes an image with a signature and an SBOM, and reads its page.
func TestAttachments(t *testing.T) {
	m, page := visitDemo(t, e2etest.Shared(t))
	repository := m.Name("acme") + "/signed"
	m.push(t, repository+":1.0", randomImage(t, "amd64", 1<<10, 1))
	subject, err := remote.Head(m.tag(t, repository+":1.0"), m.pusher(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, artifactType := range map[string]string{
		"signature": "application/vnd.dev.cosign.artifact.sig.v1+json", "sbom": "application/spdx+json",
	} {
		m.attach(t, repository+":"+name, artifactType, subject)
	}
	path := "/portal/images/" + url.PathEscape(repository) + "/1.0"
	page.Open(path)
	page.WaitFor(browser.Heading(repository + ":1.0"))
	page.Within(browser.Row("Signature")).WaitText("sha256:")
	page.Within(browser.Row("SBOM")).WaitText("SPDX")
	page.WaitText("does not verify it")
	m.Portal.CheckPage(t, page, path)
}

// attach pushes an artifact that refers to a manifest of the same repository. Its blob is the empty object.
func (m shop) attach(t *testing.T, at, artifactType string, subject *v1.Descriptor) {
	t.Helper()
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.MediaType(artifactType))
	attached, isImage := mutate.Subject(artifact, *subject).(v1.Image)
	if !isImage {
		t.Fatalf("the artifact %s is no image", at)
	}
	m.push(t, at, attached)
}
