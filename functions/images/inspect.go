package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/parallel"
	"portside/shared/core/text"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// Limits that keep a response small for any manifest.
const (
	maxPlatforms      = 32
	maxAnnotations    = 100
	maxTextCharacters = 2000
	maxConfigBytes    = 512 << 10
)

// ImagePlatform is an operating system and processor for which an image is available.
type ImagePlatform struct {
	Platform string `json:"platform" example:"linux/arm64/v8"`
	Digest   string `json:"digest" doc:"Digest of the platform's manifest." example:"sha256:…"`
	Size     *int64 `json:"size" doc:"Bytes that a client downloads; null if unknown." example:"3415064"`
	Layers   *int   `json:"layers" doc:"Number of layers; null if unknown." example:"4"`
}

// ImageChart is the chart that a manifest describes.
type ImageChart struct {
	Name        string `json:"name" example:"product"`
	Version     string `json:"version" example:"1.2.0"`
	AppVersion  string `json:"appVersion" doc:"Version of the packaged product; empty if the chart has none." example:"4.1"`
	Description string `json:"description" example:"Runs the product in a cluster."`
}

// ImageManifest describes a manifest, its platforms or chart, and the artifacts that are attached to it.
type ImageManifest struct {
	Repository   string            `json:"repository" example:"acme/api"`
	Reference    string            `json:"reference" doc:"The requested tag or digest." example:"1.2.0"`
	Digest       string            `json:"digest" example:"sha256:…"`
	MediaType    string            `json:"mediaType" example:"application/vnd.oci.image.index.v1+json"`
	ArtifactType *string           `json:"artifactType" doc:"Type of an artifact; null for images."`
	Content      images.Content    `json:"content" enum:"image,index,chart,artifact" doc:"image is for one platform. index is a list of manifests, usually of an image for several platforms."`
	Size         *int64            `json:"size" doc:"Bytes that a client downloads; null for an index, where each platform has a size." example:"3415064"`
	Layers       *int              `json:"layers" doc:"Number of layers; null for an index." example:"4"`
	CreatedAt    *time.Time        `json:"createdAt" doc:"When it was built, as its author says; null if unknown. UTC."`
	Platforms    []ImagePlatform   `json:"platforms" doc:"At most 32. Empty for charts and artifacts."`
	Chart        *ImageChart       `json:"chart,omitempty" doc:"The chart; missing for other contents."`
	Annotations  map[string]string `json:"annotations" doc:"Annotations of the manifest, at most 100; long texts are cut."`
	Labels       map[string]string `json:"labels" doc:"Labels of the image, at most 100; long texts are cut. Empty for an index, where each platform has labels."`
	Attached     []ImageAttachment `json:"attached" doc:"Signatures, SBOMs and other artifacts that refer to this manifest, at most 100."`
}

type getManifestInput struct {
	RepositoryInput
	Reference string `query:"reference" required:"true" pattern:"^([A-Za-z0-9_][A-Za-z0-9._-]{0,127}|sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$" patternDescription:"a tag or a digest, such as sha256: followed by 64 hexadecimal digits" doc:"A tag or digest." example:"1.2.0"`
}

type getManifestOutput struct {
	Body struct {
		Data ImageManifest `json:"data"`
	}
}

var getManifest = huma.Operation{
	OperationID: "getImageManifest", Tags: []string{"Images"},
	Summary: "Describe an image or chart",
	Description: "Returns what a manifest describes: platforms, sizes, labels, and the signatures and SBOMs that refer to it. This does " +
		"not count as a pull. " + seen,
	Errors: []int{http.StatusNotFound},
}

func (c *catalog) getManifest(ctx context.Context, in *getManifestInput) (*getManifestOutput, error) {
	target := images.Target{Kind: images.Manifest, Repository: in.Repository, Reference: in.Reference}
	seen, err := c.visiblePart(ctx, target)
	if err != nil {
		return nil, err
	}
	reached, err := c.gateway.fetchPermitted(ctx, seen, manifestTypes)
	if err != nil {
		return nil, maskMissing(err)
	}
	found, err := parseManifest(reached.Response)
	if err != nil {
		return nil, err
	}
	out := &getManifestOutput{}
	out.Body.Data = encodeManifest(found.Document)
	out.Body.Data.Repository, out.Body.Data.Reference, out.Body.Data.Digest = in.Repository, in.Reference, found.digest
	d := manifestDescriber{storedManifest: found, catalog: c, repository: in.Repository, response: &out.Body.Data}
	return out, d.complete(ctx)
}

// storedManifest is a manifest in the registry.
type storedManifest struct {
	images.Document
	digest  string
	isChart bool // by the rule for credentials that may pull only charts
}

// readManifest returns a manifest.
func (c *catalog) readManifest(ctx context.Context, repository, reference string) (storedManifest, error) {
	target := images.Target{Kind: images.Manifest, Repository: repository, Reference: reference}
	answer, err := c.gateway.manifests.Fetch(ctx, target, manifestTypes)
	if err != nil {
		return storedManifest{}, err
	}
	return parseManifest(answer)
}

func parseManifest(answer imagesecr.Response) (storedManifest, error) {
	document, err := images.ParseDocument(answer.Body)
	if document.MediaType == "" {
		document.MediaType = answer.Header.Get("Content-Type")
	}
	_, isChart := images.ChartBlobs(answer.Body)
	return storedManifest{Document: document, digest: answer.Digest(), isChart: isChart}, err
}

func encodeManifest(d images.Document) ImageManifest {
	m := ImageManifest{
		MediaType: shorten(d.MediaType), ArtifactType: web.NullIfZero(shorten(d.ArtifactType)), Content: d.Content(),
		CreatedAt: web.NullIfZero(images.ParseTime(d.Annotations["org.opencontainers.image.created"])), Platforms: []ImagePlatform{},
		Annotations: shortenAll(d.Annotations), Labels: map[string]string{}, Attached: []ImageAttachment{},
	}
	if m.Content != images.Index {
		size, layers := d.Size(), len(d.Layers)
		m.Size, m.Layers = &size, &layers
	}
	return m
}

// manifestDescriber fills in the response for one manifest.
type manifestDescriber struct {
	storedManifest
	catalog    *catalog
	repository string
	response   *ImageManifest
}

// complete adds data from referenced manifests and blobs.
func (m manifestDescriber) complete(ctx context.Context) error {
	for _, add := range []func(context.Context) error{m.addConfig, m.addPlatforms, m.addAttached} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addConfig adds the configuration of an image or chart. If the configuration is missing or too large, its fields stay
// empty.
func (m manifestDescriber) addConfig(ctx context.Context) error {
	content, config := m.Content(), m.Config
	if content == images.Index || content == images.Artifact || !images.IsDigest(config.Digest) {
		return nil
	}
	body, err := m.catalog.gateway.registry.ReadBlob(ctx, m.repository, config, maxConfigBytes)
	if errors.Is(err, images.ErrLarge) || errors.Is(maskMissing(err), images.ErrNotVisible) {
		return nil
	}
	if err != nil {
		return err
	}
	parsed := images.ParseConfig(body)
	if content == images.Chart {
		m.response.Chart = &ImageChart{
			Name: shorten(parsed.Name), Version: shorten(parsed.Version), AppVersion: shorten(parsed.AppVersion),
			Description: shorten(parsed.Description),
		}
		return nil
	}
	m.response.Labels = shortenAll(parsed.Labels)
	if !parsed.Created.IsZero() {
		m.response.CreatedAt = &parsed.Created
	}
	m.response.Platforms = []ImagePlatform{
		{Platform: nameOf(parsed.Platform), Digest: m.digest, Size: m.response.Size, Layers: m.response.Layers},
	}
	return nil
}

// addPlatforms adds the platforms of an index, which it reads from the manifests that the index lists.
func (m manifestDescriber) addPlatforms(ctx context.Context) error {
	var listed []images.Descriptor
	for _, d := range m.Manifests {
		if !d.IsAttestation() && images.IsDigest(d.Digest) && len(listed) < maxPlatforms {
			listed = append(listed, d)
		}
	}
	platforms := make([]ImagePlatform, len(listed))
	err := parallel.Each(len(listed), maxConcurrentCalls, func(i int) (err error) {
		platforms[i], err = m.platform(ctx, listed[i])
		return err
	})
	m.response.Platforms = append(m.response.Platforms, platforms...)
	return err
}

func (m manifestDescriber) platform(ctx context.Context, d images.Descriptor) (ImagePlatform, error) {
	platform := ImagePlatform{Platform: nameOf(d.Platform), Digest: d.Digest}
	found, err := m.catalog.readManifest(ctx, m.repository, d.Digest)
	if err != nil && (errors.Is(err, images.ErrDocument) || errors.Is(maskMissing(err), images.ErrNotVisible)) {
		return platform, nil // a registry can store an index without the manifests that it lists
	}
	if err == nil && found.Content() != images.Index {
		size, layers := found.Size(), len(found.Layers)
		platform.Size, platform.Layers = &size, &layers
	}
	return platform, err
}

// nameOf returns the name of a platform as clients write it, or "unknown".
func nameOf(p images.Platform) string {
	if p.OS == "" && p.Architecture == "" {
		return "unknown"
	}
	name := p.OS + "/" + p.Architecture
	if p.Variant != "" {
		name += "/" + p.Variant
	}
	if p.OSVersion != "" {
		name += " (" + p.OSVersion + ")"
	}
	return shorten(name)
}

func shorten(s string) string { return text.Shorten(s, maxTextCharacters) }

// shortenAll keeps the first maxAnnotations entries by name, and shortens their names and values.
func shortenAll(texts map[string]string) map[string]string {
	short := make(map[string]string, min(len(texts), maxAnnotations))
	for _, name := range firstNames(texts) {
		short[shorten(name)] = shorten(texts[name])
	}
	return short
}
