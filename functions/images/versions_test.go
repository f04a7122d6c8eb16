package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/testkit/webtest"
	"portside/testclient/scale"
)

// registryModel is a naive model of the contents of a registry, and of the digests that a caller may fetch.
type registryModel struct {
	manifests map[string][]string // the digests in each manifest
	subjects  []string            // the manifests except attachments, in the order of their pushes
	digests   []string            // all, in the order of their pushes
	blobs     map[string]bool
	tags      map[string]string // the manifests of tags
	attached  map[string][]string
}

// leadsTo returns the digests to which a manifest leads, in any number of steps.
func (m registryModel) leadsTo(manifest string) map[string]bool {
	found := map[string]bool{}
	for next := []string{manifest}; len(next) > 0; next = next[1:] {
		if !found[next[0]] {
			found[next[0]] = true
			next = append(next, m.manifests[next[0]]...)
			next = append(next, m.attached[next[0]]...)
		}
	}
	return found
}

// permits reports whether a tag that the versions allow leads to a digest.
func (m registryModel) permits(versions entitlement.Versions, digest string) bool {
	checker := constraints.Of(entitlement.Set{{Versions: versions}})
	return slices.ContainsFunc(slices.Collect(maps.Keys(m.tags)), func(tag string) bool {
		return checker.Allow(tag) && m.leadsTo(m.tags[tag])[digest]
	})
}

// TestDigestsOfPermittedVersions requests digests of random registries in a random order, with new credentials, while
// tags move. A digest is served if and only if a permitted tag leads to it.
//
//proves:docs/security.md
func TestDigestsOfPermittedVersions(t *testing.T) {
	q := newFixture(t)
	q.company()
	run := 0
	rapid.Check(scale.ChecksOf(t, 4), func(rt *rapid.T) {
		run++
		r := &randomRegistry{fixture: q, t: rt, name: fmt.Sprintf("acme/r%d", run), registryModel: registryModel{
			manifests: map[string][]string{}, blobs: map[string]bool{}, tags: map[string]string{},
			attached: map[string][]string{},
		}}
		r.pushImages()
		rt.Repeat(map[string]func(*rapid.T){
			"push an index":      func(t *rapid.T) { r.t = t; r.pushIndex() },
			"push an attachment": func(t *rapid.T) { r.t = t; r.pushAttachment() },
			"request":            func(t *rapid.T) { r.t = t; r.request() },
		})
	})
}

type randomRegistry struct {
	*fixture
	registryModel

	t    *rapid.T
	name string
}

// pushImages pushes images without tags, which share layers.
func (r *randomRegistry) pushImages() {
	layers := make([]string, 6)
	for i := range layers {
		layers[i] = r.upstream.PushBlob(r.tb, r.name, fmt.Appendf(nil, "layer %d of %s", i, r.name))
		r.addBlob(layers[i])
	}
	for i := range 4 {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(layers), 1, 3, rapid.ID).Draw(r.t, "layers")
		config := r.upstream.PushBlob(r.tb, r.name, fmt.Appendf(nil, `{"config":"%d of %s"}`, i, r.name))
		r.addBlob(config)
		r.addManifest(r.push("", config, "", chosen...), append(chosen, config))
	}
}

func (r *randomRegistry) addBlob(digest string) {
	if !r.blobs[digest] {
		r.digests = append(r.digests, digest)
	}
	r.blobs[digest] = true
}

func (r *randomRegistry) addManifest(digest string, names []string) {
	if r.manifests[digest] == nil {
		r.digests, r.subjects = append(r.digests, digest), append(r.subjects, digest)
	}
	r.manifests[digest] = names
}

// push pushes a manifest with layers, which refers to a subject unless that is empty.
func (r *randomRegistry) push(tag, config, subject string, layers ...string) string {
	parts := make([]string, len(layers))
	for i, digest := range layers {
		parts[i] = fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":9}`, layerType, digest)
	}
	if subject != "" {
		subject = fmt.Sprintf(`"subject":{"mediaType":%q,"digest":%q,"size":9},`, manifestType, subject)
	}
	return r.manifest(r.name, tag, manifestType, fmt.Sprintf(
		`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":9},%s"layers":[%s]}`,
		manifestType, imageConfig, config, subject, strings.Join(parts, ",")))
}

// pushIndex pushes an index of some manifests under a new or an existing tag. The registry sends an event. For a new
// tag, the event may be missing; a request then finds the tag.
func (r *randomRegistry) pushIndex() {
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(r.subjects), 1, 3, rapid.ID).Draw(r.t, "manifests")
	tag := rapid.SampledFrom([]string{"1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1", "latest"}).Draw(r.t, "tag")
	listed := make([]string, len(chosen))
	for i, digest := range chosen {
		listed[i] = fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":9}`, manifestType, digest)
	}
	digest := r.manifest(r.name, tag, indexType,
		fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"manifests":[%s]}`, indexType, strings.Join(listed, ",")))
	_, isOld := r.tags[tag]
	r.tags[tag] = digest
	r.addManifest(digest, chosen)
	if isOld || rapid.Bool().Draw(r.t, "sends an event") {
		r.event(tag)
	}
	r.now = r.now.Add(indexedLife)
}

func (r *randomRegistry) event(tag string) {
	if err := r.gateway.indexer.Index(r.tb.Context(), r.name, tag); err != nil {
		r.t.Fatal(err)
	}
}

// pushAttachment attaches a signature to a manifest, as cosign or as a referrer. The registry sends an event for it.
func (r *randomRegistry) pushAttachment() {
	subject := rapid.SampledFrom(r.subjects).Draw(r.t, "subject")
	layer := r.upstream.PushBlob(r.tb, r.name, fmt.Appendf(nil, "signature of %s", subject))
	var digest string
	if rapid.Bool().Draw(r.t, "is a tag") {
		tag := strings.Replace(subject, ":", "-", 1) + ".sig"
		digest = r.push(tag, layer, "", layer)
		r.event(tag)
	} else {
		digest = r.push("", layer, subject, layer)
		if err := r.gateway.indexer.IndexDigest(r.tb.Context(), r.name, digest); err != nil {
			r.t.Fatal(err)
		}
	}
	r.addBlob(layer)
	if !slices.Contains(r.attached[subject], digest) {
		r.attached[subject] = append(r.attached[subject], digest, layer)
		r.digests = append(r.digests, digest)
	}
}

func (r *randomRegistry) request() {
	text := rapid.SampledFrom([]string{"^1.0.0", "^2.0.0", "1.1.0", ">=1.0.0-0", "*"}).Draw(r.t, "versions")
	versions, err := constraints.Parse(text)
	if err != nil {
		r.t.Fatal(err)
	}
	r.entitle("image " + r.name + " " + text)
	c := r.member("read:docker-images").With("Accept", manifestType+","+indexType)
	for _, digest := range rapid.SliceOfN(rapid.SampledFrom(r.digests), 1, 8).Draw(r.t, "digests") {
		r.wantServed(c, digest, text == "*" || r.permits(versions, digest), text)
	}
}

func (r *randomRegistry) wantServed(c webtest.Client, digest string, want bool, versions string) {
	kind := "manifests"
	if r.blobs[digest] {
		kind = "blobs"
	}
	got := c.Get("/v2/" + r.name + "/" + kind + "/" + digest).Status
	if isServed := got == http.StatusOK || got == http.StatusTemporaryRedirect; isServed != want {
		r.t.Fatalf("%s %s for %s: status %d, want served: %v (tags %v)", kind, digest, versions, got, want, r.tags)
	}
}
