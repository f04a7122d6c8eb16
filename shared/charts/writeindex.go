package charts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"portside/shared/core/versions"
)

// updateIndex lists a version of the file, or removes the file if version is nil. The error is a
// *conflict if another version is listed in its place.
func (x *Indexer) updateIndex(ctx context.Context, file string, version *Version) (done []Outcome, err error) {
	if !strings.HasSuffix(file, archiveSuffix) {
		return nil, nil
	}
	act, change := Unlisted, func(index *Index) (bool, error) { return index.Remove(file) }
	if version != nil {
		act, change = Listed, func(index *Index) (bool, error) { return admit(index, *version) }
	}
	err = x.retry(ctx, func() error {
		changed, err := x.changeIndex(ctx, change)
		if errors.Is(err, ErrNoObject) || errors.Is(err, ErrCorrupt) {
			rebuilt, err := x.Rebuild(ctx)
			done = append(done, rebuilt...)
			if err != nil {
				return err
			}
			return versions.ErrStale
		}
		if changed {
			done = append(done, Outcome{Act: act, File: file})
		}
		return err
	})
	return done, err
}

// changeIndex reads, changes and writes the index. It returns versions.ErrStale if another worker
// has written it meanwhile.
func (x *Indexer) changeIndex(ctx context.Context, change func(*Index) (bool, error)) (bool, error) {
	stored, err := x.Bucket.Get(ctx, IndexKey, maxIndexBytes)
	if err != nil {
		return false, err
	}
	index, err := decodeStored(stored)
	if err != nil {
		return false, err
	}
	if changed, err := change(index); err != nil || !changed {
		return false, err
	}
	if err := x.writeIndex(ctx, index, stored.Version); err != nil {
		return false, err
	}
	return true, nil
}

func decodeStored(stored Object) (*Index, error) {
	if stored.Size > maxIndexBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrCorrupt, stored.Size, maxIndexBytes)
	}
	return DecodeIndex(stored.Body)
}

func (x *Indexer) writeIndex(ctx context.Context, index *Index, over string) error {
	text, err := index.Encode(x.Now().Truncate(time.Second))
	if err != nil {
		return err
	}
	if len(text) > maxIndexBytes {
		return fmt.Errorf("the index would have %d bytes, at most %d are read: delete old versions below %s",
			len(text), maxIndexBytes, PublishedPrefix)
	}
	return x.Bucket.Put(ctx, IndexKey, text, over)
}
