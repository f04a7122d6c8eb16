package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/entitlement"
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

// reach returns the target, a manifest. Errors: those that mean "unknown", also for a manifest that the caller may not fetch.
func (g *gateway) reach(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	subject, isAttachment := images.DigestOf(c.target.Reference)
	switch {
	case c.reach.IsEverything():
		return g.fetch(ctx, c, accept)
	case isAttachment:
		return g.reachAttachment(ctx, c, subject, accept)
	case c.target.ByTag():
		return g.reachTag(ctx, c, accept)
	default:
		return g.reachDigest(ctx, c, accept)
	}
}

// reachAttachment returns the artifacts under an attachment tag if the caller may fetch the digest to which they belong.
func (g *gateway) reachAttachment(ctx context.Context, c call, subject string, accept []string) (reachedManifest, error) {
	if err := g.requireManifest(ctx, c, subject); err != nil {
		return reachedManifest{}, err
	}
	found, err := g.fetch(ctx, c, accept)
	if err == nil {
		err = g.attach(ctx, c, subject, found.found())
	}
	return found, err
}

// reachTag returns a manifest by its tag. It sends no request to the registry for a tag that the caller may not fetch in any case.
func (g *gateway) reachTag(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	if !c.reach.HasTag(c.target.Reference, true) {
		return reachedManifest{}, images.ErrManifestUnknown
	}
	found, err := g.fetch(ctx, c, accept)
	if err == nil && !c.reach.HasTag(c.target.Reference, found.isChart) {
		err = images.ErrManifestUnknown
	}
	if err == nil {
		err = g.put(ctx, c, images.Version{Tag: c.target.Reference, IsChart: found.isChart}, found)
	}
	return found, err
}

// reachDigest returns a manifest by its digest. A chart without a tag is only for callers who may fetch all charts.
func (g *gateway) reachDigest(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	found, err := g.fetch(ctx, c, accept)
	if err != nil {
		return reachedManifest{}, err
	}
	if c.reach.HasAllVersions(found.isChart) {
		return found, g.put(ctx, c, images.Version{IsChart: true}, found)
	}
	isPermitted, err := g.hasVersion(ctx, c, c.target.Reference, func(context.Context) error { return nil })
	if err == nil && !isPermitted {
		err = images.ErrManifestUnknown
	}
	return found, err
}

func (g *gateway) fetch(ctx context.Context, c call, accept []string) (reachedManifest, error) {
	answer, err := g.manifests.Fetch(ctx, c.target, accept)
	found := reachedManifest{Response: answer}
	found.isChart = found.found().IsChart()
	return found, err
}

// requireManifest returns an error that means "unknown" unless the caller may fetch the manifest with the digest from the target's
// repository.
func (g *gateway) requireManifest(ctx context.Context, c call, digest string) error {
	c.target = images.Target{Kind: images.Manifest, Repository: c.target.Repository, Reference: digest}
	_, err := g.reachDigest(ctx, c, manifestTypes)
	return err
}

// hasVersion reports whether the caller may fetch a version that contains the digest. If the index has no such version, hasVersion calls
// check, which returns an error if the registry does not have the digest, and then indexes the missing tags.
func (g *gateway) hasVersion(ctx context.Context, c call, digest string, check func(context.Context) error) (bool, error) {
	isPermitted, err := g.indexer.Versions.Any(ctx, c.target.Repository, digest, c.reach.Has)
	if err != nil || isPermitted {
		return isPermitted, err
	}
	tags, err := g.missingTags(ctx, c)
	if err != nil || len(tags) == 0 {
		return false, err
	}
	if err := check(ctx); err != nil {
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

// missingTags returns the tags of the target's repository that the caller may fetch and that are not in the index, newest first. Tags are
// missing if the events of the registry are late or were lost. An unknown repository has no tags.
func (g *gateway) missingTags(ctx context.Context, c call) ([]string, error) {
	all, isKept := g.tagLists.Get(c.target.Repository)
	if !isKept {
		var err error
		if all, err = g.allTags(ctx, c.target.Repository); err != nil {
			return nil, ignoreUnknown(err)
		}
		slices.SortFunc(all, entitlement.NewestFirst) // before the cache, because sorting is slow
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
	err := g.indexer.Index(ctx, repository, tag)
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
	err := g.indexer.Put(ctx, c.target.Repository, version, found.found())
	if err == nil {
		g.indexed.Put(name, found.Digest())
	}
	return err
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
