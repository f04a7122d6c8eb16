package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// ImageAttachment is an artifact that refers to a manifest.
type ImageAttachment struct {
	Purpose images.Purpose `json:"purpose" enum:"signature,sbom,attestation,other" doc:"sbom is a list of the software inside. attestation is another statement, such as how an image was built."`
	Format  *string        `json:"format" doc:"Tool or format that made it; null if unknown." example:"Cosign"`
	Type    string         `json:"type" doc:"Media type or artifact type." example:"application/vnd.cncf.notary.signature"`
	Digest  string         `json:"digest" doc:"Digest of its manifest or, for a statement of BuildKit, of the statement." example:"sha256:…"`
	Size    int64          `json:"size" doc:"Bytes of what the digest identifies." example:"612"`
}

// Limits of a response and of the requests to the registry for it.
const (
	maxAttached     = 100 // attachments
	maxAttestations = 32  // attestation manifests of an index that are read
)

// addAttached lists the artifacts that refer to the manifest: its referrers, the artifacts that Cosign stores under
// tags, and the statements that BuildKit puts into an index.
func (m manifestDescriber) addAttached(ctx context.Context) error {
	for _, find := range []func(context.Context) ([]ImageAttachment, error){m.referrers, m.underTags, m.statements} {
		found, err := find(ctx)
		if err != nil {
			return err
		}
		m.response.Attached = append(m.response.Attached, found[:min(len(found), maxAttached-len(m.response.Attached))]...)
	}
	return nil
}

func (m manifestDescriber) referrers(ctx context.Context) ([]ImageAttachment, error) {
	target := images.Target{Kind: images.Referrers, Repository: m.repository, Reference: m.digest}
	answer, err := m.catalog.gateway.listReferrers(ctx, target, "")
	if errors.Is(maskMissing(err), images.ErrNotVisible) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := images.ParseDocument(answer.Body)
	found := make([]ImageAttachment, 0, len(list.Manifests))
	for _, d := range list.Manifests {
		found = append(found, encodeAttachment(d))
	}
	return found, err
}

func encodeAttachment(d images.Descriptor) ImageAttachment {
	purpose, format := images.Attached(d)
	kind := d.ArtifactType
	if kind == "" {
		kind = d.MediaType
	}
	return ImageAttachment{
		Purpose: purpose, Format: web.NullIfZero(format), Type: shorten(kind), Digest: shorten(d.Digest), Size: d.Size,
	}
}

// underTags returns the artifacts that Cosign has stored under tags made from the digest.
func (m manifestDescriber) underTags(ctx context.Context) ([]ImageAttachment, error) {
	var found []ImageAttachment
	tags := images.CosignTags(m.digest)
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		answer, err := m.catalog.gateway.registry.Fetch(ctx, imagesecr.Request{
			Method: http.MethodHead, Accept: manifestTypes,
			Target: images.Target{Kind: images.Manifest, Repository: m.repository, Reference: tag},
		})
		if errors.Is(maskMissing(err), images.ErrNotVisible) {
			continue
		}
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseInt(answer.Header.Get("Content-Length"), 10, 64)
		if err != nil {
			size = 0 // the registry does not say
		}
		found = append(found, ImageAttachment{
			Purpose: tags[tag], Format: web.NullIfZero("Cosign"), Type: shorten(answer.Header.Get("Content-Type")),
			Digest: answer.Digest(), Size: size,
		})
	}
	return found, nil
}

// statements returns the statements in the attestation manifests of an index. Their layers are the statements.
func (m manifestDescriber) statements(ctx context.Context) ([]ImageAttachment, error) {
	var found []ImageAttachment
	read := 0
	for _, d := range m.Manifests {
		if !d.IsAttestation() || !images.IsDigest(d.Digest) {
			continue
		}
		if read++; read > maxAttestations {
			break
		}
		attestation, err := m.catalog.readManifest(ctx, m.repository, d.Digest)
		if errors.Is(err, images.ErrDocument) || errors.Is(maskMissing(err), images.ErrNotVisible) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, layer := range attestation.Layers {
			found = append(found, encodeAttachment(layer))
		}
	}
	return found, nil
}

// firstNames returns the first maxAnnotations names of a map in order.
func firstNames(texts map[string]string) []string {
	names := slices.Sorted(maps.Keys(texts))
	return names[:min(len(names), maxAnnotations)]
}
