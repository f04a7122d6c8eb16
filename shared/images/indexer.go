package images

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"portside/shared/core/parallel"
)

// Indexer puts versions into a VersionIndex. It reads their contents from the registry.
type Indexer struct {
	Versions VersionIndex
	// Read returns the manifest under a tag or digest. Errors: those of this package.
	Read func(ctx context.Context, repository, reference string) (FoundManifest, error)
}

// FoundManifest is a manifest of the registry.
type FoundManifest struct {
	Digest string
	Body   []byte
}

// IsChart reports whether the manifest describes a chart.
func (m FoundManifest) IsChart() bool {
	_, isChart := ChartBlobs(m.Body)
	return isChart
}

// Limits of the contents of one version. An image rarely has more than ten platforms, each with an attestation.
const (
	maxManifests       = 100   // including those of nested indexes
	maxDigests         = 5_000 // including the manifests
	maxConcurrentReads = 8
)

// Index brings a tag in the index up to date with the registry. An attachment tag, such as sha256-….sig, adds to the
// versions of its subject.
func (x Indexer) Index(ctx context.Context, repository, tag string) error {
	found, err := x.Read(ctx, repository, tag)
	subject, isAttachment := DigestOf(tag)
	switch {
	case IsUnknown(err) && !isAttachment:
		return x.Versions.Remove(ctx, repository, tag)
	case IsUnknown(err) || errors.Is(err, ErrLarge):
		return nil
	case err != nil:
		return err
	case isAttachment:
		return x.PutAttachment(ctx, repository, subject, found)
	}
	return x.Put(ctx, repository, Version{Tag: tag, IsChart: found.IsChart()}, found)
}

// IndexAll brings all tags of a repository up to date. It removes tags that are in the index but not in the registry,
// also if the index is full. Errors: ErrIndexFull.
func (x Indexer) IndexAll(ctx context.Context, repository string, tags []string) error {
	known, err := x.Versions.Tags(ctx, repository)
	if err != nil {
		return err
	}
	for _, tag := range tags {
		known[tag] = true // Index removes those that no longer exist
	}
	all := slices.Sorted(maps.Keys(known))
	var isFull atomic.Bool
	err = parallel.Each(len(all), maxConcurrentReads, func(i int) error {
		err := x.Index(ctx, repository, all[i])
		if errors.Is(err, ErrIndexFull) {
			isFull.Store(true)
			return nil
		}
		return err
	})
	if err == nil && isFull.Load() {
		err = fmt.Errorf("%w: %s", ErrIndexFull, repository)
	}
	return err
}

// IndexDigest indexes a manifest that was pushed without a tag, if it is attached to another manifest.
func (x Indexer) IndexDigest(ctx context.Context, repository, digest string) error {
	found, err := x.Read(ctx, repository, digest)
	if IsUnknown(err) || errors.Is(err, ErrLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	document, err := ParseDocument(found.Body)
	if err != nil || !IsDigest(document.Subject.Digest) {
		return nil //nolint:nilerr // a manifest without a subject
	}
	return x.PutAttachment(ctx, repository, document.Subject.Digest, found)
}

// Put stores a version that leads to a manifest.
func (x Indexer) Put(ctx context.Context, repository string, version Version, found FoundManifest) error {
	if !IsDigest(found.Digest) {
		return nil // the registry sent no digest
	}
	return x.Versions.Put(ctx, repository, VersionContent{
		Version: version, Manifest: found.Digest, Digests: func() ([]string, error) { return x.digests(ctx, repository, found) },
	})
}

// PutAttachment adds an attached manifest and its digests to the versions of the subject.
func (x Indexer) PutAttachment(ctx context.Context, repository, subject string, found FoundManifest) error {
	digests, err := x.digests(ctx, repository, found)
	if err != nil {
		return err
	}
	return x.Versions.Attach(ctx, repository, subject, digests)
}

// digests returns the digest of a manifest and all digests that it refers to, also through other manifests. Each occurs
// once.
func (x Indexer) digests(ctx context.Context, repository string, root FoundManifest) ([]string, error) {
	digests, manifests := newDigestSet(maxDigests), newDigestSet(maxManifests)
	digests.add(root.Digest)
	for level := []FoundManifest{root}; len(level) > 0; {
		var below []string
		for _, manifest := range level {
			document, err := ParseDocument(manifest.Body)
			if err != nil {
				continue // a manifest without parts
			}
			for _, digest := range document.References() {
				digests.add(digest)
			}
			for _, listed := range document.Manifests {
				if manifests.add(listed.Digest) {
					below = append(below, listed.Digest)
				}
			}
		}
		var err error
		if level, err = x.readAll(ctx, repository, below); err != nil {
			return nil, err
		}
	}
	return digests.inOrder, nil
}

// digestSet keeps digests in the order in which they were added, at most max of them.
type digestSet struct {
	max     int
	known   map[string]bool
	inOrder []string
}

func newDigestSet(most int) *digestSet { return &digestSet{max: most, known: map[string]bool{}} }

func (s *digestSet) add(digest string) (isNew bool) {
	if !IsDigest(digest) || s.known[digest] || len(s.inOrder) == s.max {
		return false
	}
	s.known[digest] = true
	s.inOrder = append(s.inOrder, digest)
	return true
}

// readAll returns the manifests with the digests. It leaves out manifests that do not exist or are too large.
func (x Indexer) readAll(ctx context.Context, repository string, digests []string) ([]FoundManifest, error) {
	var lock sync.Mutex
	var all []FoundManifest
	err := parallel.Each(len(digests), maxConcurrentReads, func(i int) error {
		found, err := x.Read(ctx, repository, digests[i])
		if IsUnknown(err) || errors.Is(err, ErrLarge) {
			return nil
		}
		lock.Lock()
		defer lock.Unlock()
		all = append(all, found)
		return err
	})
	return all, err
}
