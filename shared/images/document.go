package images

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"portside/shared/core/fault"
)

// ErrNotVisible is returned for everything that does not exist or that the viewer may not see, so
// that the two cannot be distinguished.
var ErrNotVisible = fault.New(fault.NotFound, "There is no such repository, tag or digest, or none of your working tokens and passwords "+
	"may download it. GET /v1/images lists the repositories that you can see.")

// ErrDocument means that a manifest is not JSON.
var ErrDocument = fault.New(fault.Unavailable, "The registry has a manifest that cannot be read.")

// Document is a manifest or a list of manifests (an index), as far as the portal shows it.
type Document struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType"`
	Subject      Descriptor        `json:"subject"` // the manifest to which this one is attached
	Config       Descriptor        `json:"config"`
	Layers       []Descriptor      `json:"layers"`
	Manifests    []Descriptor      `json:"manifests"`
	Annotations  map[string]string `json:"annotations"`
}

// Descriptor refers to a blob or manifest.
type Descriptor struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType"`
	Digest       string            `json:"digest"`
	Size         int64             `json:"size"`
	Platform     Platform          `json:"platform"`
	Annotations  map[string]string `json:"annotations"`
}

// Platform is the operating system and processor for which an image is made.
type Platform struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Variant      string `json:"variant"`
	OSVersion    string `json:"os.version"`
}

// ParseDocument decodes a manifest or index. Fields of a wrong type are empty. Errors: ErrDocument for
// text that is not JSON.
func ParseDocument(body []byte) (Document, error) {
	var d Document
	err := json.Unmarshal(body, &d)
	if _, isPartial := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !isPartial {
		return Document{}, fmt.Errorf("%w: %w", ErrDocument, err)
	}
	return d, nil
}

// maxReferences is far above the layers of an image, of which Docker allows 127, and the platforms of an index.
const maxReferences = 500

// References returns the digests that a document names, without those of its annotations: of the configuration, the
// layers and the listed manifests, each once. It returns at most maxReferences.
func (d Document) References() []string {
	var digests []string
	for _, one := range slices.Concat([]Descriptor{d.Config}, d.Layers, d.Manifests) {
		if IsDigest(one.Digest) && !slices.Contains(digests, one.Digest) && len(digests) < maxReferences {
			digests = append(digests, one.Digest)
		}
	}
	return digests
}

// Content is what a document describes.
type Content string

// The contents.
const (
	Image    Content = "image"    // for one platform
	Index    Content = "index"    // images for several platforms, or any other list of manifests
	Chart    Content = "chart"    // a Helm chart
	Artifact Content = "artifact" // anything else
)

// imageConfigs are the media types of the configurations of images.
var imageConfigs = map[string]bool{
	"application/vnd.oci.image.config.v1+json":       true,
	"application/vnd.docker.container.image.v1+json": true,
}

// Content returns what the document describes.
func (d Document) Content() Content {
	switch {
	case d.Config.Digest == "":
		return Index
	case d.Config.MediaType == chartConfig:
		return Chart
	case imageConfigs[d.Config.MediaType] && d.ArtifactType == "":
		return Image
	default:
		return Artifact
	}
}

// Size returns the number of bytes that a client downloads for a manifest, without the manifest.
func (d Document) Size() int64 {
	total := d.Config.Size
	for _, layer := range d.Layers {
		total += layer.Size
	}
	return total
}

// Config has the parts of the configuration of an image or chart that the portal shows.
type Config struct {
	Platform
	Created time.Time         // zero if unknown
	Labels  map[string]string // of an image

	Name, Version, AppVersion, Description string // of a chart
}

// ParseConfig decodes a configuration. Fields that cannot be decoded are empty, because OCI does not
// define the configuration of artifacts.
func ParseConfig(body []byte) Config {
	var file struct {
		Platform
		Created string `json:"created"`
		Config  struct {
			Labels map[string]string `json:"Labels"`
		} `json:"config"`
		Name        string `json:"name"`
		Version     string `json:"version"`
		AppVersion  string `json:"appVersion"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal(body, &file) // fields that could be decoded are kept
	return Config{
		Platform: file.Platform, Created: ParseTime(file.Created), Labels: file.Config.Labels,
		Name: file.Name, Version: file.Version, AppVersion: file.AppVersion, Description: file.Description,
	}
}

// ParseTime parses a time in a configuration or annotation. It returns the zero time for text that is
// not a time, for times up to the Unix epoch (reproducible builds write the epoch instead of a time),
// and for times after the year 9999.
func ParseTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if at = at.UTC(); err != nil || at.Unix() <= 0 || at.Year() > maxYear {
		return time.Time{}
	}
	return at
}

// maxYear is the last year that RFC 3339 can express.
const maxYear = 9999

// Purpose is what an attached artifact is for.
type Purpose string

// The purposes.
const (
	Signature   Purpose = "signature"
	SBOM        Purpose = "sbom"        // a list of the software inside
	Attestation Purpose = "attestation" // another signed statement, such as how it was built
	Other       Purpose = "other"
)

// Annotations with the type of an attached artifact.
const (
	sigstorePredicate = "dev.sigstore.bundle.predicateType"
	inTotoPredicate   = "in-toto.io/predicate-type"
	buildkitType      = "vnd.docker.reference.type"
)

// attachments recognizes attached artifacts by a part of their type. The first match counts.
var attachments = []struct {
	part    string
	purpose Purpose
	format  string
}{
	{"sigstore.dev/cosign/sign", Signature, "Cosign"},
	{"spdx", SBOM, "SPDX"},
	{"cyclonedx", SBOM, "CycloneDX"},
	{"vnd.syft", SBOM, "Syft"},
	{"cosign.artifact.sbom", SBOM, "Cosign"},
	{"slsa.dev/provenance", Attestation, "SLSA provenance"},
	{"in-toto", Attestation, "in-toto"},
	{"sigstore.bundle", Signature, "Sigstore"},
	{"dev.cosignproject.cosign", Signature, "Cosign"},
	{"cosign.artifact.sig", Signature, "Cosign"},
	{"cosign.simplesigning", Signature, "Cosign"},
	{"vnd.cncf.notary", Signature, "Notation"},
}

// Attached returns what an attached artifact is for, and its format or "". Predicate types come first,
// because they are more specific than the type of the envelope.
func Attached(d Descriptor) (Purpose, string) {
	for _, kind := range []string{d.Annotations[sigstorePredicate], d.Annotations[inTotoPredicate], d.ArtifactType,
		d.MediaType} {
		kind = strings.ToLower(kind)
		for _, known := range attachments {
			if kind != "" && strings.Contains(kind, known.part) {
				return known.purpose, known.format
			}
		}
	}
	return Other, ""
}

// IsAttestation reports whether a manifest in an index is a BuildKit attestation.
func (d Descriptor) IsAttestation() bool {
	return d.Annotations[buildkitType] == "attestation-manifest"
}

// attachmentTag matches tags under which clients store attached artifacts: "sha256-<hex>" in
// registries without referrers. Cosign adds a suffix.
var attachmentTag = regexp.MustCompile(`^sha(?:256-[0-9a-f]{64}|512-[0-9a-f]{128})(?:\.(?:sig|att|sbom))?$`)

// IsAttachmentTag reports whether a tag only points to attached artifacts.
func IsAttachmentTag(tag string) bool { return attachmentTag.MatchString(tag) }

// DigestOf returns the digest to which the artifacts under an attachment tag belong, or false for any other tag.
func DigestOf(tag string) (string, bool) {
	if !IsAttachmentTag(tag) {
		return "", false
	}
	name, _, _ := strings.Cut(tag, ".")
	return strings.Replace(name, "-", ":", 1), true
}

// CosignTags returns the tags under which Cosign stores what belongs to a digest, each with its
// purpose.
func CosignTags(digest string) map[string]Purpose {
	prefix := strings.Replace(digest, ":", "-", 1)
	return map[string]Purpose{prefix + ".sig": Signature, prefix + ".att": Attestation, prefix + ".sbom": SBOM}
}

// IsDigest reports whether the text is a valid digest.
func IsDigest(text string) bool { return digest.MatchString(text) }
