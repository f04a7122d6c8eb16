package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"portside/shared/core/constraints"
	"portside/shared/core/parallel"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
)

// reachedManifest is a manifest that the caller may fetch.
type reachedManifest struct {
	imagesecr.Response

	isChart bool // whether the manifest describes a chart
}

func (m reachedManifest) found() images.FoundManifest {
	return images.FoundManifest{Digest: m.Digest(), Body: m.Body}
}

// fetchPermitted returns the target, a manifest, in a media type that the client accepts. Errors: those that mean
// "unknown", also for a manifest that the caller may not fetch.
func (g *gateway) fetchPermitted(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	if c.reach.IsEverything() {
		return g.fetch(ctx, c, accept)
	}
	stored, err := g.findPermitted(ctx, c)
	if err != nil || stored.IsAccepted(accept) {
		return stored, err
	}
	found, err := g.fetch(ctx, c, accept) // the registry may convert it, or choose one manifest of a list
	if err == nil && stored.isChart && !found.isChart {
		err = images.ErrManifestUnknown // the tag has moved in between
	}
	return found, err
}

// findPermitted returns the target as the registry stores it, and puts it into the index. The index is for all clients,
// so nothing in it may depend on what one of them accepts.
func (g *gateway) findPermitted(ctx context.Context, c call) (reachedManifest, error) {
	subject, isAttachment := images.DigestOf(c.target.Reference)
	switch {
	case isAttachment:
		return g.reachAttachment(ctx, c, subject)
	case c.target.ByTag():
		return g.reachTag(ctx, c)
	default:
		return g.reachDigest(ctx, c)
	}
}

// reachAttachment returns the artifacts under an attachment tag if the caller may fetch the digest to which they
// belong.
func (g *gateway) reachAttachment(ctx context.Context, c call, subject string) (reachedManifest, error) {
	if err := g.requireManifest(ctx, c, subject); err != nil {
		return reachedManifest{}, err
	}
	found, err := g.fetch(ctx, c, manifestTypes)
	if err == nil {
		err = g.attach(ctx, c, subject, found.found())
	}
	return found, err
}

// reachTag returns a manifest by its tag. It sends no request to the registry for a tag that the caller may not fetch
// in any case.
func (g *gateway) reachTag(ctx context.Context, c call) (reachedManifest, error) {
	if !c.reach.HasTag(c.target.Reference, true) {
		return reachedManifest{}, images.ErrManifestUnknown
	}
	found, err := g.fetch(ctx, c, manifestTypes)
	if (err == nil || errors.Is(err, images.ErrLarge)) && !c.reach.HasTag(c.target.Reference, found.isChart) {
		err = images.ErrManifestUnknown
	}
	if err == nil {
		err = g.put(ctx, c, images.Version{Tag: c.target.Reference, IsChart: found.isChart}, found)
	}
	return found, err
}

// reachDigest returns a manifest by its digest. A chart without a tag is only for callers who may fetch all charts. A
// caller who may not fetch the digest never gets the registry's error about it, which differs for a digest that is not
// a manifest's.
func (g *gateway) reachDigest(ctx context.Context, c call) (reachedManifest, error) {
	if c.reach.HasAllVersions(true) {
		found, err := g.fetch(ctx, c, manifestTypes)
		if err == nil && found.isChart {
			return found, g.put(ctx, c, images.Version{IsChart: true}, found)
		}
	}
	isPermitted, err := g.hasVersion(ctx, c, c.target.Reference, func(ctx context.Context) bool {
		_, err := g.fetch(ctx, c, manifestTypes)
		return images.IsUnknown(err)
	})
	if err == nil && !isPermitted {
		err = images.ErrManifestUnknown
	}
	if err != nil {
		return reachedManifest{}, err
	}
	return g.fetch(ctx, c, manifestTypes)
}

func (g *gateway) fetch(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	answer, err := g.manifests.Fetch(ctx, c.target, accept)
	found := reachedManifest{Response: answer}
	found.isChart = found.found().IsChart()
	return found, err
}

// requireManifest returns an error that means "unknown" unless the caller may fetch the manifest with the digest from
// the target's repository.
func (g *gateway) requireManifest(ctx context.Context, c call, digest string) error {
	c.target = images.Target{Kind: images.Manifest, Repository: c.target.Repository, Reference: digest}
	_, err := g.reachDigest(ctx, c)
	return err
}

// hasVersion reports whether the caller may fetch a version that contains the digest. If the index has no such version,
// hasVersion indexes the missing tags, unless isUnknown reports that the registry does not have the digest.
func (g *gateway) hasVersion(ctx context.Context, c call, digest string, isUnknown func(context.Context) bool) (bool, error) {
	isPermitted, err := g.indexer.Versions.Any(ctx, c.target.Repository, digest, c.reach.Has)
	if err != nil || isPermitted {
		return isPermitted, err
	}
	tags, err := g.missingTags(ctx, c)
	if err != nil || len(tags) == 0 || isUnknown(ctx) {
		return false, err
	}
	for part := range slices.Chunk(tags, indexedOnce) {
		err := parallel.Each(len(part), maxConcurrentCalls, func(i int) error { return g.index(ctx, c.target.Repository, part[i]) })
		if err != nil {
			return false, err
		}
		isPermitted, err := g.indexer.Versions.Any(ctx, c.target.Repository, digest, c.reach.Has)
		if err != nil || isPermitted {
			return isPermitted, err
		}
	}
	return false, nil
}

// Limits of the versions that one request puts into the index, and of the memory of a function for them, at most 2 MB.
const (
	maxIndexed      = 80 // tags, newest first; the next request indexes more
	indexedOnce     = 16 // tags between two checks of the index
	indexedLife     = time.Minute
	maxIndexedNames = 4_000
	maxTagLists     = 32
)

// missingTags returns the tags of the target's repository that the caller may fetch and that are not in the index,
// newest first. Tags are missing if the events of the registry are late or were lost. An unknown repository has no
// tags.
func (g *gateway) missingTags(ctx context.Context, c call) ([]string, error) {
	all, isKept := g.tagLists.Get(c.target.Repository)
	if !isKept {
		var err error
		if all, err = g.allTags(ctx, c.target.Repository); err != nil {
			return nil, ignoreUnknown(err)
		}
		slices.SortFunc(all, constraints.NewestFirst) // before the cache, because sorting is slow
		g.tagLists.Put(c.target.Repository, all)
	}
	known, err := g.indexer.Versions.Tags(ctx, c.target.Repository)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, tag := range all {
		_, isIndexed := g.indexed.Get(indexedName{c.target.Repository, tag})
		if len(missing) < maxIndexed && !isIndexed && !known[tag] && isVisibleTag(c, tag, true) {
			missing = append(missing, tag)
		}
	}
	if len(missing) > 0 && c.reach.IsOnlyCharts() {
		if err := g.requireCharts(ctx, c); err != nil {
			return nil, ignoreUnknown(err)
		}
	}
	return missing, nil
}

func ignoreUnknown(err error) error {
	if images.IsUnknown(err) {
		return nil
	}
	return err
}

// indexedName is a tag or digest that this function put into the index.
type indexedName struct{ repository, name string }

// index puts a tag into the index.
func (g *gateway) index(ctx context.Context, repository, tag string) error {
	err := g.unlessFull(ctx, repository, g.indexer.Index(ctx, repository, tag))
	if err == nil {
		g.indexed.Put(indexedName{repository, tag}, "")
	}
	return err
}

// put puts a version with its manifest into the index, unless this instance has just done so.
func (g *gateway) put(ctx context.Context, c call, version images.Version, found reachedManifest) error {
	name := indexedName{c.target.Repository, c.target.Reference}
	if digest, isIndexed := g.indexed.Get(name); isIndexed && digest == found.Digest() {
		return nil
	}
	err := g.unlessFull(ctx, c.target.Repository, g.indexer.Put(ctx, c.target.Repository, version, found.found()))
	if err == nil {
		g.indexed.Put(name, found.Digest())
	}
	return err
}

// unlessFull returns the error unless it means that the index is full. It logs that once in a minute. Tags are then
// served as before, because their permission needs no index; for digests of new versions, it is as if they did not
// exist.
func (g *gateway) unlessFull(ctx context.Context, repository string, err error) error {
	if !errors.Is(err, images.ErrIndexFull) {
		return err
	}
	logged := indexedName{repository: repository}
	if _, isLogged := g.indexed.Get(logged); !isLogged {
		g.indexed.Put(logged, "")
		slog.ErrorContext(ctx, "a version could not be indexed", "repository", repository, "error", err)
	}
	return nil
}

// attach puts an attachment of a subject into the index: a manifest, or a list of manifests.
func (g *gateway) attach(ctx context.Context, c call, subject string, found images.FoundManifest) error {
	name := indexedName{c.target.Repository, fmt.Sprintf("%s<%x", subject, sha256.Sum256(found.Body))}
	if _, isIndexed := g.indexed.Get(name); isIndexed {
		return nil
	}
	err := g.indexer.PutAttachment(ctx, c.target.Repository, subject, found)
	if err == nil {
		g.indexed.Put(name, "")
	}
	return err
}
