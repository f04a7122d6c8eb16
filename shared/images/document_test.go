package images_test

import (
	"encoding/json"
	"strings"
	"testing"

	"portside/shared/images"
)

func TestContent(t *testing.T) {
	for manifest, want := range map[string]images.Content{
		`{"manifests":[]}`: images.Index,
		`{"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"d"}}`:                      images.Image,
		`{"config":{"mediaType":"application/vnd.docker.container.image.v1+json","digest":"d"}}`:                images.Image,
		`{"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"d"}}`:                      images.Chart,
		`{"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"d"},"artifactType":"x"}`:          images.Artifact,
		`{"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"d"},"artifactType":"x/y"}`: images.Artifact,
	} {
		d, err := images.ParseDocument([]byte(manifest))
		if got := d.Content(); err != nil || got != want {
			t.Errorf("%s has the content %s, want %s (%v)", manifest, got, want, err)
		}
	}
}

func TestAttachedRecognizesTools(t *testing.T) {
	bundle := "application/vnd.dev.sigstore.bundle.v0.3+json"
	for _, c := range []struct {
		artifact, annotation, value string
		purpose                     images.Purpose
		format                      string
	}{
		{"application/vnd.cncf.notary.signature", "", "", images.Signature, "Notation"},
		{"application/vnd.dev.cosign.artifact.sig.v1+json", "", "", images.Signature, "Cosign"},
		{bundle, "", "", images.Signature, "Sigstore"},
		{bundle, "dev.sigstore.bundle.predicateType", "https://sigstore.dev/cosign/sign/v1", images.Signature, "Cosign"},
		{bundle, "dev.sigstore.bundle.predicateType", "https://slsa.dev/provenance/v1", images.Attestation, "SLSA provenance"},
		{bundle, "dev.sigstore.bundle.predicateType", "https://cyclonedx.org/bom", images.SBOM, "CycloneDX"},
		{"application/spdx+json", "", "", images.SBOM, "SPDX"},
		{"application/vnd.syft+json", "", "", images.SBOM, "Syft"},
		{"application/vnd.in-toto+json", "in-toto.io/predicate-type", "https://spdx.dev/Document", images.SBOM, "SPDX"},
		{"application/vnd.in-toto+json", "", "", images.Attestation, "in-toto"},
		{"application/example", "", "", images.Other, ""},
		{"", "", "", images.Other, ""},
	} {
		t.Run(c.artifact+" "+c.value, func(t *testing.T) {
			purpose, format := images.Attached(images.Descriptor{
				ArtifactType: c.artifact, MediaType: "application/vnd.oci.image.manifest.v1+json",
				Annotations: map[string]string{c.annotation: c.value},
			})
			if purpose != c.purpose || format != c.format {
				t.Errorf("%s with %q is %s of %q, want %s of %q", c.artifact, c.value, purpose, format, c.purpose, c.format)
			}
		})
	}
}

func TestAttachmentTags(t *testing.T) {
	hex := strings.Repeat("0a", 32)
	for tag, want := range map[string]bool{
		"sha256-" + hex: true, "sha256-" + hex + ".sig": true, "sha512-" + hex + hex + ".att": true,
		"sha256-" + hex + ".sbom": true,
		"sha256-" + hex + ".txt":  false, "sha256-" + hex[1:]: false, "1.0": false, "": false, "x-sha256-" + hex: false,
	} {
		if got := images.IsAttachmentTag(tag); got != want {
			t.Errorf("%s is an attachment's tag: %v, want %v", tag, got, want)
		}
	}
	for tag := range images.CosignTags("sha256:" + hex) {
		if !images.IsAttachmentTag(tag) || !images.IsTag(tag) {
			t.Errorf("%s is not a tag of Cosign", tag)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-01T10:00:00+02:00": "2026-03-01T08:00:00Z", "1970-01-01T00:00:00Z": "", "0001-01-01T00:00:00Z": "", "": "",
		"9999-12-31T23:59:59-23:59": "", "yesterday": "",
	} {
		at := images.ParseTime(text)
		if got, err := at.MarshalText(); err != nil || string(got) != want && (want != "" || !at.IsZero()) {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
}

// FuzzParseDocument checks that whatever a registry sends can be shown as JSON.
func FuzzParseDocument(f *testing.F) {
	f.Add([]byte(chartManifest))
	f.Add([]byte(`{"config":[],"manifests":[{"platform":{"os":7}}],"annotations":{"a":1},"created":"9999-12-31T23:59:59-23:59"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		config := images.ParseConfig(body)
		document, err := images.ParseDocument(body)
		if err != nil {
			return
		}
		_, _ = document.Content(), document.Size()
		for _, d := range document.Manifests {
			_, _ = images.Attached(d)
		}
		if _, err := json.Marshal([]any{config, document}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReferencesAreNamedOnce(t *testing.T) {
	config, layer := "sha256:"+strings.Repeat("a", 64), "sha256:"+strings.Repeat("b", 64)
	d, err := images.ParseDocument([]byte(`{"config":{"digest":"` + config + `"},"layers":[{"digest":"` + layer + `"},{"digest":"` + layer +
		`"},{"digest":"no digest"}]}`))
	if got := d.References(); err != nil || strings.Join(got, " ") != config+" "+layer {
		t.Errorf("references %v, %v", got, err)
	}
}
