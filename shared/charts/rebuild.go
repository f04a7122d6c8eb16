package charts

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"portside/shared/core/parallel"
	"portside/shared/core/versions"
)

// concurrentReads is how many files a rebuild reads at the same time.
const concurrentReads = 8

// Rebuild creates the whole index from the published files, by the same rules as Sync, which may run at
// the same time. If the index is correct, Rebuild changes nothing. The returned outcomes are
// complete even if there is an error.
func (x *Indexer) Rebuild(ctx context.Context) ([]Outcome, error) {
	r := &rebuilding{Indexer: x, known: map[string]finding{}}
	err := x.retry(ctx, func() error { return r.run(ctx) })
	return r.done, err
}

// rebuilding is one call of Rebuild. Later attempts reuse the findings of earlier ones.
type rebuilding struct {
	*Indexer
	mu    sync.Mutex
	known map[string]finding
	done  []Outcome
}

// run is one attempt. It returns versions.ErrStale if the bucket has changed meanwhile. The order
// matters: if another worker writes the index after the first step, the write fails, and the last
// step detects files that were published later.
func (r *rebuilding) run(ctx context.Context) error {
	current, version, err := r.current(ctx)
	if err != nil {
		return err
	}
	published, err := r.Bucket.List(ctx, PublishedPrefix)
	if err != nil {
		return err
	}
	if err := r.gather(ctx, published); err != nil {
		return err
	}
	fresh, conflicting, err := r.collect(current, published)
	if err != nil {
		return err
	}
	if err := r.replace(ctx, current, version, fresh); err != nil {
		return err
	}
	if err := r.rejectConflictingFiles(ctx, conflicting); err != nil {
		return err
	}
	again, err := r.Bucket.List(ctx, PublishedPrefix)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(published, again, func(a, b Object) bool { return a.Key == b.Key && a.Version == b.Version }) {
		return versions.ErrStale
	}
	return nil
}

// current returns the index, or nil if it is missing or damaged, and the version to
// overwrite. It keeps a copy of a damaged index, so that the operator can find the cause.
func (r *rebuilding) current(ctx context.Context) (index *Index, version string, err error) {
	stored, err := r.Bucket.Get(ctx, IndexKey, maxIndexBytes)
	if errors.Is(err, ErrNoObject) {
		return nil, Nothing, nil
	}
	if err != nil {
		return nil, "", err
	}
	index, err = decodeStored(stored)
	if err == nil {
		_, err = index.Files()
	}
	if err == nil {
		return index, stored.Version, nil
	}
	if err := r.Bucket.Copy(ctx, stored, rejectedKey(IndexKey)); err != nil {
		return nil, "", err
	}
	reason := refuse(err.Error(), "no action is needed; the index was rebuilt from the published files")
	r.done = append(r.done, Outcome{Act: Rejected, File: IndexKey, Reason: reason.Error()})
	return nil, stored.Version, r.explain(ctx, stored, reason)
}

// gather evaluates the published files, several at a time.
func (r *rebuilding) gather(ctx context.Context, published []Object) error {
	return parallel.Each(len(published), concurrentReads, func(i int) error { return r.find(ctx, published[i]) })
}

func (r *rebuilding) find(ctx context.Context, object Object) error {
	r.mu.Lock()
	known, ok := r.known[object.Key]
	r.mu.Unlock()
	if ok && known.seen.Version == object.Version {
		return nil
	}
	found, rejected, err := r.resolve(ctx, object.Key)
	found.seen.Body = nil // the bodies of thousands would not fit into memory
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[object.Key] = found
	r.done = append(r.done, rejected...)
	return err
}

// collect creates the index from the findings. Of equivalent versions, it keeps the one in the current
// index, which may be nil.
func (r *rebuilding) collect(current *Index, published []Object) (*Index, []conflictingFile, error) {
	byName := map[string][]candidate{}
	for _, object := range published {
		if v := r.known[object.Key].version; v != nil {
			c := candidate{Version: *v, published: r.known[object.Key].seen}
			if current != nil {
				_, c.listed = current.Find(v.File())
			}
			byName[v.Name] = append(byName[v.Name], c)
		}
	}
	index, conflicting := NewIndex(), []conflictingFile(nil)
	for name, candidates := range byName {
		elected, others := elect(candidates)
		conflicting = append(conflicting, others...)
		list, err := newReleases(elected)
		if err != nil {
			return nil, nil, err
		}
		index.charts[name] = list
	}
	return index, conflicting, nil
}

// rejectConflictingFiles rejects the files, after the versions that they conflict with are listed. It
// returns versions.ErrStale if there was any file.
func (r *rebuilding) rejectConflictingFiles(ctx context.Context, conflicting []conflictingFile) error {
	var changed error
	for _, file := range conflicting {
		rejected, err := r.rejectConflicting(ctx, file.published, file.conflict.refusal())
		r.done = append(r.done, rejected...)
		if !errors.Is(err, versions.ErrStale) {
			return err
		}
		changed = err
	}
	return changed
}

// replace writes the index if it differs, and records the outcomes.
func (r *rebuilding) replace(ctx context.Context, current *Index, version string, fresh *Index) error {
	if current != nil && current.Equal(fresh) {
		return nil
	}
	if err := r.writeIndex(ctx, fresh, version); err != nil {
		return err
	}
	if current == nil {
		current = NewIndex()
	}
	return r.recordOutcomes(current, fresh)
}

func (r *rebuilding) recordOutcomes(before, after *Index) error {
	had, err := before.Files()
	if err != nil {
		return err
	}
	has, err := after.Files()
	if err != nil {
		return err
	}
	for _, file := range has {
		old, _ := before.Find(file)
		if v, _ := after.Find(file); !bytes.Equal(old.Metadata, v.Metadata) {
			r.done = append(r.done, Outcome{Act: Listed, File: file})
		}
	}
	for _, file := range had {
		if _, found := slices.BinarySearch(has, file); !found {
			r.done = append(r.done, Outcome{Act: Unlisted, File: file})
		}
	}
	return nil
}
