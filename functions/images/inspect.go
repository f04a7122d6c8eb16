package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/parallel"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// Limits of what one response describes, so that it stays small whatever a manifest contains.
const (
	maxPlatforms   = 32
	maxAnnotations = 100
	maxText        = 2000      // characters
	maxSettings    = 512 << 10 // bytes of a configuration
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
	Description string `json:"description"`
}

// ImageManifest is a manifest with what belongs to it.
type ImageManifest struct {
	Repository   string            `json:"repository" example:"acme/api"`
	Reference    string            `json:"reference" doc:"The tag or digest that was asked for." example:"1.2.0"`
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
	Reference string `query:"reference" required:"true" maxLength:"256" doc:"A tag or digest." example:"1.2.0"`
}

// Resolve implements huma.Resolver.
func (in *getManifestInput) Resolve(huma.Context) []error {
	if images.IsTag(in.Reference) || images.IsDigest(in.Reference) {
		return nil
	}
	return web.Failures([]fault.Field{{Pointer: "query/reference", Detail: "must be a tag, or sha256: and 64 hexadecimal digits"}})
}

type getManifestOutput struct {
	Body struct {
		Data ImageManifest `json:"data"`
	}
}

func (c *catalog) getManifest(ctx context.Context, in *getManifestInput) (*getManifestOutput, error) {
	reach, err := c.reach(ctx, in.Repository)
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, in.Repository, in.Reference)
	if err != nil {
		return nil, hide(err)
	}
	if reach == images.ChartsOnly && !found.isChart {
		return nil, images.ErrNotSeen
	}
	out := &getManifestOutput{}
	out.Body.Data = encodeManifest(found.Document)
	out.Body.Data.Repository, out.Body.Data.Reference, out.Body.Data.Digest = in.Repository, in.Reference, found.digest
	m := manifest{stored: found, catalog: c, repository: in.Repository, shown: &out.Body.Data}
	return out, m.complete(ctx)
}

// stored is a manifest in the registry.
type stored struct {
	images.Document
	digest  string
	isChart bool // by the rule for credentials that may fetch only charts
}

// read returns a manifest.
func (c *catalog) read(ctx context.Context, repository, reference string) (stored, error) {
	answer, err := c.gateway.registry.Fetch(ctx, imagesecr.Request{
		Method: http.MethodGet, Accept: manifestTypes,
		Target: images.Target{Kind: images.Manifest, Repository: repository, Reference: reference},
	})
	if err != nil {
		return stored{}, err
	}
	document, err := images.ParseDocument(answer.Body)
	if document.MediaType == "" {
		document.MediaType = answer.Header.Get("Content-Type")
	}
	_, isChart := images.ChartBlobs(answer.Body)
	return stored{Document: document, digest: digestOf(answer), isChart: isChart}, err
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

// manifest is a manifest whose description is being completed.
type manifest struct {
	stored
	catalog    *catalog
	repository string
	shown      *ImageManifest
}

// complete adds what other manifests and blobs say.
func (m manifest) complete(ctx context.Context) error {
	parts := []func(context.Context) error{m.addSettings, m.addPlatforms, m.addAttached}
	if m.Content() == images.Index {
		parts = parts[1:]
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addSettings reads the configuration of an image or chart. One that is too large, or missing, leaves its fields empty.
func (m manifest) addSettings(ctx context.Context) error {
	content, config := m.Content(), m.Config
	if content == images.Artifact || !images.IsDigest(config.Digest) {
		return nil
	}
	body, err := m.catalog.gateway.registry.ReadBlob(ctx, m.repository, config, maxSettings)
	if errors.Is(err, images.ErrLarge) || errors.Is(hide(err), images.ErrNotSeen) {
		return nil
	}
	if err != nil {
		return err
	}
	settings := images.ParseSettings(body)
	if content == images.Chart {
		m.shown.Chart = &ImageChart{
			Name: shorten(settings.Name), Version: shorten(settings.Version), AppVersion: shorten(settings.AppVersion),
			Description: shorten(settings.Description),
		}
		return nil
	}
	m.shown.Labels = shortenAll(settings.Labels)
	if !settings.Created.IsZero() {
		m.shown.CreatedAt = &settings.Created
	}
	m.shown.Platforms = []ImagePlatform{
		{Platform: nameOf(settings.Platform), Digest: m.digest, Size: m.shown.Size, Layers: m.shown.Layers},
	}
	return nil
}

// addPlatforms reads the manifests of an index.
func (m manifest) addPlatforms(ctx context.Context) error {
	var listed []images.Descriptor
	for _, d := range m.Manifests {
		if !d.IsAttestation() && images.IsDigest(d.Digest) && len(listed) < maxPlatforms {
			listed = append(listed, d)
		}
	}
	platforms := make([]ImagePlatform, len(listed))
	err := parallel.Each(len(listed), maxCalls, func(i int) (err error) {
		platforms[i], err = m.platform(ctx, listed[i])
		return err
	})
	m.shown.Platforms = append(m.shown.Platforms, platforms...)
	return err
}

func (m manifest) platform(ctx context.Context, d images.Descriptor) (ImagePlatform, error) {
	shown := ImagePlatform{Platform: nameOf(d.Platform), Digest: d.Digest}
	found, err := m.catalog.read(ctx, m.repository, d.Digest)
	if err != nil && (errors.Is(err, images.ErrDocument) || errors.Is(hide(err), images.ErrNotSeen)) {
		return shown, nil // registries accept an index without its manifests
	}
	if err == nil && found.Content() != images.Index {
		size, layers := found.Size(), len(found.Layers)
		shown.Size, shown.Layers = &size, &layers
	}
	return shown, err
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

// shorten cuts a text to maxText characters.
func shorten(text string) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}

// shortenAll cuts a map to maxAnnotations entries, which are the first by name, and cuts their texts.
func shortenAll(texts map[string]string) map[string]string {
	short := make(map[string]string, min(len(texts), maxAnnotations))
	for _, name := range firstNames(texts) {
		short[shorten(name)] = shorten(texts[name])
	}
	return short
}
